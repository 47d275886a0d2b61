import { describe, expect, it } from 'vitest';
import type { ConfigurationInput } from '../../../src/config/schema.ts';
import type { Gate, Observation, ProblemOccurrence } from '../../../src/core/report.ts';
import type { Session, ToolStep, Turn } from '../../../src/core/session.ts';
import type { SessionOutcome } from '../../../src/core/session-outcome.ts';
import { type EvaluationInput, evaluateSessions } from '../../../src/engine/evaluate.ts';
import type { RunEvent } from '../../../src/engine/events.ts';
import { NO_JUDGES } from '../../../src/engine/judges.ts';
import type { RunRecorder } from '../../../src/engine/run-recorder.ts';
import { configuration, session, turn } from './support.ts';

/** A tool that the catalogue does not have: the finding `unknown-tool`, of severity high. */
function unknownCall(index: number): ToolStep {
  return {
    type: 'tool',
    pointer: `/turns/${index}/steps/0`,
    name: 'cancel_order',
    arguments: {},
    error: 'No such tool.',
    outcome: 'error',
    requestedBy: 'agent',
  };
}

function withUnknownCall(id: string, index: number, more: Partial<Turn> = {}): Turn {
  return turn(id, { steps: [unknownCall(index)], output: 'Sorry, that did not work.', ...more });
}

const tools = [{ name: 'get_order' }];

const RANGE = { line: 7, column: 3, endLine: 8, endColumn: 5 };

function run(sessions: readonly Session[], more: Partial<EvaluationInput> & { input?: ConfigurationInput } = {}) {
  const { input = {}, ...rest } = more;
  return evaluateSessions({
    sessions,
    configuration: configuration(input),
    judges: NO_JUDGES,
    embedder: null,
    locate: (_file, pointers) => new Map([...pointers].map((pointer) => [pointer, RANGE])),
    version: '1.2.3',
    signal: new AbortController().signal,
    ...rest,
  });
}

describe('a run', () => {
  const failing = session('s', [turn('t1'), withUnknownCall('t2', 1)], { tools });

  it('that is continued and stopped before all is read again has what it found before', async () => {
    const [first, second, third] = ['a', 'b', 'c'].map((id) => session(id, [turn('t1')]));
    if (!first || !second || !third) throw new Error('There are three sessions.');
    const found: SessionOutcome[] = [];
    const recorder = (unread: readonly SessionOutcome[]): RunRecorder => ({
      continued: null,
      begin: async () => {},
      known: ({ id }) => found.find((outcome) => outcome.id === id) ?? null,
      unread: () => unread,
      session: async (outcome) => {
        found.push(outcome);
        return outcome;
      },
      earlierAttempts: async () => [],
      finish: async (report) => report,
    });
    await run([first, second], { recorder: recorder([]) });
    const stopped = await run([first], { recorder: recorder(found.slice(1)), signal: AbortSignal.abort() });
    expect(stopped.sessions.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(stopped.run.complete).toBe(false);
    const whole = await run([first, third], { recorder: recorder(found.slice(1)) });
    expect(whole.sessions.map(({ id }) => id)).toEqual(['a', 'c']);
  });

  it('gives a session the headline that it has without other sessions', async () => {
    const failed = (index: number): ToolStep => ({
      ...unknownCall(0),
      pointer: `/turns/0/steps/${index}`,
      name: 'get_order',
      arguments: { order_id: 'A-1' },
      error: 'Error: order A-1 does not exist.',
      result: 'Error: order A-1 does not exist.',
    });
    const unanswered = (id: string, steps: readonly ToolStep[]) =>
      session(id, [turn('t1', { input: 'Where is my order?', output: null, steps })], { tools });
    const stuck = unanswered('stuck', [0, 1, 2, 3].map(failed));
    const [alone] = (await run([stuck])).sessions;
    expect(alone?.headline.text).toMatch(/^\d problems, worst medium: /);
    const others = ['a', 'b', 'c', 'd', 'e'].map((id) => unanswered(id, [failed(0)]));
    const [among] = (await run([stuck, ...others])).sessions;
    expect(among?.headline).toEqual(alone?.headline);
  });

  it('ties each failure to its line, in exactly one group', async () => {
    const { failures } = await run([failing]);
    const unknown = failures.filter(({ occurrences }) => occurrences.some(({ rule }) => rule === 'unknown-tool'));
    expect(failures.reduce((sum, { count }) => sum + count, 0)).toBe(1);
    expect(unknown).toMatchObject([
      {
        label: 'wrong tool',
        severity: 'high',
        count: 1,
        occurrences: [{ session: 's', turn: 1, ...RANGE, metric: null, evidence: [RANGE] }],
      },
    ]);
  });

  it('fails by severity, as configured for the rule or for its label', async () => {
    const verdict = async (input: ConfigurationInput) => (await run([failing], { input })).verdict;
    expect(await verdict({})).toBe('failed');
    expect(await verdict({ gates: { failOn: 'critical' } })).toBe('passed');
    expect(await verdict({ rules: { 'unknown-tool': 'medium' } })).toBe('passed');
    expect(await verdict({ severities: { 'wrong tool': 'medium' } })).toBe('passed');
    expect(await verdict({ rules: { 'unknown-tool': 'low' }, severities: { 'wrong tool': 'critical' } })).toBe(
      'passed',
    );
  });

  it('fails a session whose recorded outcome is a failure, unless outcomes are ignored', async () => {
    const rewarded = (reward: number) => session(`r${reward}`, [turn('t1')], { scores: { reward } });
    const report = await run([rewarded(0), rewarded(1)]);
    expect(report).toMatchObject({
      verdict: 'failed',
      outcomes: { succeeded: 1, failed: 1, unknown: 0 },
      sessions: [
        {
          verdict: 'failed',
          outcome: { status: 'failed', source: 'recorded', reason: 'reward 0.0 in the trace' },
          headline: { kind: 'failed', text: 'Failed: reward 0.0 in the trace' },
        },
        { verdict: 'passed', headline: { kind: 'succeeded', text: 'Succeeded: reward 1.0 in the trace' } },
      ],
    });
    expect(report.gates.filter(({ metric }) => metric === 'outcome')).toMatchObject([
      { subject: 'r0', threshold: 'succeeded', actual: 'failed', met: false },
      { subject: 'r1', actual: 'succeeded', met: true },
    ]);
    const ignored = await run([rewarded(0)], { input: { gates: { outcome: false } } });
    expect(ignored).toMatchObject({ verdict: 'passed', sessions: [{ headline: { kind: 'failed' } }] });
  });

  it('names a test case without a run as such, and fails nothing for it', async () => {
    const blank = turn('t1', { captured: false, output: null, reference: { response: 'It is 4.' } });
    const report = await run([session('s', [blank])]);
    expect(report.sessions[0]?.headline).toEqual({ kind: 'not-run', text: 'Test case without a run', turn: null });
  });

  it('runs no rule if the judge is none', async () => {
    const report = await run([failing], { input: { judge: { provider: 'none' } } });
    expect(report.failures).toEqual([]);
    expect(report.gates).toMatchObject([{ metric: 'severity', reason: expect.stringContaining('the rules are off') }]);
  });

  it('lists suppressed findings separately, with the reason', async () => {
    const suppressions = [{ rule: 'unknown-tool', reason: 'a known gap of the catalogue' }];
    const high: ConfigurationInput = { gates: { failOn: 'high' } };
    for (const accepted of [
      { ...failing, suppressions },
      session('s', [turn('t1'), withUnknownCall('t2', 1, { suppressions })], { tools }),
    ]) {
      const report = await run([accepted], { input: high });
      expect(report.verdict).toBe('passed');
      expect(report.failures.flatMap(({ occurrences }) => occurrences.map(({ rule }) => rule))).not.toContain(
        'unknown-tool',
      );
      expect(report.suppressed).toMatchObject([
        { session: 's', turn: 1, rule: 'unknown-tool', reason: 'a known gap of the catalogue', line: 7 },
      ]);
    }
    const elsewhere = session('s', [turn('t1', { suppressions }), withUnknownCall('t2', 1)], { tools });
    expect(await run([elsewhere], { input: high })).toMatchObject({ verdict: 'failed', suppressed: [] });
  });

  it('suppresses the findings of a renamed rule under its former id', async () => {
    const suppressions = [{ rule: 'stated-amount', reason: 'checked by hand' }];
    const stating = session('s', [turn('t1', { output: 'It costs 42.50 EUR.', suppressions })]);
    const { observations, suppressed, problems } = await run([stating]);
    expect(observations.map(({ rule }) => rule)).not.toContain('amount-stated');
    expect(suppressed).toMatchObject([{ turn: 0, rule: 'amount-stated', reason: 'checked by hand' }]);
    expect(problems).toEqual([]);
  });

  it('warns about suppressions that have no effect', async () => {
    const accept = (rule: string) => [{ rule, reason: 'wanted' }];
    const told = async (subject: Session, input: ConfigurationInput = {}) =>
      (await run([subject], { input })).problems.map(({ severity, message }) => `${severity}: ${message}`);
    const inTurn = session('s', [turn('t1', { suppressions: accept('unknown-tool') }), withUnknownCall('t2', 1)], {
      tools,
    });
    expect(await told(inTurn)).toEqual([
      'warning: The suppression of unknown-tool in turn 1 of session "s" (index 0) has no effect: the rule found nothing there.',
    ]);
    expect(await told({ ...failing, suppressions: accept('unkown-tool') })).toEqual([
      'warning: Session "s" suppresses "unkown-tool", which is not a rule. Did you mean "unknown-tool"?',
    ]);
    expect(await told({ ...failing, suppressions: accept('unknown-tool') })).toEqual([]);
    expect(await told(inTurn, { rules: { 'unknown-tool': 'off' } })).toEqual([]);
  });

  it('evaluates a single turn with the others as its context', async () => {
    const report = await run([failing], { turn: 0 });
    expect(report.sessions[0]?.turns.map(({ index }) => index)).toEqual([0]);
    expect(report.failures).toEqual([]);
  });

  it('is undecided if there is nothing to evaluate', async () => {
    expect(await run([])).toMatchObject({ verdict: 'undecided', run: { complete: true } });
  });

  it('is undecided if nothing was recorded, whatever the gates', async () => {
    const unrecorded = session('s', [turn('t1', { captured: false, output: null })]);
    for (const failOn of ['critical', 'never'] as const) {
      const report = await run([unrecorded], { input: { gates: { failOn } } });
      expect([report.verdict, report.sessions[0]?.verdict]).toEqual(['undecided', 'undecided']);
      expect(report.gates.map(({ met }) => met)).toEqual(failOn === 'never' ? [] : [null]);
    }
  });

  it('emits events turn by turn', async () => {
    const events: RunEvent[] = [];
    await run([failing, session('other', [turn('t1')])], { onEvent: (event) => events.push(event) });
    expect(events.map((event) => (event.type === 'turn' ? `turn ${event.done}/${event.of}` : event.type))).toEqual([
      'started',
      'turn 1/3',
      'turn 2/3',
      'session',
      'turn 3/3',
      'session',
    ]);
  });

  it('emits the problems of each turn and the gates of each session', async () => {
    const [failures, observations, gates]: [ProblemOccurrence[], Observation[], Gate[]] = [[], [], []];
    const report = await run([failing, session('other', [turn('t1'), withUnknownCall('t2', 1)], { tools })], {
      onEvent: (event) => {
        if (event.type === 'session') gates.push(...event.gates);
        if (event.type !== 'turn') return;
        const result = event.failures.flatMap((group) => group.occurrences);
        for (const { session: id, turn: index } of [...result, ...event.observations]) {
          expect([id, index]).toEqual([event.session, event.turn.index]);
        }
        failures.push(...result);
        observations.push(...event.observations);
      },
    });
    const noRange = { line: null, column: null, endLine: null, endColumn: null };
    const unplaced = ({ evidence, ...found }: ProblemOccurrence | Observation) =>
      JSON.stringify([{ ...found, ...noRange }, evidence.map((item) => ({ ...item, ...noRange }))]);
    const all = report.failures.flatMap((group) => group.occurrences);
    expect(all.length).toBeGreaterThan(1);
    expect(failures.map(unplaced).sort()).toEqual(all.map(unplaced).sort());
    expect(observations.map(unplaced).sort()).toEqual(report.observations.map(unplaced).sort());
    expect(gates).toEqual(report.gates.filter(({ scope }) => scope === 'session'));
  });

  it('leaves out a session if it is aborted while the rules run', async () => {
    const controller = new AbortController();
    const stopped = run([failing], { signal: controller.signal });
    controller.abort();
    const report = await stopped;
    expect(report.run.complete).toBe(false);
    expect(report).toMatchObject({ verdict: 'undecided', sessions: [], failures: [] });
  });

  it('reports no turns after an abort', async () => {
    const controller = new AbortController();
    const turns: number[] = [];
    const report = await run([session('s', [turn('t1'), turn('t2'), turn('t3')])], {
      signal: controller.signal,
      onEvent: (event) => {
        if (event.type !== 'turn') return;
        turns.push(event.turn.index);
        if (event.done === 2) controller.abort();
      },
    });
    expect(turns).toEqual([0, 1]);
    expect(report.sessions[0]?.turns).toHaveLength(3);
  });

  it('keeps finished sessions if it is aborted, and says so', async () => {
    const controller = new AbortController();
    const report = await run(
      [session('first', [turn('t1')]), session('second', [turn('t1')]), session('third', [turn('t1')])],
      {
        signal: controller.signal,
        onEvent: (event) => {
          if (event.type === 'session') controller.abort();
        },
      },
    );
    expect(report.sessions.map(({ id }) => id)).toEqual(['first']);
    expect(report).toMatchObject({ verdict: 'undecided', run: { complete: false } });
    expect(report.problems).toMatchObject([
      { code: 'interrupted', severity: 'warning', message: expect.stringContaining('2 of 3 sessions') },
    ]);
  });

  it('gates the attempts of a task together if that is the scope', async () => {
    const attempt = (id: string, calls: number) =>
      session(
        id,
        [turn('t1', { steps: Array.from({ length: calls }, () => ({ ...unknownCall(0), outcome: 'ok' as const })) })],
        {
          task: { id: 'task-1', dataset: 'd' },
        },
      );
    const gates = { thresholds: { tool_call_count: 2 }, failOn: 'never' } as const;
    const sessions = [attempt('a', 1), attempt('b', 3)];
    const scenario = await run(sessions, { input: { gates: { ...gates, scope: 'scenario' } } });
    expect(scenario.gates).toMatchObject([{ scope: 'scenario', subject: 'd · task-1', actual: 2, met: true }]);
    const each = await run(sessions, { input: { gates: { ...gates, scope: 'session' } } });
    expect(each.gates.map(({ subject, met }) => [subject, met])).toEqual([
      ['a', false],
      ['b', true],
    ]);
    expect(each.verdict).toBe('failed');
    const whole = await run(sessions, { input: { gates } });
    expect(whole.gates).toMatchObject([{ scope: 'run', subject: null, actual: 2, met: true }]);
    expect(whole.sessions.map(({ verdict }) => verdict)).toEqual(['failed', 'passed']);
    expect(whole.scenarios).toMatchObject([{ verdict: 'failed', attempts: 2, correct: 1, sessions: ['a', 'b'] }]);
  });

  it('gates task metrics of one task on that task alone, whatever the scope is', async () => {
    const sessions = ['refund', 'refund', 'cancel', 'cancel'].map((id, index) =>
      session(`${id}-${index}`, [turn('t1', { steps: [{ ...unknownCall(0), outcome: 'ok' }] })], {
        task: { id, dataset: 'd' },
      }),
    );
    const own = [{ task: 'refund', thresholds: { strategy_consistency: 0.5 } }];
    const gatesOf = async (scope: 'run' | 'scenario' | 'session', thresholds = {}) => {
      const { gates } = await run(sessions, { input: { gates: { thresholds, scope, failOn: 'never', for: own } } });
      return gates.map((gate) => `${gate.scope} ${gate.subject} ${gate.threshold} ${gate.of}`);
    };
    const ofTask = 'scenario d · refund 0.5 1';
    expect(await gatesOf('session')).toEqual([ofTask]);
    expect(await gatesOf('run', { strategy_consistency: 0.9 })).toEqual(['run null 0.9 1', ofTask]);
    expect(await gatesOf('scenario', { strategy_consistency: 0.9 })).toEqual([ofTask, 'scenario d · cancel 0.9 1']);
  });

  it('gates run metrics on the run, and task metrics never on single attempts', async () => {
    const thresholds = { completion_rate: 1, strategy_consistency: 0.5 };
    const sessions = ['a', 'b'].map((id) =>
      session(id, [turn('t1', { steps: [{ ...unknownCall(0), outcome: 'ok' }] })], {
        task: { id: '1', dataset: 'd' },
        scores: { reward: 1 },
      }),
    );
    const scopes = async (scope: 'run' | 'scenario' | 'session') => {
      const { gates } = await run(sessions, {
        input: { gates: { thresholds, scope, failOn: 'never', outcome: false } },
      });
      return Object.fromEntries(gates.map((gate) => [gate.metric, gate.scope]));
    };
    expect(await scopes('run')).toEqual({ completion_rate: 'run', strategy_consistency: 'run' });
    expect(await scopes('scenario')).toEqual({ completion_rate: 'run', strategy_consistency: 'scenario' });
    expect(await scopes('session')).toEqual({ completion_rate: 'run', strategy_consistency: 'run' });
  });
});
