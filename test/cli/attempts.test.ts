import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { Report } from '../../src/core/report.ts';
import { type CliResult, turnwise } from '../support/cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { agent, cancelling, chat, user } from '../support/traces.ts';

/** A trace that says nothing about tasks. */
const DONE = chat(user('Please refund order A-1001.'), agent('The refund of 42.50 EUR was issued today.'));
const UNANSWERED = chat(user('Please refund order A-1001.'), agent(''));

const RUNS = {
  'runs/refund-1.json': DONE,
  'runs/refund-2.json': UNANSWERED,
  'runs/cancel-1.json': DONE,
  'runs/cancel-2.json': DONE,
};
const PATTERN = '(?<task>[a-z]+)-(?<trial>\\d+)';

async function evaluate(files: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<CliResult> {
  await using folder = await temporaryFolder(files);
  return await turnwise(['eval', 'runs', '--fail-on', 'medium', '--record', 'none', ...args], { cwd: folder.path });
}

async function tasks(files: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const { stdout } = await evaluate(files, '--format', 'json', ...args);
  const report: Report = JSON.parse(stdout);
  return report.sessions.map(({ source, task }) => [
    source.file.slice('runs/'.length),
    task && [task.id, task.trial, task.agent].map((part) => part ?? '-').join(' '),
  ]);
}

/** An attempt of a task that cancels this order. */
describe('attempts of earlier runs', () => {
  it('gates all attempts of a task together, as gates.attempts of the configuration says', async () => {
    const settings = (passAtK: number) => JSON.stringify({ gates: { attempts: { k: 1, passAtK } } });
    const args = ['--task-by', PATTERN, '--correct-by', 'verdict'];
    const loose = await evaluate({ ...RUNS, 'turnwise.config.json': settings(0.5) }, ...args);
    expect([loose.code, loose.stderr]).toEqual([0, '']);
    const strict = await evaluate({ ...RUNS, 'turnwise.config.json': settings(0.6) }, ...args);
    expect(strict.stdout).toContain('pass@1 is 0.50 (unbiased), required: at least 0.60');
    expect(strict.code).toBe(1);
  });

  const trace = (order: string, answer: string) => JSON.stringify(cancelling(order, answer));
  const FILES = {
    '.git': '',
    'turnwise.config.yaml': `tasks:\n  by: { file: "${PATTERN.replace('\\', '\\\\')}" }\n`,
    'old/cancel-1.json': trace('A-1', 'Done.'),
    'old/cancel-2.json': trace('A-1', 'It is cancelled.'),
    'old/cancel-3.json': trace('A-1', 'I cancelled it.'),
    'new/cancel-4.json': trace('B-2', 'Your order is cancelled.'),
  };

  async function project() {
    const folder = await temporaryFolder(FILES);
    const run = (...args: readonly string[]) =>
      turnwise(args, { cwd: folder.path, env: { TURNWISE_HOME: `${folder.path}/home` } });
    const evaluated = async (...args: readonly string[]) => {
      const { stdout } = await run('eval', ...args, '--format', 'json');
      const report: Report = JSON.parse(stdout);
      const { agreement, risk } = {
        agreement: report.sessions.map(({ metrics }) => metrics.attempt_agreement),
        risk: report.sessions.map(({ metrics }) => metrics.session_risk),
      };
      return { report, agreement, risk };
    };
    const turnOff = () =>
      writeFile(`${folder.path}/off.yaml`, `${FILES['turnwise.config.yaml']}history: { attempts: false }\n`);
    return { run, evaluated, turnOff, [Symbol.asyncDispose]: folder[Symbol.asyncDispose] };
  }

  it('count beside those of the run, by the same version of the agent', async () => {
    await using folder = await project();
    await folder.evaluated('old', '--agent-version', '1');
    const { report, agreement, risk } = await folder.evaluated('new', '--agent-version', '1');
    expect(agreement).toMatchObject([
      {
        status: 'scored',
        score: 0,
        reason:
          'None of 3 other attempts made the same changes (3 of the 3 in earlier runs). 3 of 3 other attempts called `cancel_order` with other arguments; this one called `cancel_order` with `order_id` "B-2" instead.',
        evidence: [{ note: 'this attempt: `cancel_order` with `order_id` "B-2"' }],
        metadata: { others: 3, earlier: 3, withinRun: null },
      },
    ]);
    expect(risk).toMatchObject([{ metadata: { attempts: { others: 3, share: 0 } } }]);
    expect(report.observations.map(({ rule }) => rule)).toContain('outlier-attempt');
  });

  it('do not count for another version, without a version, without a record, or where it is turned off', async () => {
    await using folder = await project();
    await folder.evaluated('old', '--agent-version', '1');
    for (const args of [
      ['--agent-version', '2'],
      [],
      ['--agent-version', '1', '--record', 'none'],
      ['--agent-version', '1', '--config', 'off.yaml'],
    ]) {
      if (args.includes('off.yaml')) await folder.turnOff();
      const { agreement } = await folder.evaluated('new', ...args);
      expect(agreement).toMatchObject([{ status: 'needs_attempts' }]);
    }
  });

  it('are never the same session again, and runs are compared without them', async () => {
    await using folder = await project();
    await folder.evaluated('old', '--agent-version', '1');
    await folder.evaluated('new', '--agent-version', '1');
    const { agreement } = await folder.evaluated('old', '--agent-version', '1');
    expect(agreement).toMatchObject(Array(3).fill({ score: 2 / 3, metadata: { others: 3, earlier: 1, withinRun: 1 } }));
    const { stdout } = await folder.run('compare', 'last~2', 'last', '--format', 'json');
    const { comparability, metrics } = JSON.parse(stdout);
    expect(comparability).toEqual([]);
    expect(metrics.attempt_agreement).toMatchObject({ before: { mean: 1 }, after: { mean: 1 }, difference: 0 });
    expect(metrics.session_risk).toMatchObject({ difference: 0 });
  });
});

describe('traces of one task in a folder', () => {
  it('are no attempts while nothing says so', async () => {
    expect((await evaluate(RUNS)).stdout).not.toContain('Attempts');
  });

  it('are attempts by their file names, with pass@k and pass^k', async () => {
    const { stdout, stderr } = await evaluate(RUNS, '--task-by', PATTERN, '--correct-by', 'verdict');
    expect(stdout).toContain('Attempts\n  2 tasks, correct by verdict, unbiased estimator, 95% intervals\n');
    expect(stdout).toMatch(/ {5}1 {2}0\.75 .*\n {5}2 {2}1\.00 \[.*\] {4}0\.50 /);
    expect(stdout).toMatch(/! refund: 1 of 2 succeeded · pass\^2 0\.00 \[.*\] unbiased/);
    expect(stdout).toMatch(/✓ cancel: 2 of 2 succeeded · pass\^2 1\.00 \[.*\] unbiased: Reliable/);
    expect(stderr).toBe('');
  });

  it('have no estimate where no outcome is known and no threshold is set', async () => {
    const { stdout } = await evaluate(RUNS, '--task-by', PATTERN);
    expect(stdout).toContain('Attempts\n  no estimate for 2 tasks\n  4 attempts left out: no outcome says');
    expect(stdout).toMatch(/\? refund: 2 attempts, success unknown/);
  });

  it('are attempts by the configuration, with the file, the line and the remedy of a mistake', async () => {
    const config = (by: string) => ({ ...RUNS, 'turnwise.config.yaml': `tasks:\n  by: ${by}\n` });
    expect(await tasks(config(`{ file: "${PATTERN.replace('\\', '\\\\')}" }`))).toEqual([
      ['cancel-1.json', 'cancel 1 -'],
      ['cancel-2.json', 'cancel 2 -'],
      ['refund-1.json', 'refund 1 -'],
      ['refund-2.json', 'refund 2 -'],
    ]);
    expect((await evaluate(config('run-(\\d+)'))).stderr).toContain(
      'turnwise.config.yaml:2:3: tasks.by is "run-(\\\\d+)"; it must be a field, such as "metadata.task", or a regular expression that names its groups',
    );
    expect((await evaluate(config('taks'))).stderr).toContain(
      'turnwise.config.yaml: warning: tasks.by has no effect here: No session has a value at "taks".',
    );
  });

  it('are attempts by the sidecar, else by the option, else by the configuration, else by the trace', async () => {
    const traced = (task: object) =>
      JSON.stringify({ turnwise: 1, sessions: [{ id: 's', task, turns: [{ input: 'a', output: 'b' }] }] });
    const files = {
      'runs/refund-1.json': traced({ id: 'trace', trial: '7', agent: 'v1' }),
      'runs/refund-2.json': traced({ id: 'trace', agent: 'v1' }),
      'runs/refund-2.turnwise.json': '{ "task": { "id": "sidecar", "agent": "v2" } }',
      'runs/log.json': traced({ id: 'trace', trial: '9' }),
      'turnwise.config.json': JSON.stringify({ tasks: { by: 'source.format' } }),
    };
    expect(await tasks(files)).toEqual([
      ['log.json', 'turnwise 9 -'],
      ['refund-1.json', 'turnwise 7 v1'],
      ['refund-2.json', 'sidecar - v2'],
    ]);
    expect(await tasks(files, '--task-by', PATTERN)).toEqual([
      ['log.json', 'trace 9 -'],
      ['refund-1.json', 'refund 1 v1'],
      ['refund-2.json', 'sidecar 2 v2'],
    ]);
  });

  it.each([
    ['a field that no session has', 'nothing', '--task-by: No session has a value at "nothing".'],
    ['a pattern that matches nothing', 'x-(?<task>y)', '--task-by: No file name or session id matches "x-(?<task>y)".'],
    ['a pattern that may be slow', '(?<task>(\\w+)+)', 'it must be quick to match: begin it with "^"'],
  ])('are an input error with %s', async (_, by, message) => {
    const { code, stderr } = await evaluate(RUNS, '--task-by', by);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });
});

describe('a Fair Forge file with several assistants', () => {
  it('compares them as agents', async () => {
    const dataset = (session_id: string, assistant_id: string, assistant: string) => ({
      session_id,
      assistant_id,
      conversation: [{ qa_id: 'q1', query: 'Where is my parcel?', assistant }],
    });
    const file = [dataset('c1', 'v1', 'In Paris.'), dataset('c1', 'v2', 'In Lyon.'), dataset('c2', 'v1', 'In Lyon.')];
    const { stdout, stderr } = await evaluate({ 'runs/qa.json': JSON.stringify(file) }, '--format', 'json');
    const report: Report = JSON.parse(stdout);
    expect(report.sessions.map(({ id, task }) => [id, task?.id, task?.agent])).toEqual([
      ['c1-v1', 'c1', 'v1'],
      ['c1-v2', 'c1', 'v2'],
      ['c2', 'c2', 'v1'],
    ]);
    expect(report.scenarios.map(({ name, attempts }) => `${name}: ${attempts}`)).toEqual([
      'c1 · v1: 1',
      'c1 · v2: 1',
      'c2 · v1: 1',
    ]);
    expect(stderr).toBe('');
  });
});
