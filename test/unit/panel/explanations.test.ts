import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import type { Finding } from '../../../src/core/finding.ts';
import type { SessionReport } from '../../../src/core/report.ts';
import { agentConsistency } from '../../../src/metrics/session/agent-consistency.ts';
import { agentReliability } from '../../../src/metrics/session/agent-reliability.ts';
import { sessionRisk } from '../../../src/metrics/session/session-risk.ts';
import { sessionTrend } from '../../../src/metrics/session/session-trend.ts';
import { DEFAULT_WEIGHTS } from '../../../src/metrics/session/signals.ts';
import { CitationResolver } from '../../../src/panel/citations.ts';
import { buildExplanations } from '../../../src/panel/explanations/explanations.ts';
import { groupRows, occurrenceRows } from '../../../src/panel/groups.ts';
import { buildSignals } from '../../../src/panel/signals.ts';
import { explanations, groupOccurrences, problemGroups, signals } from '../../../src/protocol/report.ts';
import { scored as given, resultOf, sessionOf, sessionView } from '../metrics/views.ts';
import {
  createSession,
  FILE,
  header,
  result,
  rows,
  type SessionSpec,
  scored,
  turn,
} from '../server/report/session-fixture.ts';
import { group, occurrence } from '../server/report-fixture.ts';

const parts = { citations: new CitationResolver(FILE, null), feedback: () => null };

function explained(whole: SessionSpec) {
  const result = z.parse(explanations.result, buildExplanations(createSession(whole).model, parts));
  return { ...result, of: (metric: string) => result.metrics.find((one) => one.metric === metric) };
}

/** Twenty turns, of which the third and the eighth are bad. */
const CONFIDENCE = Array.from({ length: 20 }, (_, index) => (index === 2 ? 0.1 : index === 7 ? 0.4 : 0.95));
const LOOPS = CONFIDENCE.map((_, index) => (index === 2 ? 0.5 : 1));
const IDS = CONFIDENCE.map((_, index) => ({ id: index < 2 ? 'same' : `t${index}` }));

/** The session metrics as they are computed, over turns that have signals. */
async function computed(): Promise<SessionSpec> {
  const results = {
    confidence: CONFIDENCE.map((item) => given(item)),
    loop_detection: LOOPS.map((item) => given(item)),
  };
  const view = sessionView(sessionOf(IDS), { results });
  const options = { weights: DEFAULT_WEIGHTS };
  const reliability = await agentReliability.evaluate(view, options);
  const consistency = await agentConsistency.evaluate(view, options);
  return {
    turns: IDS.map((id, index) => [
      turn(id),
      { confidence: scored(CONFIDENCE[index] ?? 0), loop_detection: scored(LOOPS[index] ?? 0) },
    ]),
    metrics: {
      agent_consistency: resultOf(consistency, agentConsistency),
      agent_reliability: resultOf(reliability, agentReliability),
      confidence: scored(0.85, { source: 'aggregate' }),
    },
  };
}

describe("the explanation of a session's metrics", () => {
  it('names the turns that count for reliability, and those that are flagged', async () => {
    const reliability = explained(await computed()).of('agent_reliability');
    const messages = reliability?.terms.map(({ turns, amount, marks }) => [turns, amount, marks]);
    // Of 20 turns 15 in 100 count.
    expect(messages?.slice(0, 4)).toEqual([
      [[2], 0.9, ['counted', 'flagged']],
      [[7], 0.6, ['counted', 'flagged']],
      [[0], 0.05, ['counted']],
      [[1], 0.05, []],
    ]);
    expect(messages).toHaveLength(20);
    expect(reliability?.terms[0]?.parts).toEqual([
      { name: 'confidence', amount: 0.9 },
      { name: 'loop_detection', amount: 0.5 },
    ]);
    // (0.9 + 0.6 + 0.05) / 3
    expect(reliability?.sentences).toContain(
      'The worst 15% of the turns count (3 of 20): mean risk 0.52, highest 0.90.',
    );
    expect(reliability?.score?.value).toBeCloseTo(1 - (0.9 * (1.55 / 3) + 0.1 * 0.9));
  });

  it('names the uncertainty of each turn, and its penalty', async () => {
    const consistency = explained(await computed()).of('agent_consistency');
    const [worst] = consistency?.terms ?? [];
    expect(worst).toMatchObject({ turns: [2], parts: [{ name: 'loop_detection', amount: 0.5 }] });
    // (1 + 0.5) x 0.9
    expect(worst?.amount).toBeCloseTo(1.35);
    expect(worst?.sentence).toBe('Turn 3: 0.90 from confidence, plus a penalty of 0.50.');
  });

  it('sets reliability beside consistency, and means apart', async () => {
    const { quadrant, means, metrics } = explained(await computed());
    expect(quadrant).toMatchObject({ sentence: expect.stringContaining('reliability') });
    expect(means.map(({ metric }) => metric)).toEqual(['confidence']);
    expect(metrics.map(({ metric }) => metric)).toEqual(['agent_reliability', 'agent_consistency']);
    expect(explained({}).quadrant).toBeNull();
  });

  it('says what each finding adds to the risk, in which turns, and which weights are estimates', async () => {
    const view = sessionView(sessionOf([{}, {}, {}]), {
      results: { turn_risk: [given(0.1)], confidence: [undefined, given(0.2)] },
    });
    const finding = (rule: string, index: number): Finding => {
      return { rule, severity: 'high', label: null, turn: index, message: `${rule} spoke.`, evidence: [] };
    };
    const outcome = await sessionRisk.evaluate(
      { ...view, findings: [finding('made-up', 0), finding('made-up', 2)] },
      {},
    );
    const at = (index: number) => occurrence({ session: 's', file: FILE, turn: index, rule: 'made-up' });
    const failures = [
      group('wrong tool', 'high', at(2), at(0)),
      group('repetition', 'low', { ...at(1), rule: 'other' }),
    ];
    const turns = [
      [turn(), {}],
      [turn(), { confidence: scored(0.2) }],
      [turn(), { confidence: scored(0.9) }],
    ] as const;
    const { of } = explained({
      turns,
      metrics: { session_risk: resultOf(outcome, sessionRisk) },
      report: { failures },
    });
    const risk = of('session_risk');
    expect(risk?.terms).toMatchObject([
      { of: 'rule', name: 'made-up', turns: [0, 2], unit: 'adds to the risk' },
      { of: 'signal', name: 'confidence', turns: [1] },
    ]);
    expect(risk?.terms[0]?.sentence).toContain('an estimate');
    const adds = risk?.terms.reduce((sum, { amount }) => sum + (amount ?? 0), 0) ?? 0;
    const base = Number(/base risk is (\d\.\d+)/.exec(risk?.sentences.join(' ') ?? '')?.[1]);
    expect(base + adds).toBeCloseTo(Number(risk?.score?.value), 1);
    expect(risk?.sentences).toContain('The risk is a rank, not a probability: use it to compare sessions.');
  });

  it('says of how many sessions a probability is, and how other attempts compare', () => {
    const metadata = { base: 0.25, length: 900, terms: [], fittedOn: '80 sessions of ours.', isProbability: true };
    const attempts = { others: 4, share: 0.75 };
    const { of } = explained({ metrics: { session_risk: scored(0.25, { metadata: { ...metadata, attempts } }) } });
    expect(of('session_risk')?.sentences.slice(1)).toEqual([
      'The base risk is 0.25: of such sessions without findings, 25 in 100 fail.',
      '3 of 4 other attempts of the task made the same changes.',
      'Nothing in this session raises it.',
      'The weights were fitted on 80 sessions of ours.',
    ]);
  });

  it('says where the agent stalled and where it regressed', async () => {
    const task = [0.2, 0.9, 0.3].map((item) => given(item));
    const view = sessionView(sessionOf([{}, {}, {}]), { results: { task_completion: task } });
    const outcome = await sessionTrend.evaluate(view, {});
    const trend = explained({ metrics: { session_trend: resultOf(outcome, sessionTrend) } }).of('session_trend');
    expect(trend?.terms).toMatchObject([{ of: 'trend', name: 'regressed', turns: [2], amount: 0.3 }]);
  });

  it('has only the reason where nothing more is stored', () => {
    const metrics: SessionReport['metrics'] = {
      agent_reliability: scored(0.5, { reason: 'Elevated risk.' }),
      session_trend: result('needs_judge', { reason: 'Only a model.' }),
      goal_completion: result('not_applicable'),
    };
    expect(explained({ metrics }).metrics).toMatchObject([
      { metric: 'agent_reliability', sentences: ['Elevated risk.'], terms: [] },
      { metric: 'session_trend', score: null, sentences: ['Only a model.'] },
    ]);
  });
});

describe('signals over the turns', () => {
  const turns = [
    [
      turn(),
      {
        confidence: scored(0.12345, { threshold: 0.5 }),
        other: scored(3, { scale: [1, 5] }),
        count: scored(7, { scale: [0, null] }),
      },
    ],
    [turn(), { confidence: result('error'), word: result('scored', { label: 'x', scale: null }) }],
    [turn(), { confidence: result('vacuous', { score: 1 }), implied: scored(1, { implied: true }) }],
  ] as const;

  it('have one value or null per turn, with the names of all that can be drawn', () => {
    const { model } = createSession({ turns });
    const result = z.parse(signals.result, buildSignals(model));
    expect(result.available).toEqual(['confidence', 'other']);
    expect(result.signals).toMatchObject([{ metric: 'confidence', threshold: 0.5, values: [0.123, null, 1] }]);
    expect(buildSignals(model, ['other', 'nobody', '__proto__']).signals).toMatchObject([
      { metric: 'other', values: [3, null, null] },
    ]);
  });
});

describe('groups of problems', () => {
  it('are the most severe first, with their first occurrences and the rest on request', () => {
    const at = (index: number) => occurrence({ session: 's', file: FILE, turn: index });
    const many = Array.from({ length: 60 }, (_, index) => at(59 - index));
    const failures = [
      group('repetition', 'low', at(1)),
      group('wrong tool', 'high', ...many),
      group('other', 'high', at(3)),
    ];
    const { model } = createSession({ report: { failures } });
    const result = z.parse(problemGroups.result, groupRows(model, parts));
    expect(result.groups.map(({ label, count }) => `${label} ${count}`)).toEqual([
      'wrong tool 60',
      'other 1',
      'repetition 1',
    ]);
    expect(result.groups[0]?.occurrences.map((occurrence) => occurrence.turn)).toEqual(
      Array.from({ length: 20 }, (_, index) => index),
    );
    expect(result.groups[0]?.occurrencesOmitted).toBe(40);
    const wanted = { group: 0, offset: 20, limit: 3 };
    const rest = z.parse(groupOccurrences.result, occurrenceRows(model, wanted, parts));
    expect(rest).toMatchObject({ total: 60, rows: [{ turn: 20 }, { turn: 21 }, { turn: 22 }] });
  });

  it('that a judge merged keep their own names, also where two kinds have the same', () => {
    const one = {
      ...occurrence({ session: 's', file: FILE, turn: 0 }),
      label: 'false information',
      severity: 'critical',
    } as const;
    const other = {
      ...occurrence({ session: 's', file: FILE, turn: 1 }),
      label: 'repetition',
      severity: 'low',
    } as const;
    const cause = { label: 'false information', severity: 'critical' } as const;
    const kind = { ...cause, count: 2, title: 'Made-up facts', explanation: 'It does not know.' };
    const failures = [
      { ...kind, occurrences: [one, other] },
      { ...kind, count: 1, title: 'Another cause', occurrences: [{ ...one, turn: 2 }] },
    ];
    const turns = [0, 1, 2].map((index) => [turn({ pointer: `/${index}` }), {}] as const);
    const whole = createSession({ turns, report: { failures } });
    const { groups } = z.parse(problemGroups.result, groupRows(whole.model, parts));
    expect(groups.map(({ title, occurrences: rows }) => [title, rows.map(({ label }) => label)])).toEqual([
      ['Made-up facts', ['false information', 'repetition']],
      ['Another cause', ['false information']],
    ]);
    const second = occurrenceRows(whole.model, { group: 1, offset: 0, limit: 5 }, parts);
    expect(second).toMatchObject({ total: 1, rows: [{ turn: 2 }] });
    expect(rows(whole).map(({ problems: all }) => all.map(({ label, severity }) => `${label} ${severity}`))).toEqual([
      ['false information critical'],
      ['repetition low'],
      ['false information critical'],
    ]);
    expect(header(whole).facets.labels).toEqual([
      { name: 'false information', turns: 2 },
      { name: 'repetition', turns: 1 },
    ]);
  });
});
