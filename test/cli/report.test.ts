import { link, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Report } from '../../src/core/report.ts';
import { pageIndex } from '../../src/protocol/report-page.ts';
import { REPORT_WRITERS } from '../../src/reports/index.ts';
import { type CliOptions, turnwise } from '../support/cli.ts';
import { answer, startStubModels } from '../support/stub-models.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { cancelling, GOOD, LOOPING } from '../support/traces.ts';
import { withoutTimes } from '../support/without-times.ts';

async function project(files: Readonly<Record<string, string>>) {
  const folder = await temporaryFolder({ '.git': '', ...files });
  const run = (args: readonly string[], options: Omit<CliOptions, 'cwd'> = {}) =>
    turnwise(args, {
      cwd: folder.path,
      ...options,
      env: { TURNWISE_HOME: join(folder.path, 'home'), ...options.env },
    });
  const recordIn = async (name: string) => `${name}/${(await readdir(join(folder.path, name)))[0]}`;
  const read = (name: string) => readFile(join(folder.path, name), 'utf8');
  return { path: folder.path, run, read, recordIn, [Symbol.asyncDispose]: folder[Symbol.asyncDispose] };
}

const JUDGEMENT = answer({ helpfulness: { evidence: [], reason: 'It is complete.', score: 4 } });

const KINDS = [...REPORT_WRITERS.map(({ name }) => name), 'agentest'];
const TASKS = ['--task-by', '(?<task>[a-z]+)-(?<trial>\\d+)'];

const cancel = (order: string) => JSON.stringify(cancelling(order, 'Done.'));

/** What the first page of an HTML report shows. */
function indexOf(page: string): unknown {
  const packed = /id="index">([^<]*)</.exec(page)?.[1] ?? '';
  return JSON.parse(inflateRawSync(Buffer.from(packed, 'base64')).toString());
}

/** Attempts of tasks, one of which differs from the others, and a file that cannot be read. */
const FILES = {
  'book-1.json': GOOD,
  'book-2.json': LOOPING,
  'cancel-1.json': cancel('A-1'),
  'cancel-2.json': cancel('A-1'),
  'cancel-3.json': cancel('B-2'),
  'broken-1.json': '{"messages": [',
};
const PATHS = Object.keys(FILES);

const toFiles = (prefix: string) => KINDS.map((kind) => `${kind}=${prefix}.${kind}`);

describe('turnwise report', () => {
  it('says how to record conversations where the results in the form of Agentest need them', async () => {
    await using folder = await project({ 'a-1.json': GOOD });
    await folder.run(['eval', 'a-1.json', '--with-transcripts', '--report', 'json']);
    const without = await folder.run(['report', 'last', '--to', 'agentest']);
    expect(without.stderr).toContain('The report "agentest" has scenarios, and no session of this run has a task.');
    await folder.run(['eval', 'a-1.json', ...TASKS]);
    const refused = await folder.run(['report', 'last', '--to', 'agentest']);
    expect([refused.code, refused.stdout]).toEqual([2, '']);
    expect(refused.stderr).toContain('Record runs with --with-transcripts.');
    const unrecorded = await folder.run(['eval', 'a-1.json', ...TASKS, '--record', 'none', '--report', 'agentest']);
    expect([unrecorded.code, unrecorded.stdout]).toEqual([2, '']);
    expect(unrecorded.stderr).toContain('this run was recorded without them');
    await folder.run(['eval', 'a-1.json', ...TASKS, '--with-transcripts']);
    const { code, stdout } = await folder.run(['report', 'last', '--to', 'agentest']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).scenarios[0].conversations[0].turns).toHaveLength(2);
  });

  const named = ['--metrics', 'tool_correctness,coherence,loop_detection,attempt_agreement'];
  it.each([
    { options: [], verbose: [] },
    { options: named, verbose: [] },
    { options: named, verbose: ['--verbose'] },
  ])('writes the same bytes as the evaluation, of every kind: %j', async ({ options, verbose }) => {
    await using folder = await project(FILES);
    const reports = toFiles('first').flatMap((report) => ['--report', report]);
    const evaluated = await folder.run([
      'eval',
      ...PATHS,
      ...TASKS,
      '--fail-on',
      'low',
      ...options,
      ...verbose,
      ...reports,
    ]);
    expect(evaluated.code).toBe(2);
    // The traces may be gone when somebody reads the report.
    for (const path of PATHS) await rm(join(folder.path, path));
    const { code, stderr } = await folder.run(['report', 'last', '--to', toFiles('again').join(','), ...verbose]);
    expect([code, stderr]).toEqual([0, '']);
    const text = 'coherence: needs an embedder';
    expect((await folder.read('again.github')).includes(text)).toBe(options.length > 0);
    for (const kind of KINDS) {
      expect(await folder.read(`again.${kind}`), kind).toBe(await folder.read(`first.${kind}`));
    }
    const report = JSON.parse(await folder.read('again.json'));
    expect(report).toMatchObject({ verdict: 'failed', problems: [{ file: 'broken-1.json' }] });
    expect(report.failures.length).toBeGreaterThan(0);
    expect(report.sessions[2].metrics.attempt_agreement.score).toBe(0.5);
  });

  it('lists turns with the lines of evidence, and with the messages of the user where the run has them', async () => {
    const low = { helpfulness: { evidence: ['t1.answer'], reason: 'It is vague.', score: 1 } };
    await using models = await startStubModels(() => answer(low));
    await using folder = await project({ 'a.json': GOOD });
    const judge = ['--metrics', 'helpfulness', '--judge', 'openai:judge-1', '--judge-url', models.openai];
    const table = async (...options: string[]) => {
      const { stdout } = await folder.run(['eval', 'a.json', ...judge, '--verbose', ...options]);
      expect((await folder.run(['report', 'last', '--verbose'])).stdout).toBe(stdout);
      expect(stdout).toMatch(/It is vague\.\n +a\.json:\d+\n/);
      return stdout;
    };
    expect(await table()).toMatch(/^ {3}1 {2}t1\b/m);
    expect(await table('--with-transcripts')).toMatch(/^ {3}1 {2}What is the capital of France\?/m);
  });

  it('names files from the root of the repository in SARIF and in annotations, wherever the command runs', async () => {
    await using folder = await project({ 'evals/in.json': LOOPING, 'traces/out.json': LOOPING });
    const cwd = join(folder.path, 'evals');
    const run = (...args: string[]) => turnwise(args, { cwd, env: { TURNWISE_HOME: join(folder.path, 'home') } });
    const paths = ['in.json', '../traces/out.json', 'missing.json', '--fail-on', 'low'];
    const to = (name: string) => [`sarif=${name}.sarif`, `github=${name}.txt`];
    await run('eval', ...paths, ...to('a').flatMap((report) => ['--report', report]));
    const sarif = await folder.read('evals/a.sarif');
    expect(new Set(Array.from(sarif.matchAll(/"uri": "(.*?)"/g), ([, uri]) => uri))).toEqual(
      new Set(['evals/in.json', 'traces/out.json', 'evals/missing.json']),
    );
    const github = await folder.read('evals/a.txt');
    expect(new Set(Array.from(github.matchAll(/file=([^,]*),line/g), ([, file]) => file))).toEqual(
      new Set(['evals/in.json', 'traces/out.json']),
    );
    await run('report', 'last', '--to', to('b').join(','));
    for (const index of [1, 2]) await run('eval', ...paths, '--shard', `${index}/2`, '--record', 'parts');
    await run('merge', 'parts', ...to('c').flatMap((report) => ['--report', report]));
    for (const name of ['a.sarif', 'a.txt']) {
      const first = withoutTimes(await folder.read(`evals/${name}`));
      for (const other of ['b', 'c']) {
        expect(withoutTimes(await folder.read(`evals/${name.replace('a', other)}`)), other).toBe(first);
      }
    }
  });

  it('has the gates of a baseline, the causes that a judge found, and what the judge cost', async () => {
    await using models = await startStubModels(() => JUDGEMENT);
    await using folder = await project({ 'a.json': GOOD, 'b.json': LOOPING });
    const judge = ['--metrics', 'helpfulness', '--judge', 'openai:judge-1', '--judge-url', models.openai];
    const args = ['eval', 'a.json', 'b.json', '--no-cache', ...judge];
    await folder.run([...args, '--out', 'discarded.txt']);
    const evaluated = await folder.run([...args, '--baseline', '--format', 'json']);
    const { stdout, code } = await folder.run(['report', 'last', '--to', 'json']);
    expect(code).toBe(0);
    expect(stdout).toBe(evaluated.stdout);
    expect(JSON.parse(stdout)).toMatchObject({ baseline: { answer: 'undecided' } });
    expect(JSON.parse(stdout).run.usage.promptTokens).toBeGreaterThan(0);
  });

  it.each([
    [['--correct-by', 'loop_detection', '--estimator', 'plug-in']],
    [['--correct-by', 'verdict', '--estimator', 'bayesian', '--k', '2,4', '--record', 'none']],
    [['--correct-by', 'verdict']],
  ])('has the same figures of attempts in HTML and in JSON: %j', async (options) => {
    await using folder = await project(FILES);
    await folder.run([
      ...['eval', ...PATHS, ...TASKS, ...options],
      '--report',
      'html=page.html',
      '--report',
      'json=a.json',
    ]);
    const { attempts, scenarios }: Report = JSON.parse(await folder.read('a.json'));
    const { tasks, scores } = pageIndex.parse(indexOf(await folder.read('page.html')));
    expect(attempts).toMatchObject(scores.attempts ?? {});
    expect(scores.attempts?.table).not.toEqual([]);
    expect(
      tasks.map(({ name, sessions, succeeded, known, estimates }) => ({
        ...{ name, sessions, succeeded, known },
        atK: estimates.map(({ k, passAtK, passAtKInterval }) => ({ k, value: passAtK, ci: passAtKInterval })),
        powK: estimates.map(({ k, passPowK, passPowKInterval }) => ({ k, value: passPowK, ci: passPowKInterval })),
      })),
    ).toEqual(
      scenarios.map(({ name, sessions, correct, attempts: all, leftOut, passAtK, passPowK }) => ({
        ...{ name, sessions, succeeded: correct, known: all - leftOut },
        ...{ atK: passAtK, powK: passPowK },
      })),
    );
    expect(tasks).toHaveLength(2);
  });

  it('writes a table to standard output unless told otherwise', async () => {
    await using folder = await project({ 'b.json': LOOPING });
    const evaluated = await folder.run(['eval', 'b.json']);
    const { stdout } = await folder.run(['report', 'last']);
    expect(stdout).toBe(evaluated.stdout);
  });

  it('reads a run from one file, on a machine that has not recorded it', async () => {
    await using folder = await project(FILES);
    const evaluated = await folder.run(['eval', ...PATHS, ...TASKS, '--format', 'json']);
    await folder.run(['history', 'export', 'last', 'run.turnwise.zip']);
    const env = { TURNWISE_HOME: join(folder.path, 'elsewhere') };
    const { stdout } = await folder.run(['report', 'run.turnwise.zip', '--to', 'json'], { env });
    expect(stdout).toBe(evaluated.stdout);
  });

  it('reads a compressed record', async () => {
    const files = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`run-${at}.json`, LOOPING]));
    await using folder = await project(files);
    const evaluated = await folder.run([
      'eval',
      ...Object.keys(files),
      ...TASKS,
      '--record',
      'rec',
      '--format',
      'json',
    ]);
    const record = await folder.recordIn('rec');
    await expect(folder.read(`${record}/sessions.jsonl.gz`)).resolves.not.toBe('');
    const { stdout } = await folder.run(['report', record, '--to', 'json']);
    expect(stdout).toBe(evaluated.stdout);
  });

  it('makes the report of a killed run from the sessions that had finished', async () => {
    await using folder = await project({ 'a.json': GOOD, 'b.json': LOOPING });
    await folder.run(['eval', 'a.json', 'b.json', '--fail-on', 'low', '--record', 'rec']);
    const record = await folder.recordIn('rec');
    const manifest = JSON.parse(await folder.read(`${record}/manifest.json`));
    await writeFile(join(folder.path, record, 'manifest.json'), JSON.stringify({ ...manifest, state: 'running' }));
    const lines = (await folder.read(`${record}/sessions.jsonl`)).split('\n');
    const isOfSession = (line: string) => /^\{"type":"(?:shared|session)"/.test(line);
    await writeFile(
      join(folder.path, record, 'sessions.jsonl'),
      `${lines.filter(isOfSession).join('\n')}\n{"type":"ses`,
    );
    const { stdout } = await folder.run(['report', record, '--to', 'json']);
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({
      verdict: 'failed',
      run: { complete: false },
      undecided: [{ code: 'interrupted' }],
      sessions: [{ verdict: 'passed' }, { verdict: 'failed' }],
    });
    expect(report.failures[0].occurrences[0]).toMatchObject({ file: 'b.json', line: expect.any(Number) });
  });

  it('says what is wrong, and writes the other reports', async () => {
    await using folder = await project({ 'a.json': GOOD });
    const none = await folder.run(['report', 'last']);
    expect([none.code, none.stdout]).toEqual([2, '']);
    expect(none.stderr).toContain('turnwise eval');
    await folder.run(['eval', 'a.json', '--record', 'rec']);
    const unknown = await folder.run(['report', 'last', '--to', 'jnuit=a.xml']);
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('Did you mean "junit"?')]);
    const manifest = `${await folder.recordIn('rec')}/manifest.json`;
    const before = await folder.read(manifest);
    const input = await folder.run(['report', 'last', '--to', `json=${manifest},junit=a.xml`]);
    expect([input.code, input.stderr]).toEqual([2, expect.stringContaining('is an input')]);
    expect(await folder.read(manifest)).toBe(before);
    expect(await folder.read('a.xml')).toContain('<testsuites');
  });

  it('replaces nothing that the run read, wherever the command runs, and no other trace or configuration', async () => {
    const inputs = {
      'traces/a.json': GOOD,
      'traces/broken.json': '{"messages": [',
      'traces/a.turnwise.json': '{}',
      // No other command knows what this is.
      'traces/log.json': JSON.stringify({ rounds: [{ question: 'What is the capital of France?', reply: 'Paris.' }] }),
      'turnwise.config.yaml': 'map: { name: our-log, turns: { path: rounds, input: question, output: reply } }\n',
      'refund.scenario.yaml': 'name: refund\n',
      // Not evaluated: the record does not name it.
      'other/b.json': LOOPING,
      'sub/readme.md': '',
    };
    await using folder = await project(inputs);
    await folder.run(['eval', 'traces']);
    await link(join(folder.path, 'traces/a.json'), join(folder.path, 'linked.json'));
    const outputs = [...Object.keys(inputs).filter((name) => !name.startsWith('sub/')), 'linked.json'];
    for (const file of outputs) {
      const before = await folder.read(file);
      const { code, stderr } = await folder.run(['report', 'last', '--to', `markdown=${file},json=ok.json`]);
      expect(code, file).toBe(2);
      expect(stderr).toMatch(new RegExp(`^turnwise: --to markdown=\\S+ would replace ${file}, which `));
      expect(await folder.read(file)).toBe(before);
      expect(JSON.parse(await folder.read('ok.json')).sessions).toHaveLength(2);
    }
    const elsewhere = await turnwise(['report', 'last', '--to', 'json=../traces/log.json'], {
      cwd: join(folder.path, 'sub'),
      env: { TURNWISE_HOME: join(folder.path, 'home') },
    });
    expect([elsewhere.code, elsewhere.stderr]).toEqual([2, expect.stringContaining('which is an input')]);
  });

  it('replaces a report of any kind', async () => {
    await using folder = await project({ 'a.json': GOOD });
    await folder.run(['eval', 'a.json', '--with-transcripts', '--task-by', '(?<task>.+)']);
    const to = [...toFiles('report'), 'agentest=agentest.json'].join(',');
    await folder.run(['report', 'last', '--to', to]);
    const { code, stderr } = await folder.run(['report', 'last', '--to', to]);
    expect([code, stderr]).toEqual([0, '']);
  });

  it('that cannot be written loses no other', async () => {
    await using folder = await project({ 'a.json': GOOD });
    await folder.run(['eval', 'a.json', '--task-by', '(?<task>.+)']);
    await mkdir(join(folder.path, 'folder'));
    const to = 'html=/nonexistent/a.html,markdown=folder,agentest=results.json,json=ok.json';
    const { code, stderr } = await folder.run(['report', 'last', '--to', to]);
    expect(code).toBe(2);
    expect(stderr.trimEnd().split('\n')).toEqual([
      'turnwise: --to html=/nonexistent/a.html: there is no folder /nonexistent. Create it first.',
      'turnwise: --to markdown=folder: folder is a folder. Name a file in it, such as folder/report.md.',
      expect.stringContaining('Record runs with --with-transcripts.'),
    ]);
    expect(JSON.parse(await folder.read('ok.json')).sessions).toHaveLength(1);
    expect(await readdir(folder.path)).not.toContain('results.json');
    const twice = await folder.run(['report', 'last', '--to', 'json=same.json,markdown=./same.json']);
    expect([twice.code, twice.stderr]).toEqual([2, expect.stringContaining('write to the same file')]);
  });

  it('takes a comma in the name of a file', async () => {
    await using folder = await project({ 'a.json': GOOD });
    await folder.run(['eval', 'a.json']);
    await folder.run(['report', 'last', '--to', 'junit=a,b.xml,jsonl=c.jsonl']);
    expect(await folder.read('a,b.xml')).toContain('<testsuites');
    const lines = (await folder.read('c.jsonl')).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { id: 'a', verdict: 'passed' },
      { tool: { name: 'turnwise' }, verdict: 'passed' },
    ]);
  });

  it('is in few words where a coding agent runs the command, and a table in the log of a job', async () => {
    await using folder = await project({ 'b.json': LOOPING });
    const agent = await folder.run(['eval', 'b.json', '--fail-on', 'low'], { env: { CLAUDECODE: '1' } });
    expect(agent.stdout).toMatch(/^turnwise: failed\. /);
    const table = await folder.run(['report', 'last', '--to', 'table'], { env: { CLAUDECODE: '1' } });
    expect(table.stdout).not.toContain('turnwise: failed');
    expect((await folder.run(['report', 'last'], { env: { GEMINI_CLI: '1' } })).stdout).toBe(agent.stdout);
  });

  it('lets no text of a trace be a command in a step of GitHub Actions', async () => {
    await using folder = await project({ 'b.json': LOOPING });
    const { stdout, stderr } = await folder.run(['eval', 'b.json', '##[group].json'], {
      env: { GITHUB_ACTIONS: 'true' },
    });
    expect(stderr).toContain('## [group].json');
    expect(stderr).not.toContain('##[');
    const [first = '', ...rest] = stdout.trimEnd().split('\n');
    const [, word] = /^::stop-commands::(turnwise-\S+)$/.exec(first) ?? [];
    expect(rest.indexOf(`::${word}::`)).toBe(rest.length - 1);
    const { stdout: json } = await folder.run(['eval', 'b.json', '--format', 'json'], {
      env: { GITHUB_ACTIONS: 'true' },
    });
    expect(JSON.parse(json)).toMatchObject({ sessions: [{ id: 'b' }] });
  });

  it('adds a summary to a step of GitHub Actions, whose other lines stay', async () => {
    await using folder = await project({ 'b.json': LOOPING, 'summary.md': 'Before.\n' });
    const env = { GITHUB_STEP_SUMMARY: join(folder.path, 'summary.md') };
    const args = ['eval', 'b.json', '--fail-on', 'low', '--report', 'github'];
    const { stdout, code } = await folder.run(args, { env });
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^::error file=b\.json,line=\d+,title=/)]);
    expect(await folder.read('summary.md')).toMatch(/^Before\.\n## ❌ /);
    const missing = await folder.run(args, { env: { GITHUB_STEP_SUMMARY: join(folder.path, 'none', 'summary.md') } });
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('GITHUB_STEP_SUMMARY')]);
  });
});
