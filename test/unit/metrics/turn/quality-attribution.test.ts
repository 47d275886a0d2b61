import { describe, expect, it } from 'vitest';
import { sourceAttribution } from '../../../../src/metrics/turn/source-attribution.ts';
import { evaluateTurn, toolCall } from '../calls.ts';
import { judgeTurn } from '../judge-script.ts';

const OUTPUT =
  'According to the **Returns Policy**, you have 30 days. The fee is 5 EUR. Paris has 2.1 million people [1].';

const TURN = {
  output: OUTPUT,
  outputPointer: '/turns/0/output',
  steps: [toolCall('search_policy', {}, { pointer: '/turns/0/steps/0', result: 'Returns Policy: 30 days' })],
};

interface Claim {
  readonly claim: string;
  readonly citation?: string | null;
  readonly evidence?: readonly string[];
  readonly supported?: boolean;
}

const claimed = ({ claim, citation = null, evidence = [], supported = false }: Claim) => ({
  claim,
  citation,
  evidence,
  reason: supported ? 'The policy says so.' : 'No source is named.',
  supported,
});

const DAYS = { claim: 'you have 30 days', citation: 'Returns Policy', evidence: ['t1.result1'], supported: true };
const FEE = { claim: 'The fee is 5 EUR' };
const CITY = { claim: 'Paris has 2.1 million people', citation: '[1]' };

const evaluate = (...answers: readonly (readonly Claim[])[]) =>
  judgeTurn(sourceAttribution, TURN, {
    source_attribution: answers.map((claims) => ({ claims: claims.map(claimed) })),
  });

describe('source_attribution', () => {
  it.each<[string, readonly Claim[], number]>([
    ['all', [DAYS], 1],
    ['one of three', [DAYS, FEE, CITY], 1 / 3],
    ['none', [FEE, CITY], 0],
  ])('is the share of claims supported by their citation: %s', async (_, claims, score) => {
    const { result } = await evaluate(claims);
    expect(result).toMatchObject({ status: 'scored', score, source: 'judge', passed: null });
    expect(result.metadata).toMatchObject({
      supported: claims.filter(({ supported }) => supported).length,
      total: claims.length,
      notInAnswer: 0,
    });
  });

  it('names the claims, shows their support, and says which have no source', async () => {
    const { result } = await evaluate([DAYS, FEE]);
    expect(result.reason).toBe(
      '1 of 2 claims cited a source that supports them. "The fee is 5 EUR": No source is named.',
    );
    expect(result.evidence).toEqual([
      { pointer: '/turns/0/steps/0', note: 'the result of search_policy in turn 1' },
      { pointer: '/turns/0/output', note: 'without a source that supports it: "The fee is 5 EUR"' },
    ]);
    expect(result.metadata.claims).toEqual([
      { claim: 'you have 30 days', citation: 'Returns Policy', supported: true, reason: 'The policy says so.' },
      { claim: 'The fee is 5 EUR', citation: null, supported: false, reason: 'No source is named.' },
    ]);
  });

  it('skips and counts claims that do not appear in the answer, with or without markup', async () => {
    const written = { ...FEE, claim: 'the returns policy … the FEE is **5 EUR**.' };
    const { result } = await evaluate([DAYS, written, { claim: 'Shipping is free' }]);
    expect(result).toMatchObject({ score: 0.5, metadata: { total: 2, notInAnswer: 1 } });
    expect(result.reason).toContain('1 more that the judge named are not in the answer.');
  });

  it('is not applicable without claims, and an error if all claims are invented', async () => {
    expect((await evaluate([])).result).toMatchObject({
      status: 'not_applicable',
      score: null,
      reason: 'The answer makes no claim that needs a source.',
    });
    expect((await evaluate([{ claim: 'Shipping is free' }, { claim: '…' }])).result).toMatchObject({
      status: 'error',
      score: null,
      metadata: { notInAnswer: 2 },
    });
  });

  it.each<[string, readonly Claim[], RegExp]>([
    ['support without a citation', [{ ...DAYS, citation: ' ' }], /claims\.0\.supported.*not there/],
    ['support without a passage', [DAYS, { ...CITY, supported: true }], /claims\.1\.evidence.*needs the id/],
    ['a claim twice', [FEE, { claim: 'the fee is 5 EUR.' }], /claims: .*twice/],
    ['a passage that is not shown', [{ ...DAYS, evidence: ['t1.result2'] }], /claims\.0\.evidence/],
    ['more claims than were asked for', Array.from({ length: 21 }, (_, n) => ({ claim: `fee ${n}` })), /claims: /],
    ['an empty claim', [{ claim: '' }], /claims\.0\.claim/],
  ])('asks again once for %s, then fails', async (_, wrong, complaint) => {
    const failed = await evaluate(wrong);
    expect(failed.result).toMatchObject({ status: 'error', score: null });
    expect(failed.calls).toHaveLength(2);
    expect(failed.shown).toMatch(complaint);
    expect((await evaluate(wrong, [DAYS])).result.score).toBe(1);
  });

  it('finds quotations in texts without spaces', async () => {
    const turn = { output: '退货需要在三十天内完成。' };
    const claims = [{ claim: '三十天内', reason: 'x', supported: false, evidence: [] }];
    expect((await judgeTurn(sourceAttribution, turn, { source_attribution: { claims } })).result.score).toBe(0);
  });

  it('needs a judge and an answer', () => {
    expect(evaluateTurn(sourceAttribution, {}).status).toBe('needs_judge');
    expect(evaluateTurn(sourceAttribution, { output: '' }).status).toBe('not_applicable');
  });
});
