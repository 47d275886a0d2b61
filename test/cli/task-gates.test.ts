import { describe, expect, it } from 'vitest';
import type { Gate, Report } from '../../src/core/report.ts';
import { type CliResult, turnwise } from '../support/cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { agent, chat, GOOD, LOOPING, user } from '../support/traces.ts';

const UNANSWERED = chat(user('Please refund order A-1001.'), agent(''));

/** A session in Turnwise's own format whose agent repeats itself, with a problem of low severity. */
const SESSION = {
  turnwise: 1,
  id: 's',
  turns: ['Where is my parcel with the blue ribbon?', 'That was not my question. Which carrier has it?'].map(
    (input) => ({
      input,
      output: 'Your parcel left the warehouse on Monday and arrives tomorrow.',
    }),
  ),
};

/** The tasks refund-fast, refund-slow and cancel; agents repeat themselves in the first two. */
const RUNS = {
  'runs/refund-fast-1.json': LOOPING,
  'runs/refund-slow-1.json': LOOPING,
  'runs/cancel-1.json': GOOD,
};
const TASKS = { tasks: { by: '(?<task>.+)-(?<trial>\\d+)\\.json' } };

async function evaluate(gates: object, args: readonly string[] = [], runs: object = RUNS): Promise<CliResult> {
  const configuration = JSON.stringify({ ...TASKS, gates }, null, 2);
  await using folder = await temporaryFolder({ ...runs, 'turnwise.config.json': configuration });
  return await turnwise(['eval', 'runs', '--record', 'none', ...args], { cwd: folder.path });
}

/** The gates on one metric: scope, subject, threshold, and whether it is met. */
async function gatesOn(metric: string, gates: object, runs: object = RUNS) {
  const { stdout, code } = await evaluate(gates, ['--format', 'json'], runs);
  const report: Report = JSON.parse(stdout);
  const found = report.gates.filter((gate) => gate.metric === metric);
  return { code, report, found, gates: found.map(describeGate) };
}

const describeGate = ({ scope, subject, threshold, met }: Gate) => `${scope} ${subject} ${threshold} ${met}`;

const every = { loop_detection: 0.8 };

describe('thresholds in gates.for', () => {
  it('gate each task of the pattern, and no other gate counts its sessions', async () => {
    const strict = await gatesOn('loop_detection', { thresholds: every });
    expect(strict).toMatchObject({ code: 1, gates: ['run null 0.8 false'] });

    const relaxed = { thresholds: every, for: [{ task: 'refund-*', thresholds: { loop_detection: '0%' } }] };
    const { code, found, gates } = await gatesOn('loop_detection', relaxed);
    expect(code).toBe(0);
    expect(gates).toEqual(['run null 0.8 true', 'scenario refund-fast 0 true', 'scenario refund-slow 0 true']);
    expect(found.map(({ of }) => of)).toEqual([1, 1, 1]);
    expect(found[1]?.reason).toMatch(/^0\.00, required: at least 0\.00 \(gates\.for "refund-\*"\)$/);
  });

  it('fail the run for one task, whatever the mean of all sessions is', async () => {
    const own = { for: [{ task: 'refund-slow', thresholds: every }] };
    const { code, gates, report } = await gatesOn('loop_detection', own);
    expect({ code, gates }).toEqual({ code: 1, gates: ['scenario refund-slow 0.8 false'] });
    expect(report.scenarios.map(({ name, verdict }) => [name, verdict])).toEqual([
      ['cancel', 'passed'],
      ['refund-fast', 'passed'],
      ['refund-slow', 'failed'],
    ]);
  });

  it('come from the last entry that matches and has the metric', async () => {
    const all = { task: '*', thresholds: { loop_detection: 0.8 } };
    const slow = { task: '*-slow', thresholds: { loop_detection: 0 } };
    const level = { task: '*', failOn: 'critical' };
    const values = async (...entries: object[]) => (await gatesOn('loop_detection', { for: entries })).gates;
    expect(await values(all, slow, level)).toEqual([
      'scenario cancel 0.8 true',
      'scenario refund-fast 0.8 false',
      'scenario refund-slow 0 true',
    ]);
    expect(await values(slow, all)).toContain('scenario refund-slow 0.8 false');
  });

  it('gate each session with the scope session', async () => {
    const own = [{ task: 'refund-*', thresholds: { loop_detection: 0 } }];
    const { code, found } = await gatesOn('loop_detection', { scope: 'session', thresholds: every, for: own });
    expect(code).toBe(0);
    expect(found.map(({ scope, threshold }) => [scope, threshold]).sort()).toEqual([
      ['session', 0],
      ['session', 0],
      ['session', 0.8],
    ]);
  });
});

describe('failOn in gates.for', () => {
  const runs = { 'runs/refund-fast-1.json': UNANSWERED, 'runs/cancel-1.json': UNANSWERED };

  it('replaces the level for the tasks of the pattern, and the reason names the entry', async () => {
    const strict = { failOn: 'never', for: [{ task: 'refund-*', failOn: 'low' }] };
    const { code, found, report } = await gatesOn('severity', strict, runs);
    expect(code).toBe(1);
    expect(found).toMatchObject([{ threshold: 'low', met: false }]);
    expect(found[0]?.reason).toMatch(/^a \w+ problem was found, low fails \(gates\.for "refund-\*"\)$/);
    expect(report.scenarios.map(({ name, verdict }) => [name, verdict])).toEqual([
      ['cancel', 'passed'],
      ['refund-fast', 'failed'],
    ]);

    const relaxed = {
      failOn: 'low',
      for: [
        { task: 'refund-*', failOn: 'low' },
        { task: '*', failOn: 'never' },
      ],
    };
    expect(await gatesOn('severity', relaxed, runs)).toMatchObject({ code: 0, gates: [] });
  });
});

describe('tags in gates.for', () => {
  const tagged = (tags?: readonly string[]) => JSON.stringify({ ...SESSION, ...(tags && { tags }) });

  it('gate the tasks and sessions that have the tag, and of several entries the last one counts', async () => {
    const entries = [
      { tag: 'refund*', thresholds: { loop_detection: 0.8 } },
      { task: 'refund-slow', thresholds: { loop_detection: 0 } },
    ];
    const sidecar = { task: { id: 'refund-slow' }, tags: ['slow'], sessions: [{ id: 's', tags: ['refunds'] }] };
    const runs = {
      'runs/refund-fast-1.json': tagged(['refunds', 'beta']),
      'runs/refund-slow-1.json': tagged(),
      'runs/refund-slow-1.turnwise.json': JSON.stringify(sidecar),
      'runs/cancel-1.json': tagged(['cancel']),
    };
    const { code, found, gates, report } = await gatesOn('loop_detection', { for: entries }, runs);
    expect(report.sessions.map(({ tags }) => tags)).toEqual([['cancel'], ['refunds', 'beta'], ['refunds', 'slow']]);
    expect(gates).toEqual(['scenario refund-fast 0.8 false', 'scenario refund-slow 0 true']);
    expect(found[0]?.reason).toContain('(gates.for tag "refund*")');
    expect(code).toBe(1);

    const reversed = await gatesOn('loop_detection', { for: entries.toReversed() }, runs);
    expect(reversed.gates).toContain('scenario refund-slow 0.8 false');
  });

  it('are those of all attempts for a task, and replace the gate of the run for all of them', async () => {
    const gates = { thresholds: every, for: [{ tag: 'beta', thresholds: { loop_detection: 0 } }] };
    const runs = { 'runs/refund-1.json': tagged(['beta']), 'runs/refund-2.json': tagged() };
    const { code, gates: found } = await gatesOn('loop_detection', gates, runs);
    expect({ code, found }).toEqual({ code: 0, found: ['scenario refund 0 true'] });
  });

  it('gate a session of no task itself', async () => {
    const configuration = { gates: { for: [{ tag: 'beta', failOn: 'low', thresholds: { loop_detection: 0.8 } }] } };
    const files = { 'a.json': tagged(['beta']), 'turnwise.config.json': JSON.stringify(configuration) };
    await using folder = await temporaryFolder(files);
    const { code, stdout } = await turnwise(['eval', 'a.json', '--record', 'none', '--format', 'json'], {
      cwd: folder.path,
    });
    const { gates }: Report = JSON.parse(stdout);
    expect(code).toBe(1);
    expect(gates.map(({ metric, threshold, met }) => [metric, threshold, met])).toEqual([
      ['loop_detection', 0.8, false],
      ['severity', 'low', false],
    ]);
  });

  it('warn of a tag that no session has, and --dry-run counts the sessions that have one', async () => {
    const entries = [
      { tag: 'beta', failOn: 'low' },
      { tag: 'bteA', failOn: 'low' },
    ];
    const runs = { 'runs/refund-1.json': tagged(['beta', 'x']), 'runs/refund-2.json': tagged(['beta']) };
    const { stdout, stderr } = await evaluate({ for: entries }, ['--dry-run'], runs);
    expect(stdout).toContain('  tag "beta" (2 sessions): fails on low\n  tag "bteA" (0 sessions): fails on low\n');
    expect(stderr).toContain(
      'turnwise.config.json:12:9: warning: gates.for[1].tag "bteA" matches no session and has no effect. Use * for any characters. Tags: beta, x.\n',
    );
    expect((await evaluate({ for: entries }, [], RUNS)).stderr).toContain(
      'No session has a tag: "tags" are in the trace, in its sidecar or in its scenario.',
    );
  });
});

describe('mistakes in gates.for', () => {
  it.each([
    [{ task: 'a', thresholds: { lop_detection: 1 } }, 'Unknown metric "lop_detection". Did you mean "loop_detection"?'],
    [{ task: 'a', thresholds: { loop_detection: 7 } }, 'gates.for[0].thresholds.loop_detection is 7, but the scale'],
    [{ task: 'a', thresholds: { completion_rate: 1 } }, 'completion_rate is one figure of the whole run'],
    [{ task: 'a' }, 'gates.for[0] is an object; it must have "thresholds" or "failOn".'],
    [{ task: 'a', failon: 'low' }, 'Unknown key "failon" in gates.for[0]. Did you mean "failOn"?'],
    [{ task: 'a', failOn: 'hihg' }, 'gates.for[0].failOn is "hihg"; it must be'],
    [{ failOn: 'low' }, 'gates.for[0] is an object; it must have either "task" or "tag".'],
    [{ task: 'a', tag: 'b', failOn: 'low' }, 'gates.for[0] is an object; it must have either "task" or "tag".'],
  ])('%j is an error with its line', async (entry, sentence) => {
    const { code, stderr } = await evaluate({ for: [entry] });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^turnwise\.config\.json:\d+:\d+: /);
    expect(stderr).toContain(sentence);
  });

  it('warn of patterns that no task has, with the tasks there are', async () => {
    const entries = [
      { task: 'refund-*', failOn: 'low' },
      { task: 'refnd-*', failOn: 'low' },
    ];
    const sentence =
      'turnwise.config.json:12:9: warning: gates.for[1].task "refnd-*" matches no task and has no effect. Use * for any characters. Tasks: cancel, refund-fast, refund-slow.\n';
    const { stderr, stdout } = await evaluate({ for: entries });
    expect(stderr).toContain(sentence);
    expect(stdout).toContain('3 sessions');
    expect((await evaluate({ for: entries }, ['--dry-run'])).stderr).toContain(sentence);
    expect((await evaluate({ for: entries }, ['--sample', '1'])).stderr).not.toContain('gates.for');
    expect((await evaluate({ for: entries.slice(0, 1) })).stderr).toBe('');
  });

  it('say how to name tasks where no session has one', async () => {
    const untold = { tasks: undefined, gates: { for: [{ task: 'x', failOn: 'low' }] } };
    await using folder = await temporaryFolder({ 'a.json': GOOD, 'turnwise.config.json': JSON.stringify(untold) });
    const { code, stderr } = await turnwise(['eval', 'a.json', '--record', 'none'], { cwd: folder.path });
    expect(code).toBe(0);
    expect(stderr).toContain('No session has a task: name tasks with "tasks.by" in the configuration.');
  });
});

describe('turnwise eval --dry-run', () => {
  it('shows which gates differ, and for how many tasks', async () => {
    const gates = {
      thresholds: every,
      for: [
        { task: 'refund-*', thresholds: { loop_detection: '80%' }, failOn: 'low' },
        { task: 'cancel', failOn: 'never' },
      ],
    };
    const { stdout } = await evaluate(gates, ['--dry-run']);
    expect(stdout).toContain(
      'Instead for some tasks or tags; of several that match, the last one counts\n  "refund-*" (2 tasks): loop_detection 0.8, fails on low\n  "cancel" (1 task): fails on no severity\n',
    );
    const json = JSON.parse((await evaluate(gates, ['--dry-run', '--format', 'json'])).stdout);
    expect(json.taskGates).toEqual([
      { task: 'refund-*', thresholds: { loop_detection: 0.8 }, failOn: 'low', tasks: 2, sessions: 2 },
      { task: 'cancel', failOn: 'never', tasks: 1, sessions: 1 },
    ]);
  });
});
