import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import type { CompactSession, Report } from '../../../src/core/report.ts';
import { compactSessionSchema } from '../../../src/core/schemas/compact-report.ts';
import { sessionReportSchema } from '../../../src/core/schemas/report.ts';
import { jsonChunks } from '../../../src/reports/json.ts';
import { jsonlReport } from '../../../src/reports/jsonl.ts';
import { runOfReport } from '../../../src/runs/compare/report-run.ts';
import * as made from './report.ts';

const { scored, unscored, vacuous } = made;
const TURN = made.turn(0, {
  coherence: scored(0.5),
  search_f1: vacuous(1),
  helpfulness: unscored('needs_judge'),
  faithfulness: unscored('needs_judge'),
  source_attribution: unscored('not_applicable'),
  relevance: unscored('error'),
  verbosity: unscored('cancelled'),
  latency: scored(1, { range: null, threshold: null }),
});
const REPORT = made.report({
  sessions: [
    made.session('a', [TURN, made.turn(1, { coherence: scored(1) })], {
      metrics: { goal_completion: unscored('needs_judge'), loop_detection: scored(1) },
    }),
    made.session('b', []),
  ],
  gates: [made.gate({ scope: 'session', subject: 'a' }), made.gate()],
  failures: [
    made.failures('repeated tool call', 'low', [made.occurrence('a', 0, 'again'), made.occurrence('b', 0, 'x')]),
  ],
});

function write(report: Report): Omit<Report, 'sessions'> & { sessions: CompactSession[] } {
  return JSON.parse([...jsonChunks(report, true)].join(''));
}

/** The only session of a report, as the compact report has it. */
function writeSession(...[id, turns, rest]: Parameters<typeof made.session>): CompactSession {
  const [written] = write(made.report({ sessions: [made.session(id, turns, rest)] })).sessions;
  if (!written) throw new Error('There is no session.');
  return written;
}

describe('the compact JSON report', () => {
  const compact = write(REPORT);

  it('names by status what does not apply, needs something or had nothing to judge, and keeps every other result', () => {
    const [first] = compact.sessions;
    expect(Object.keys(first?.turns[0]?.metrics ?? {})).toEqual(['coherence', 'relevance', 'verbosity', 'latency']);
    expect(first?.turns[0]?.omitted).toEqual({
      vacuous: ['search_f1'],
      needs_judge: ['helpfulness', 'faithfulness'],
      not_applicable: ['source_attribution'],
    });
    expect(first?.omitted).toEqual({ needs_judge: ['goal_completion'] });
  });

  it('has no list of omitted metrics where nothing is omitted', () => {
    expect(compact.sessions[0]?.turns[1]).not.toHaveProperty('omitted');
    expect(compact.sessions[0]).not.toHaveProperty('omittedEverywhere');
    expect(compact.sessions[1]).not.toHaveProperty('omitted');
  });

  it('names once what the session and all its turns leave out with the same status', () => {
    const both = { faithfulness: unscored('needs_judge'), search_f1: unscored('not_applicable') };
    const turns = [
      made.turn(0, { ...both, loop_detection: vacuous(1), relevance: unscored('needs_judge') }),
      made.turn(1, { ...both, loop_detection: scored(1), relevance: unscored('not_applicable') }),
    ];
    const own = { relevance: unscored('needs_judge'), goal_completion: unscored('needs_judge') };
    const session = writeSession('a', turns, { metrics: { ...both, ...own, loop_detection: scored(1) } });
    expect(session.omittedEverywhere).toEqual({ needs_judge: ['faithfulness'], not_applicable: ['search_f1'] });
    expect(session.omitted).toEqual({ needs_judge: ['relevance', 'goal_completion'] });
    expect(session.turns.map(({ omitted }) => omitted)).toEqual([
      { vacuous: ['loop_detection'], needs_judge: ['relevance'] },
      { not_applicable: ['relevance'] },
    ]);
  });

  it('keeps a result without anything to judge whose score is below its threshold', () => {
    const turns = [made.turn(0, { response_match_score: vacuous(0) })];
    const session = writeSession('a', turns, { metrics: { agent_consistency: { ...vacuous(1), passed: false } } });
    expect(session.turns[0]?.metrics).toMatchObject({ response_match_score: { status: 'vacuous', score: 0 } });
    expect(session.metrics).toMatchObject({ agent_consistency: { status: 'vacuous', passed: false } });
    expect(session).not.toHaveProperty('omitted');
  });

  it('keeps the results of sessions that a gate asks about', () => {
    const session = made.session('a', [], { metrics: { helpfulness: unscored('needs_judge'), coherence: vacuous(1) } });
    const report = made.report({ sessions: [session], gates: [made.gate({ metric: 'helpfulness', met: null })] });
    const [written] = write(report).sessions;
    expect(written?.metrics).toEqual({
      helpfulness: { status: 'needs_judge', scale: [0, 1], threshold: 0.5, reason: 'That is how it is.' },
    });
    expect(written?.omitted).toEqual({ vacuous: ['coherence'] });
  });

  it('keeps a result whatever its metric is called', () => {
    const metrics = Object.fromEntries([['__proto__', scored(1)]]);
    expect(Object.keys(writeSession('a', [], { metrics }).metrics)).toEqual(['__proto__']);
  });

  it('has no keys of results that are null or empty', () => {
    const frame = { range: null, threshold: null };
    const session = writeSession('a', [made.turn(0, { coherence: scored(0, frame) })]);
    expect(session.turns[0]?.metrics.coherence).toEqual({ status: 'scored', score: 0, source: 'rules' });
  });

  it('reads, by its schema, as the results that it keeps', () => {
    const [session] = compact.sessions.map((written) => sessionReportSchema.parse(compactSessionSchema.parse(written)));
    const { coherence, relevance, verbosity, latency } = TURN.metrics;
    expect(session?.turns[0]?.metrics).toEqual({ coherence, relevance, verbosity, latency });
  });

  it('is compared with other runs as the whole report is, its omitted metrics included', () => {
    const coherence = { ...scored(0.25), source: 'aggregate' } as const;
    const [needed, none] = [unscored('needs_judge'), vacuous(1)];
    const sessions = [
      made.session('a', [made.turn(0, { step_efficiency: needed })], {
        metrics: { coherence, step_efficiency: needed },
      }),
      made.session('b', [made.turn(0)], { metrics: { error_recovery_rate: none, coherence: none } }),
    ];
    const report = made.report({ sessions });
    const [whole, read] = [report, write(report)].map((value) => runOfReport(value, 'report.json'));
    expect(read?.rows).toEqual(whole?.rows);
    expect(read?.rows[0]).toMatchObject({ scores: { coherence: 0.25 }, passed: { coherence: false } });
    const settings = (run: typeof whole) =>
      run?.manifest.plan.metrics.map(({ name, template: { range, lowerIsBetter } }) => [name, range, lowerIsBetter]);
    expect(settings(read)?.toSorted()).toEqual(settings(whole)?.toSorted());
    expect(settings(read)).toHaveLength(3);
  });

  it('leaves the whole report as it is without the option', () => {
    expect(JSON.parse([...jsonChunks(REPORT)].join(''))).toEqual(JSON.parse(JSON.stringify(REPORT)));
  });
});

describe('the JSON Lines report', () => {
  async function writeLines() {
    let text = '';
    for await (const chunk of jsonlReport.write(REPORT, { terminal: false, color: false, columns: 80 })) text += chunk;
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  }

  it('has a line per session with its own gates and problems', async () => {
    const [first, second] = await writeLines();
    expect(first).toMatchObject({
      schemaVersion: 1,
      run: 'r1',
      id: 'a',
      omitted: { needs_judge: ['goal_completion'] },
    });
    expect(first.gates).toEqual([REPORT.gates[0]]);
    expect(first.failures).toMatchObject([{ session: 'a', reason: 'again' }]);
    expect(second).toMatchObject({ id: 'b', gates: [], failures: [{ session: 'b' }] });
    expect(z.safeParse(compactSessionSchema, first)).toMatchObject({ success: true });
  });

  it('ends with a line that has what the report says of the run, once', async () => {
    const lines = await writeLines();
    const { sessions: _, observations: __, suppressed: ___, ...ofRun } = JSON.parse(JSON.stringify(REPORT));
    expect(lines).toHaveLength(3);
    expect(lines[2]).toEqual({
      ...ofRun,
      gates: REPORT.gates.slice(1),
      failures: REPORT.failures.map(({ occurrences, ...group }) => group),
    });
    expect(lines[2]).not.toHaveProperty('id');
  });
});
