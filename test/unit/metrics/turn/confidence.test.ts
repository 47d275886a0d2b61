import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../../src/core/finding.ts';
import { confidence } from '../../../../src/metrics/turn/confidence.ts';
import { resultOf, sessionOf, turnView } from '../views.ts';

/** A finding with this number of signs: texts in the evidence, or calls. */
function finding(rule: string, signs: number): Finding {
  const pointers = Array.from({ length: signs }, (_, at) => `/${rule}/${at}`);
  const ofCalls = rule === 'error-repeated-unchanged';
  return {
    rule,
    severity: 'info',
    label: null,
    turn: 0,
    message: `It was ${rule}.`,
    evidence: [...pointers, ...(ofCalls ? ['/first', '/result'] : [])].map((pointer) => ({ pointer, note: 'a sign' })),
    ...(ofCalls ? { calls: pointers } : {}),
  };
}

function outcome(findings: readonly Finding[]) {
  return confidence.evaluate({ ...turnView(sessionOf([{}]), 0), findings }, {});
}

async function result(findings: readonly Finding[]) {
  return resultOf(await outcome(findings), confidence);
}

const KINDS = ['hedging', 'self-contradiction', 'abandoned-strategy', 'error-repeated-unchanged'];

describe('confidence without a model', () => {
  it.each<[string, readonly (readonly [string, number])[], number, string, boolean]>([
    ['one kind of sign, once', [['hedging', 1]], 0.75, 'minor hesitation', true],
    ['one kind of sign, twice', [['self-contradiction', 2]], 0.75, 'minor hesitation', true],
    ['doubt, however often', [['hedging', 20]], 0.75, 'minor hesitation', true],
    ['what it said taken back all along', [['self-contradiction', 3]], 0.5, 'noticeable indecision', true],
    [
      'two kinds',
      [
        ['hedging', 1],
        ['abandoned-strategy', 2],
      ],
      0.5,
      'noticeable indecision',
      true,
    ],
    ['several abandoned strategies', [['abandoned-strategy', 3]], 0.25, 'significant uncertainty', false],
    [
      'those and contradictions',
      [
        ['self-contradiction', 1],
        ['abandoned-strategy', 3],
      ],
      0,
      'completely uncertain',
      false,
    ],
    [
      'errors of two tools, repeated',
      [
        ['error-repeated-unchanged', 2],
        ['error-repeated-unchanged', 1],
      ],
      0.5,
      'noticeable indecision',
      true,
    ],
  ])('is lowered by %s', async (_, signs, score, band, passed) => {
    const actual = signs.map(([rule, count]) => finding(rule, count));
    expect(await result(actual)).toMatchObject({
      status: 'scored',
      score,
      band: { name: band },
      passed,
      source: 'rules',
    });
  });

  it('names the findings that lowered it and links to their evidence', async () => {
    const actual = [finding('hedging', 2), finding('no-answer', 1), finding('error-repeated-unchanged', 1)];
    expect(await result(actual)).toMatchObject({
      score: 0.5,
      reason: expect.stringMatching(/^It was hedging\. It was error-repeated-unchanged\./),
      metadata: {
        findings: [{ rule: 'hedging' }, { rule: 'error-repeated-unchanged', calls: ['/error-repeated-unchanged/0'] }],
        markers: 3,
      },
    });
    expect((await result(actual)).evidence.map(({ pointer }) => pointer)).toEqual([
      '/hedging/0',
      '/hedging/1',
      '/error-repeated-unchanged/0',
      '/first',
      '/result',
    ]);
  });

  it('needs a judge without relevant findings', async () => {
    expect((await result([])).status).toBe('needs_judge');
    expect((await result([finding('no-answer', 1), finding('repeated-call', 4)])).status).toBe('needs_judge');
  });

  it('is not applicable to a turn that was not recorded', async () => {
    const session = sessionOf([{ output: null, captured: false }]);
    const { status } = await confidence.evaluate({ ...turnView(session, 0), findings: [finding('hedging', 1)] }, {});
    expect(status).toBe('not_applicable');
  });

  it('never rises with another finding or sign', async () => {
    const findings = fc.array(fc.record({ rule: fc.constantFrom(...KINDS), signs: fc.integer({ min: 1, max: 9 }) }), {
      minLength: 1,
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(findings, fc.constantFrom(...KINDS), fc.nat(5), async (signs, kind, at) => {
        const score = async (list: typeof signs) =>
          (await result(list.map((item) => finding(item.rule, item.signs)))).score ?? Number.NaN;
        const before = await score(signs);
        expect(before).toBeGreaterThanOrEqual(0);
        expect(before).toBeLessThan(1);
        expect(await score([...signs, { rule: kind, signs: 1 }])).toBeLessThanOrEqual(before);
        expect(
          await score(signs.map((sign, index) => (index === at ? { ...sign, signs: sign.signs + 1 } : sign))),
        ).toBeLessThanOrEqual(before);
      }),
    );
  });
});
