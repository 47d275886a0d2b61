import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunPlan } from '../../src/core/run-plan.ts';
import type { RecordedRun, RecordedSession, RunManifest } from '../../src/core/run-record.ts';
import { runComparisonSchema } from '../../src/core/schemas/run-comparison.ts';
import { recordedProject } from '../support/recorded-project.ts';
import { attemptRow, planMetric, recordedRun, sessionRow } from '../support/recorded-runs.ts';

/** A project with these recorded runs, the oldest first. */
async function projectWith(runs: readonly RecordedRun[], files: Readonly<Record<string, string>> = {}) {
  const project = await recordedProject(runs, files);
  const compare = (...args: string[]) => project.run('compare', ...args);
  return {
    ...project,
    compare,
    async comparison(...references: string[]) {
      const { stdout, stderr, code } = await compare(...references, '--format', 'json');
      expect([code, stderr]).toEqual([0, '']);
      return runComparisonSchema.parse(JSON.parse(stdout));
    },
  };
}

type Settings = Partial<Omit<RunManifest, 'plan'>> & { plan?: Partial<RunPlan> };

/** The n-th run of a day. */
function run(n: number, rows: readonly RecordedSession[], settings: Settings = {}): RecordedRun {
  const startedAt = `2026-11-0${n}T09:00:00.000Z`;
  return recordedRun(rows, { id: `2026110${n}T090000000Z-0000000${n}`, startedAt, ...settings });
}

const TASKS = Array.from({ length: 60 }, (_, index) => `task ${index}`);

function attempts(share: number, given: Partial<RecordedSession> = {}): RecordedSession[] {
  return TASKS.flatMap((task, index) =>
    [0, 1].map((trial) => attemptRow(task, trial, ((7 * index + 31 * trial) % 60) / 60 < share, given)),
  );
}

describe('turnwise compare', () => {
  it('says in its first line that the newer run is worse, then which sessions flipped, with their lines', async () => {
    await using project = await projectWith([
      run(1, attempts(0.9, { line: 3 })),
      run(2, attempts(0.6, { line: 8, file: 'new/traces.json' }), { name: 'new prompt' }),
    ]);
    const { stdout, code } = await project.compare('last~1', 'new prompt');
    expect(code).toBe(0);
    const [first = ''] = stdout.split('\n');
    expect(first).toMatch(/^Worse \(correct\): 90 % before, 60 % after over 60 tasks: beyond chance/);
    expect(stdout).toContain('Flips 36 worse');
    expect(stdout).toMatch(
      /✗ task \d+ \(2 of 2 attempts before, 1 of 2 after\)\n\s+new\/traces\.json:8 {2}after: Failed: reward 0\.0/,
    );
    expect(stdout).toMatch(/traces\/task \d+-\d\.json:3 {2}before: Succeeded/);
    expect(stdout).toMatch(/✗ worse\n\s+correct\s.*-30 points\s+-[\d.]+ to -[\d.]+/);
    expect(stdout).toContain('26 more: --verbose');
  });

  it('shows the interval of every difference in 80 columns, with names as long as those of metrics', async () => {
    const name = 'tool_selection_accuracy_of_agents';
    const plan = { metrics: [planMetric(name)] };
    const rows = (score: number) =>
      TASKS.map((id, index) => sessionRow({ id, scores: { [name]: score + index / 300 } }));
    await using project = await projectWith([run(1, rows(0.2), { plan }), run(2, rows(0.7), { plan })]);
    const { stdout } = await project.compare('last~1', 'last');
    expect(stdout).toMatch(/Metric .*Difference +95 % interval/);
    expect(stdout).toMatch(/✓ better\n {4}tool_selection_accuracy_of_agen… .*\+0\.5 +0\.5 to 0\.5/);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  it('lists metrics without a value in both runs in one line, not as results', async () => {
    const rows = (name: string) => TASKS.map((id) => attemptRow(id, 0, true, { scores: { [name]: 1 } }));
    const plan = { metrics: [planMetric('empathy'), planMetric('clarity')] };
    await using project = await projectWith([run(1, rows('empathy'), { plan }), run(2, rows('clarity'), { plan })]);
    const { stdout } = await project.compare('last~1', 'last');
    expect(stdout).toContain('○ no value in both runs: empathy, clarity\n');
    expect(stdout).not.toContain('not comparable');
    const markdown = await project.compare('last~1', 'last', '--format', 'markdown');
    expect(markdown.stdout).toContain('No value in both runs: empathy, clarity\n');
    expect(markdown.stdout).not.toContain('| empathy |');
  });

  it('writes JSON with the keys that scripts read', async () => {
    await using project = await projectWith([run(1, attempts(0.6)), run(2, attempts(0.9))]);
    const { metrics, flips, onlyIn } = await project.comparison('last~1', 'last');
    expect(metrics.correct).toMatchObject({ conclusion: 'better', pairs: 120, reason: expect.any(String) });
    expect(metrics.correct?.difference).toBeCloseTo(0.3);
    expect(metrics.correct?.ci95).toHaveLength(2);
    expect(metrics.correct?.p).toBeLessThan(0.001);
    expect(flips).toHaveLength(36);
    expect(onlyIn.map(({ tasks }) => tasks)).toEqual([[], []]);
  });

  it('ranks three runs and says which places cannot be told apart', async () => {
    await using project = await projectWith([
      run(1, attempts(0.4), { name: 'weak' }),
      run(2, attempts(0.9), { name: 'strong' }),
      run(3, attempts(0.4), { name: 'alike' }),
    ]);
    const { stdout } = await project.compare('weak', 'strong', 'alike');
    expect(stdout).toMatch(/correct higher is better\n\s+✓ 1\s+strong\s+90 %/);
    expect(stdout).toMatch(/2\s+weak\s+40 %/);
    expect(stdout).toContain('strong differs from every other run beyond chance, over 60 tasks.');
    expect(stdout).toMatch(/Least reliable tasks\n.*correct.*\n {2}task \d+ +[01] of 6/);
  });

  it('lists which sessions fail in which of three runs, those that fail in most runs first', async () => {
    const rows = (...failed: readonly string[]) =>
      ['a', 'b', 'c'].map((task) => attemptRow(task, 0, !failed.includes(task)));
    await using project = await projectWith([
      run(1, rows('b'), { name: 'one' }),
      run(2, rows('a', 'b'), { name: 'two' }),
      run(3, rows('a').slice(0, 2), { name: 'three' }),
    ]);
    const { stdout } = await project.compare('one', 'two', 'three');
    expect(stdout).toMatch(/Different in the runs 2 sessions: ✓ succeeded or passed, ✗ failed/);
    expect(stdout).toMatch(/ {3}1 {2}2 {2}3\n {2}a \(attempt 0\) {2}✓ {2}✗ {2}✗\n {4}traces\/a-0\.json:1 {2}2: Failed/);
    expect(stdout).toMatch(/ {2}b \(attempt 0\) {2}✗ {2}✗ {2}✓\n {4}traces\/b-0\.json:1 {2}1: Failed/);
    expect(stdout).not.toContain('c (attempt 0)  ');
    const { changedSessions } = await project.comparison('one', 'two', 'three');
    expect(changedSessions.map(({ task, sessions }) => [task, sessions.map((one) => one?.verdict)])).toEqual([
      ['a', ['passed', 'failed', 'failed']],
      ['b', ['failed', 'failed', 'passed']],
    ]);
    const markdown = await project.compare('one', 'two', 'three', '--format', 'markdown');
    expect(markdown.stdout).toContain('| a (attempt 0) | succeeded | failed | failed |');
  });

  it('writes Markdown in which text of traces is no markup', async () => {
    const headline = { kind: 'failed', text: 'Failed: <img src=x> [click](http://e.vil)', turn: 0 } as const;
    await using project = await projectWith([run(1, attempts(0.9)), run(2, attempts(0.6, { headline }))]);
    const { code } = await project.compare('last~1', 'last', '--format', 'markdown', '--out', 'comparison.md');
    const text = await readFile(join(project.path, 'comparison.md'), 'utf8');
    expect(code).toBe(0);
    expect(text).toContain('**Worse (correct)**');
    expect(text).toContain('| worse | correct | 90 % | 60 % |');
    expect(text).toContain('\\<img src=x\\> \\[click\\](http\\://e.vil)');
  });

  it('moves no cursor and sets no color with text of traces', async () => {
    const headline = { kind: 'failed', text: 'Failed: \u001b[2J\u001b[31mred', turn: 0 } as const;
    await using project = await projectWith([run(1, attempts(0.9)), run(2, attempts(0.6, { headline }))]);
    const { stdout } = await project.compare('last~1', 'last');
    expect(stdout).not.toContain('\u001b');
  });
});

describe('what cannot be compared', () => {
  const plan = { metrics: [planMetric('helpfulness', { threshold: 0.5 })], judge: { provider: 'openai', model: 'a' } };
  const settings = { plan, questions: { helpfulness: 'question 1' } };
  const judged = (score: number, ids: readonly string[] = TASKS) =>
    ids.map((id) => sessionRow({ id, scores: { helpfulness: score }, judged: ['helpfulness'] }));

  it.each<[string, RecordedRun, RegExp, RegExp]>([
    [
      'a changed judge',
      run(2, judged(0.2), { ...settings, plan: { ...plan, judge: { provider: 'openai', model: 'b' } } }),
      /^The judge changed: openai\/a in .*, openai\/b in /,
      /60 of 60 sessions would have to be judged/,
    ],
    [
      'a changed question',
      run(2, judged(0.2), { ...settings, questions: { helpfulness: 'question 2' } }),
      /the question of helpfulness changed\.$/,
      /^Evaluate .* again/,
    ],
    [
      'changed tasks',
      run(
        2,
        judged(
          0.2,
          TASKS.map((task) => `other ${task}`),
        ),
        settings,
      ),
      /have no task in common\.$/,
      /--task-by/,
    ],
    [
      'a partial run',
      run(2, judged(0.2), { ...settings, state: 'interrupted', stoppedBy: 'Ctrl+C' }),
      /is incomplete \(Ctrl\+C\): it has 60 sessions so far/,
      /turnwise eval --resume/,
    ],
  ])('withholds the difference after %s, with the reason and what to do', async (_, second, reason, remedy) => {
    await using project = await projectWith([run(1, judged(0.8), settings), second]);
    const { metrics, comparability } = await project.comparison('last~1', 'last');
    expect(metrics.helpfulness).toMatchObject({ conclusion: 'not comparable', difference: null, p: null });
    expect(metrics.helpfulness?.reason).toMatch(reason);
    expect(comparability[0]?.remedy).toMatch(remedy);
    const { stdout } = await project.compare('last~1', 'last');
    expect(stdout.replace(/\s+/g, ' ')).toContain(comparability[0]?.reason);
    expect(stdout).toMatch(/\n {2}○ not comparable: .*helpfulness/);
  });

  it('does not say that no session changed where none was compared', async () => {
    const others = judged(
      0.2,
      TASKS.map((task) => `other ${task}`),
    );
    await using project = await projectWith([run(1, judged(0.8), settings), run(2, others, settings)]);
    for (const format of ['table', 'markdown']) {
      const { stdout } = await project.compare('last~1', 'last', '--format', format);
      expect(stdout.replace(/\s+/g, ' ')).toContain('Nothing is compared.');
      expect(stdout).not.toContain('No session changed');
    }
  });

  it('does not attribute a difference to a commit whose tree was dirty', async () => {
    const git = { commit: 'abcdef0123', branch: 'main', dirty: true };
    await using project = await projectWith([run(1, judged(0.8), settings), run(2, judged(0.2), { ...settings, git })]);
    const { stdout } = await project.compare('last~1', 'last');
    expect(stdout).toContain('main@abcdef0+changes');
    expect(stdout.replace(/\s+/g, ' ')).toContain('was evaluated with uncommitted changes');
  });
});

describe('what is named as a run', () => {
  const trace = (output: string) =>
    JSON.stringify({
      turnwise: 1,
      id: 's',
      outcome: output === 'yes' ? 'succeeded' : 'failed',
      turns: [{ input: 'hi', output }],
    });

  it('can be a JSON report, and says what a report does not contain', async () => {
    await using project = await projectWith([], { 'a/trace.json': trace('yes'), 'b/trace.json': trace('no') });
    for (const name of ['a', 'b']) {
      await project.run('eval', name, '--format', 'json', '--out', `${name}.json`);
    }
    const { flips, comparability } = await project.comparison('a.json', 'b.json');
    expect(flips).toMatchObject([
      { direction: 'worse', before: { file: 'a/trace.json' }, after: { file: 'b/trace.json' } },
    ]);
    expect(comparability[0]?.reason).toMatch(/^a\.json and b\.json are JSON reports/);
  });

  it.each([
    [['last'], /compare takes 2 to 8 runs/],
    [['last', 'nothing'], /There is no run "nothing"\. `turnwise history` lists the 1 run of this project\./],
    [['last', 'last~1'], /This project has only 1 finished run/],
    [['last', 'trace.json'], /trace\.json cannot be compared: it is no JSON report of Turnwise/],
    [['last', 'last', '--out', 'none/x.json'], /there is no folder none/],
  ])('refuses %j with what to do', async (args, message) => {
    await using project = await projectWith([run(1, attempts(1))], { 'trace.json': trace('yes') });
    const { stderr, stdout, code } = await project.compare(...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  });
});
