import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { evaluateFiles } from '../../src/app/evaluate-files.ts';
import { evaluate } from '../../src/index.ts';
import { shortRunId } from '../../src/runs/run-label.ts';
import type { RunRecord, RunStore } from '../../src/runs/run-store.ts';
import { projectKey } from '../../src/store/runs/record-folder.ts';
import { openRunStore } from '../../src/store/runs/run-store.ts';
import { type CliOptions, type CliResult, turnwise } from '../support/cli.ts';
import { githubToken } from '../support/github-token.ts';
import { answer, hang, type StubModels, startStubModels } from '../support/stub-models.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { agent, chat, GOOD, LOOPING, user } from '../support/traces.ts';

/** A folder with traces and a data folder of its own, and the command line in it. */
async function project(files: Readonly<Record<string, string>>) {
  const folder = await temporaryFolder({ '.git': '', ...files });
  const home = join(folder.path, 'home');
  const run = (args: readonly string[], options: Omit<CliOptions, 'cwd'> = {}): Promise<CliResult> =>
    turnwise(['eval', ...args], { cwd: folder.path, ...options, env: { TURNWISE_HOME: home, ...options.env } });
  const store = () => openRunStore(home, { cwd: folder.path, warn: (sentence) => expect.fail(sentence) });
  return { path: folder.path, home, run, store, [Symbol.asyncDispose]: folder[Symbol.asyncDispose] };
}

async function lastRun(folder: { readonly path: string; readonly store: () => RunStore }): Promise<RunRecord> {
  using store = folder.store();
  return await store.find('last', folder.path);
}

const RUN_LINE = /^Recorded as run ([0-9a-f]{8})(: turnwise compare last~1 last)?$/m;

describe('recording a run', () => {
  it('keeps no run without sessions, which has nothing to open or to compare', async () => {
    await using folder = await project({ 'a.json': '{"name": "x"}', 'b.json': GOOD });
    const empty = await folder.run(['a.json']);
    expect([empty.code, RUN_LINE.exec(empty.stderr)]).toEqual([2, null]);
    using store = folder.store();
    expect(store.list({ project: folder.path })).toEqual([]);
    await folder.run(['a.json', 'b.json']);
    expect(store.list({ project: folder.path })).toHaveLength(1);
  });

  it('says which questions changed since the last run with the same judge, and how many calls that may cost', async () => {
    await using stub = await startStubModels(() => answer({ tone_1: { evidence: [], reason: 'It is.', score: 4 } }));
    await using folder = await project({ 'a.json': GOOD });
    const judge = ['--judge', 'openai:judge-1', '--judge-url', stub.openai];
    const evaluate = async (rubric: string, ...args: string[]) => {
      const custom = [{ name: 'tone', rubric }];
      await writeFile(join(folder.path, 'turnwise.config.json'), JSON.stringify({ custom }));
      const { stderr } = await folder.run(['a.json', ...judge, '--metrics', 'tone', '--fail-on', 'never', ...args]);
      return stderr.split('\n').filter((line) => line.startsWith('Since run'));
    };
    expect(await evaluate('The answer is friendly.')).toEqual([]);
    expect(await evaluate('The answer is friendly.')).toEqual([]);
    const { manifest } = await lastRun(folder);
    const { judgeCalls = 0, judgeCallsCached = 0 } = manifest.totals?.usage ?? {};
    expect(judgeCalls + judgeCallsCached).toBeGreaterThan(1);
    expect(await evaluate('The answer is short.')).toEqual([
      `Since run ${shortRunId(manifest.id)}, the question of tone changed. Earlier answers are not used for it, and its scores cannot be compared. That run needed ${judgeCalls + judgeCallsCached} calls for 1 session; the same sessions need up to as many again.`,
    ]);
    expect(await evaluate('The answer is short.')).toEqual([]);
    expect(await evaluate('The answer is long.', '--quiet')).toEqual([]);
  });

  it('is the default, names the run, and proposes a comparison as soon as there are two', async () => {
    await using folder = await project({ 'a.json': GOOD, 'b.json': LOOPING });
    const first = await folder.run(['a.json', 'b.json', '--name', 'before']);
    const second = await folder.run(['a.json', 'b.json', '--agent-version', 'v2', '--fail-on', 'low']);
    expect([first.code, second.code]).toEqual([0, 1]);
    expect(RUN_LINE.exec(first.stderr)?.[2]).toBeUndefined();
    expect(RUN_LINE.exec(second.stderr)?.[2]).toBe(': turnwise compare last~1 last');
    expect(second.stderr.trimEnd().split('\n').at(-1)).toMatch(RUN_LINE);

    using store = folder.store();
    const before = await store.find('before', folder.path);
    expect(before.manifest).toMatchObject({
      name: 'before',
      state: 'complete',
      project: folder.path,
      inputs: ['a.json', 'b.json'],
      git: null,
      agent: { version: null, versionFrom: null },
      totals: { sessions: 2, turns: 4, verdict: 'passed', verdicts: { passed: 2, failed: 0, undecided: 0 } },
    });
    const last = await store.find(RUN_LINE.exec(second.stderr)?.[1] ?? '', folder.path);
    expect(last.manifest).toMatchObject({
      agent: { version: 'v2', versionFrom: 'option' },
      totals: { verdict: 'failed', verdicts: { passed: 1, failed: 1 } },
    });
    expect(last.manifest.tasksHash).toBe(before.manifest.tasksHash);
    expect(last.manifest.configuration).not.toBe(before.manifest.configuration);
    const rows = await last.rows();
    expect(rows.map(({ file, verdict }) => [file, verdict])).toEqual([
      ['a.json', 'passed'],
      ['b.json', 'failed'],
    ]);
    expect(new Set(rows.flatMap(({ inputs, content }) => [inputs, content])).size).toBe(4);
  });

  it('stores the lines of what was found, and the same outcome as the report', async () => {
    await using folder = await project({ 'b.jsonl': `${LOOPING.replaceAll('\n', ' ')}\n` });
    const { stdout } = await folder.run(['b.jsonl', '--format', 'json']);
    const report = JSON.parse(stdout);
    const record = await lastRun(folder);
    const [outcome] = await collect(record.sessions());
    expect(outcome?.problems.length).toBeGreaterThan(0);
    expect(outcome?.problems.map(({ occurrence }) => occurrence)).toEqual(
      expect.arrayContaining(report.failures.flatMap(({ occurrences }: { occurrences: unknown[] }) => occurrences)),
    );
    expect(outcome?.problems.every(({ occurrence }) => occurrence.line !== null)).toBe(true);
    expect(record.manifest.id).toBe(report.run.id);
    expect(outcome?.turns).toEqual(report.sessions[0].turns);
  });

  it('names the version of the agent that the traces name', async () => {
    const resource = { attributes: [{ key: 'service.version', value: { stringValue: '2.4.1' } }] };
    const span = {
      traceId: '0af7651916cd43dd8448eb211c80319c',
      spanId: 'b7ad6b7169203331',
      name: 'invoke_agent shop',
      startTimeUnixNano: '1780000000000000000',
      endTimeUnixNano: '1780000001000000000',
      attributes: [
        { key: 'gen_ai.operation.name', value: { stringValue: 'invoke_agent' } },
        { key: 'gen_ai.agent.name', value: { stringValue: 'shop' } },
      ],
    };
    const atif = {
      schema_version: 'ATIF-v1.4',
      session_id: 's',
      agent: { name: 'harness', version: '2.4.1', model_name: 'm' },
      steps: [
        { step_id: 1, source: 'user', message: 'Hello' },
        { step_id: 2, source: 'agent', message: 'Hello, how can I help?' },
      ],
    };
    await using folder = await project({
      'a.json': JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans: [span] }] }] }),
      'b.json': JSON.stringify(atif),
    });
    await folder.run(['a.json', 'b.json']);
    const { manifest } = await lastRun(folder);
    expect(manifest.totals?.sessions).toBe(2);
    expect(manifest.agent).toMatchObject({ version: '2.4.1', versionFrom: 'trace' });
  });

  it('knows the commit, the branch and whether anything was changed', async () => {
    await using folder = await temporaryFolder({ 'a.json': GOOD });
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args], {
        cwd: folder.path,
        encoding: 'utf8',
      }).trim();
    git('init', '--quiet', '--initial-branch=main');
    git('add', 'a.json');
    git('commit', '--quiet', '--no-gpg-sign', '--message', 'first');
    const home = join(folder.path, 'home');
    await turnwise(['eval', 'a.json'], { cwd: folder.path, env: { TURNWISE_HOME: home } });
    using store = openRunStore(home, { cwd: folder.path, warn: (sentence) => expect.fail(sentence) });
    const commit = git('rev-parse', 'HEAD');
    expect((await store.find('last', folder.path)).manifest).toMatchObject({
      git: { commit, branch: 'main', dirty: false },
      agent: { version: commit.slice(0, 12), versionFrom: 'git' },
    });
  });

  it('does not happen with --record none or history.record: false, and leaves no trace', async () => {
    await using folder = await project({ 'a.json': GOOD });
    const { code, stderr } = await folder.run(['a.json', '--record', 'none']);
    await writeFile(join(folder.path, 'turnwise.config.json'), '{ "history": { "record": false } }');
    const configured = await folder.run(['a.json']);
    expect([code, configured.code]).toEqual([0, 0]);
    expect(stderr + configured.stderr).not.toContain('Recorded');
    await expect(stat(folder.home)).rejects.toThrow();
  });

  it('goes where --record says, also where the configuration records nothing', async () => {
    await using folder = await project({
      'a.json': GOOD,
      'turnwise.config.json': '{ "history": { "record": false } }',
    });
    const { stderr } = await folder.run(['a.json', '--record', 'kept']);
    const [id = ''] = await readdir(join(folder.path, 'kept'));
    expect(stderr).toContain(`Recorded as run ${id.slice(-8)}`);
    using store = folder.store();
    expect((await store.find(join(folder.path, 'kept', id), folder.path)).manifest.state).toBe('complete');
    expect(store.list({ project: folder.path }).map(({ manifest }) => manifest.id)).toEqual([id]);
  });

  it('replaces an earlier record, and no other file', async () => {
    await using folder = await project({ 'a.json': GOOD, 'data.zip': 'PK, and something else' });
    await mkdir(join(folder.path, 'folder.zip'));
    for (const file of ['data.zip', 'folder.zip']) {
      const { code, stdout, stderr } = await folder.run(['a.json', '--record', file]);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain(`--record ${file}: `);
      expect(stderr).toContain('is not a recorded run, and is not replaced. Name another file.');
    }
    expect(await readFile(join(folder.path, 'data.zip'), 'utf8')).toBe('PK, and something else');
    const ids = [];
    for (const _ of [1, 2]) {
      expect((await folder.run(['a.json', '--record', 'run.zip'])).code).toBe(0);
      using store = folder.store();
      ids.push((await store.find('./run.zip', folder.path)).manifest.id);
    }
    expect(new Set(ids).size).toBe(2);
    const exported = await turnwise(['history', 'export', 'last', 'data.zip'], {
      cwd: folder.path,
      env: { TURNWISE_HOME: folder.home },
    });
    expect([exported.code, exported.stderr]).toEqual([2, expect.stringContaining('is not replaced')]);
    expect(await readFile(join(folder.path, 'data.zip'), 'utf8')).toBe('PK, and something else');
  });

  it('can be exported where it is one file', async () => {
    await using folder = await project({ 'a.json': GOOD });
    await folder.run(['a.json', '--record', 'run.turnwise.zip']);
    const { code, stderr } = await turnwise(['history', 'export', 'last', 'copy.turnwise.zip'], {
      cwd: folder.path,
      env: { TURNWISE_HOME: folder.home },
    });
    expect([code, stderr]).toEqual([0, expect.stringContaining('to copy.turnwise.zip.')]);
    const copy = await readFile(join(folder.path, 'copy.turnwise.zip'));
    expect(copy).toEqual(await readFile(join(folder.path, 'run.turnwise.zip')));
  });

  it('is not taken for a trace by the next run, nor is its report', async () => {
    await using folder = await project({ 'a.json': GOOD });
    const args = ['.', '--record', 'kept', '--report', 'json=report.json'];
    await folder.run(args);
    expect((await folder.run(args)).stderr).not.toContain('not a trace');
  });

  it('keeps as many runs as history.keep says, and --verbose says how many were deleted', async () => {
    await using folder = await project({ 'a.json': GOOD, 'turnwise.config.json': '{ "history": { "keep": 2 } }' });
    await folder.run(['a.json', '--name', 'first']);
    await folder.run(['a.json']);
    const { stderr } = await folder.run(['a.json', '--verbose']);
    expect(stderr).toMatch(/^Deleted 1 run since \d{4}-\d\d-\d\d: 2 are kept per project, and at most 1 GB/m);
    using store = folder.store();
    expect(store.list({ project: folder.path })).toHaveLength(2);
    await expect(store.find('first', folder.path)).rejects.toThrow('There is no run "first"');
  });

  it('has the sessions without their secrets with --with-transcripts, and else none', async () => {
    const secret = githubToken(1);
    const trace = chat(user(`My key is ${secret}.`), agent('Thank you.'));
    await using folder = await project({ 'a.json': trace });
    await folder.run(['a.json']);
    const without = await lastRun(folder);
    const [outcome] = await collect(without.sessions());
    expect(await without.transcript(outcome?.id ?? '')).toBeNull();

    await folder.run(['a.json', '--with-transcripts']);
    const transcript = await (await lastRun(folder)).transcript(outcome?.id ?? '');
    expect(transcript?.turns[0]).toMatchObject({ output: 'Thank you.' });
    expect(JSON.stringify(transcript)).not.toContain(secret);
    expect(transcript?.turns[0]?.input).toContain('My key is ');
  });

  it('costs a warning and nothing else where the data folder cannot be written', async () => {
    await using folder = await project({ 'a.json': GOOD, home: 'a file' });
    const { code, stdout, stderr } = await folder.run(['a.json']);
    expect(code).toBe(0);
    expect(stdout).toContain('1 session: without problems');
    expect(stderr.match(/This run is not recorded/g)).toHaveLength(1);
    expect(stderr).toMatch(/runs cannot be written: .*\. TURNWISE_HOME names another data folder\./);
    expect(stderr).toContain('The results are not affected.');
    expect(stderr).not.toContain('Recorded as');
  });

  it.each([
    [
      ['--record', 'out.json'],
      'a record is a folder or a zip file. Name a folder, or out.turnwise.zip. --report writes',
    ],
    [['--record', 'none', '--name', 'x'], '--name needs a recorded run, and --record none.'],
    [['--record', 'none', '--resume', 'last'], '--resume needs a recorded run, and --record none.'],
    [['--record', 'here', '--resume', 'last'], '--resume continues a run where it is recorded. Remove --record.'],
    [['--resume', 'nightly'], '--resume nightly: There is no run "nightly". No run of this project is recorded yet.'],
  ])('rejects %j', async (args, message) => {
    await using folder = await project({ 'a.json': GOOD });
    const { code, stderr } = await folder.run(['a.json', ...args]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });

  it('happens in the library with the option record only', async () => {
    await using folder = await project({ 'a.json': GOOD });
    const env = { TURNWISE_HOME: folder.home };
    const files = [join(folder.path, 'a.json')];
    await evaluate(files, {}, { env });
    await expect(stat(folder.home)).rejects.toThrow();
    const report = await evaluate(files, {}, { env, record: { name: 'nightly' } });
    using store = folder.store();
    const [run] = store.list({ project: null });
    expect(run?.manifest).toMatchObject({ id: report.run.id, name: 'nightly', state: 'complete' });
  });

  it('works from the command line and the editor at once', async () => {
    await using folder = await project({ 'a.json': GOOD, 'b.json': LOOPING });
    using store = folder.store();
    const record = { store, project: folder.path, git: null, cwd: folder.path };
    const file = join(folder.path, 'b.json');
    await Promise.all([
      folder.run(['a.json']),
      folder.run(['b.json']),
      ...Array.from({ length: 4 }, () =>
        evaluateFiles([file], {}, { record: { ...record, inputs: [file] }, env: { TURNWISE_HOME: folder.home } }),
      ),
    ]);
    const runs = store.list({ project: folder.path });
    expect(runs.map(({ manifest }) => manifest.state)).toEqual(Array(6).fill('complete'));
    for (const { manifest } of runs) {
      const found = await store.find(manifest.id, folder.path);
      expect(await found.rows()).toHaveLength(1);
      expect(await collect(found.sessions())).toHaveLength(1);
    }
  });
});

const SESSIONS = Array.from({ length: 4 }, (_, index) =>
  chat(user(`Where is order A-${1000 + index}?`), agent(`Order A-${1000 + index} is on its way.`)),
);
const FILES = Object.fromEntries(SESSIONS.map((text, index) => [`s${index}.json`, text]));
const PATHS = Object.keys(FILES);
const JUDGEMENT = answer({ helpfulness: { evidence: [], reason: 'It says where the order is.', score: 4 } });

/** Answers are not cached: what is not asked again was recorded. */
function judgeArgs(stub: StubModels, model = 'judge-1'): string[] {
  return ['--judge', `openai:${model}`, '--judge-url', stub.openai, '--metrics', 'helpfulness', '--no-cache'];
}

/** A project whose run was stopped when the judge had answered about two sessions, and the judge, who answers everything then. */
async function interruptedProject(signal: NodeJS.Signals) {
  let isStopped = false;
  const stub = await startStubModels(({ number }) => (isStopped || number < 2 ? JUDGEMENT : hang));
  const folder = await project(FILES);
  const { code, stderr } = await folder.run([...PATHS, ...judgeArgs(stub), '--concurrency', '1'], {
    whileRunning: async (child) => {
      try {
        await stub.arrived(3);
        // What was answered is recorded a moment later; the third request waits for its answer.
        await expect.poll(() => recordedSessions(folder), { timeout: 30_000 }).toBe(2);
      } finally {
        child.kill(signal);
      }
    },
  });
  isStopped = true;
  return {
    ...folder,
    stub,
    code,
    stderr,
    /** The orders that the judge was asked about since, sorted: several are asked at once. */
    asked: () =>
      stub.requests
        .slice(3)
        .map(({ prompt }) => /A-\d{4}/.exec(prompt)?.[0])
        .sort(),
    async [Symbol.asyncDispose]() {
      await stub[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Of the only run. */
async function recordedSessions(folder: Awaited<ReturnType<typeof project>>): Promise<number> {
  using store = folder.store();
  const [run] = store.list({ project: folder.path });
  if (!run) return 0;
  const record = await store.find(run.manifest.id, folder.path);
  return (await collect(record.sessions())).length;
}

describe('continuing an interrupted run', () => {
  it('asks about the other sessions only after kill -9, and its report is that of a whole run', async () => {
    await using folder = await interruptedProject('SIGKILL');
    const killed = await lastRun(folder);
    expect(killed.manifest.state).toBe('running');

    const { code, stdout } = await folder.run(['--resume', 'last', ...judgeArgs(folder.stub), '--format', 'json']);
    expect(code).toBe(0);
    expect(folder.asked()).toEqual(['A-1002', 'A-1003']);
    const report = JSON.parse(stdout);
    expect(report.run).toMatchObject({ id: killed.manifest.id, complete: true, usage: { judgeCalls: 4 } });
    expect(report.sessions).toHaveLength(4);

    const whole = await lastRun(folder);
    expect(whole.manifest).toMatchObject({ id: killed.manifest.id, state: 'complete', totals: { sessions: 4 } });
    expect((await whole.rows()).map(({ file, scores }) => [file, scores.helpfulness])).toEqual(
      PATHS.map((file) => [file, 4]),
    );
  });

  it('is refused while another process records it, and again when that has completed it', async () => {
    await using folder = await interruptedProject('SIGKILL');
    const { manifest } = await lastRun(folder);
    const resume = ['--resume', manifest.id, ...judgeArgs(folder.stub)];
    const results = await Promise.all([1, 2, 3].map(() => folder.run(resume)));
    expect(results.map(({ code }) => code).sort()).toEqual([0, 2, 2]);
    for (const { stderr } of results.filter(({ code }) => code === 2)) {
      expect(stderr).toMatch(/Run [0-9a-f]{8} is (still being written by another process|complete)/);
    }
    expect(folder.asked()).toEqual(['A-1002', 'A-1003']);
    const whole = await lastRun(folder);
    expect(whole.manifest).toMatchObject({ id: manifest.id, state: 'complete' });
    expect(await whole.rows()).toHaveLength(4);
  });

  it('goes on after Ctrl+C, which the record names', async () => {
    await using folder = await interruptedProject('SIGINT');
    expect(folder.code).toBe(130);
    expect(folder.stderr).toMatch(/^Recorded as run ([0-9a-f]{8}), not complete: turnwise eval --resume \1$/m);
    expect((await lastRun(folder)).manifest).toMatchObject({
      state: 'interrupted',
      stoppedBy: 'It was stopped by SIGINT.',
      tasksHash: null,
    });
    await folder.run([...PATHS, '--resume', 'last', ...judgeArgs(folder.stub)]);
    expect(folder.asked()).toEqual(['A-1002', 'A-1003']);
    const { manifest } = await lastRun(folder);
    expect(manifest.state).toBe('complete');
    expect(manifest).not.toHaveProperty('stoppedBy');
    expect(manifest.modelVersions).toEqual({ 'openai/judge-1': 'judge-1' });
  });

  it('evaluates a session again that was edited since', async () => {
    await using folder = await interruptedProject('SIGKILL');
    await writeFile(join(folder.path, 's0.json'), chat(user('Where is order A-2000?'), agent('Order A-2000 is here.')));
    await folder.run(['--resume', 'last', ...judgeArgs(folder.stub)]);
    expect(folder.asked()).toEqual(['A-1002', 'A-1003', 'A-2000']);
    const record = await lastRun(folder);
    expect(await collect(record.sessions())).toHaveLength(4);
  });

  it('takes its paths for the same however they are written', async () => {
    await using folder = await interruptedProject('SIGKILL');
    await folder.run([...PATHS.map((path) => `./${path}`), '--resume', 'last', ...judgeArgs(folder.stub)]);
    expect(folder.asked()).toEqual(['A-1002', 'A-1003']);
    expect((await lastRun(folder)).manifest).toMatchObject({ state: 'complete', inputs: PATHS });
  });

  it('is refused with another judge, metric, gate, path or selection, and says what changed', async () => {
    await using folder = await interruptedProject('SIGKILL');
    const same = judgeArgs(folder.stub);
    for (const [args, message] of [
      [judgeArgs(folder.stub, 'judge-2'), 'the judge changed from openai/judge-1 to openai/judge-2'],
      [[...same, '--metrics', 'helpfulness,relevance'], 'these metrics changed: relevance'],
      [[...same, '--fail-on', 'low'], 'the gates changed'],
      [['s0.json', ...same], 'it evaluates s0.json s1.json s2.json s3.json, and not s0.json'],
      [[...same, '--sample', '2'], '--session, --sample or --since-run changed'],
    ] as const) {
      const { code, stderr } = await folder.run(['--resume', 'last', ...args]);
      expect(code).toBe(2);
      expect(stderr).toContain('cannot be continued');
      expect(stderr).toContain(message);
      expect(stderr).toContain('evaluate again without --resume');
    }
    expect(folder.asked()).toEqual([]);
  });

  it('is refused where a function of the configuration, or a file that it imports, was changed', async () => {
    const configuration = `import { LIMIT } from './limit.ts';
      import isShort from './short.mjs';
      const evaluate = (turn) => ({ score: turn.output.length < LIMIT && isShort(turn.output) ? 5 : 1 });
      export default { custom: [{ name: 'brief', evaluate }] };`;
    const code = {
      'turnwise.config.ts': configuration,
      'limit.ts': 'export const LIMIT: number = 20;',
      'short.mjs': 'export default (text) => text.length < 100;',
    };
    await using folder = await project({ 'a.json': GOOD, ...code });
    const evaluated = async (...args: string[]) => {
      const { code: exitCode, stderr } = await folder.run(args);
      expect([exitCode, stderr]).toEqual([0, expect.stringMatching(RUN_LINE)]);
      return (await lastRun(folder)).manifest;
    };
    const whole = await evaluated('a.json');
    // As if its process had been killed.
    await writeFile(
      join(folder.home, 'runs', projectKey(folder.path), whole.id, 'manifest.json'),
      JSON.stringify({ ...whole, state: 'interrupted' }),
    );
    await rm(join(folder.home, 'runs', 'index.db'));
    for (const [file, text] of Object.entries(code)) {
      await writeFile(join(folder.path, file), `${text} // changed`);
      const refused = await folder.run(['--resume', whole.id]);
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('the configuration changed')]);
      await writeFile(join(folder.path, file), text);
    }
    const resumed = await evaluated('--resume', whole.id);
    expect(resumed).toMatchObject({ id: whole.id, state: 'complete' });

    await writeFile(join(folder.path, 'limit.ts'), 'export const LIMIT = 2;');
    await evaluated('a.json');
    const { stdout } = await turnwise(['compare', 'last~1', 'last', '--format', 'json'], {
      cwd: folder.path,
      env: { TURNWISE_HOME: folder.home },
    });
    const { comparability, metrics } = JSON.parse(stdout);
    expect(comparability).toMatchObject([
      { code: 'configuration', reason: expect.stringContaining('the code of brief') },
    ]);
    expect(metrics.brief.conclusion).toBe('not comparable');
  });

  it('is refused where the run is complete', async () => {
    await using folder = await project({ 'a.json': GOOD });
    await folder.run(['a.json']);
    const { code, stderr } = await folder.run(['--resume', 'last']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/--resume last: Run [0-9a-f]{8} is complete: there is nothing to continue\./);
  });
});

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
