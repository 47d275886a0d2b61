import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { turnwise } from '../support/cli.ts';
import { answer, error, startStubModels } from '../support/stub-models.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { agent, chat, GOOD, LOOPING, user } from '../support/traces.ts';

async function project(files: Readonly<Record<string, string>>) {
  const folder = await temporaryFolder({ '.git': '', ...files });
  const run = async (...args: readonly string[]) => {
    const { stdout, stderr, code } = await turnwise(['eval', 'traces', '--format', 'jsonl', ...args], {
      cwd: folder.path,
      env: { TURNWISE_HOME: join(folder.path, 'home') },
    });
    const lines: { source?: { file: string } }[] = stdout
      .split('\n')
      .flatMap((line) => (line.startsWith('{"') ? [JSON.parse(line)] : []));
    return { files: lines.flatMap(({ source }) => source?.file.slice('traces/'.length) ?? []), stdout, stderr, code };
  };
  const write = (name: string, text: string) => writeFile(join(folder.path, 'traces', name), text);
  return { path: folder.path, run, write, [Symbol.asyncDispose]: folder[Symbol.asyncDispose] };
}

describe('eval --since-run', () => {
  it('evaluates sessions that no recorded run has evaluated, and what was edited since', async () => {
    await using folder = await project({ 'traces/a.json': GOOD, 'traces/b.json': LOOPING });
    const first = await folder.run('--since-run');
    expect(first.files).toEqual(['a.json', 'b.json']);
    expect(first.stderr).toContain('No run is recorded yet, so --since-run leaves nothing out.');
    await folder.write('c.json', chat(user('Where is C?'), agent('Here.')));
    const second = await folder.run('--since-run');
    expect(second.files).toEqual(['c.json']);
    expect(second.stderr).toMatch(/Left out 2 sessions evaluated before: not new since run [0-9a-f]{8} \(20/);
    await folder.write('b.json', chat(user('Where is B?'), agent('Nowhere.')));
    await folder.write('d.json', chat(user('Where is D?'), agent('There.')));
    expect((await folder.run('--since-run')).files).toEqual(['b.json', 'd.json']);
  });

  it('counts from the run that is named, and plans without evaluating', async () => {
    await using folder = await project({ 'traces/a.json': GOOD });
    await folder.run('--name', 'monday');
    await folder.write('b.json', LOOPING);
    await folder.run();
    expect((await folder.run('--since-run', 'monday', '--record', 'none')).files).toEqual(['b.json']);
    const { stdout } = await folder.run('--since-run', 'monday', '--dry-run', '--format', 'json');
    expect(JSON.parse(stdout)).toMatchObject({ sessions: 1, files: [{ file: 'traces/b.json', sessions: 1 }] });
    const missing = await folder.run('--since-run', 'tuesday');
    expect([missing.code, missing.stderr]).toEqual([
      2,
      expect.stringContaining('--since-run tuesday: There is no run'),
    ]);
  });

  it('says where traces belong that are taken for a run', async () => {
    await using folder = await temporaryFolder({ '.git': '', 'traces/a.json': GOOD });
    const { code, stderr } = await turnwise(['eval', '--since-run', 'traces'], { cwd: folder.path });
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('For traces to evaluate, write traces before --since-run.'),
    ]);
  });

  it('ends with 0 where nothing is new, and never where there is nothing at all', async () => {
    await using folder = await project({ 'traces/a.json': GOOD });
    await folder.run();
    const nothing = await folder.run('--since-run');
    expect([nothing.files, nothing.code]).toEqual([[], 0]);
    expect(nothing.stderr).toContain('Left out 1 session evaluated before');
    await rm(join(folder.path, 'traces', 'a.json'));
    expect((await folder.run('--since-run')).code).not.toBe(0);
  });

  it('passes in every report and in the record where nothing is new, and says so', async () => {
    await using folder = await project({ 'traces/a.json': GOOD });
    await folder.run();
    const kinds = ['json', 'markdown', 'junit', 'ctrf', 'table', 'agent', 'html'] as const;
    const outputs = kinds.flatMap((kind) => ['--report', `${kind}=${kind}.out`]);
    // Neither a threshold nor a baseline can say anything about no sessions.
    const gates = ['--threshold', 'loop_detection=0.5', '--baseline', '--record', 'empty.turnwise.zip'];
    const { code, stderr } = await folder.run('--since-run', ...gates, ...outputs);
    expect([code, stderr]).toEqual([0, expect.stringContaining('Left out 1 session')]);
    const read = (kind: string) => readFile(join(folder.path, `${kind}.out`), 'utf8');
    const report = JSON.parse(await read('json'));
    expect(report).toMatchObject({ verdict: 'passed', undecided: [], gates: [], run: { sinceRun: { leftOut: 1 } } });
    const sentence = `Nothing is new since run ${report.run.sinceRun.id.split('-').at(-1)}`;
    expect(await read('markdown')).toMatch(new RegExp(`^## ✅ ${sentence}\\. 1 session was evaluated before`));
    expect(await read('table')).toContain(sentence);
    expect(await read('agent')).toMatch(new RegExp(`^turnwise: passed\\. ${sentence}`));
    expect(await read('junit')).toContain('tests="1" failures="0" errors="0"');
    expect(await read('junit')).toContain(sentence);
    expect(JSON.parse(await read('ctrf')).results.summary).toMatchObject({ passed: 1, failed: 0, other: 0 });
    expect(await read('html')).toContain('<title>Turnwise: passed: 0 sessions</title>');
    const options = { cwd: folder.path, env: { TURNWISE_HOME: join(folder.path, 'home') } };
    expect((await turnwise(['report', './empty.turnwise.zip', '--to', 'markdown'], options)).stdout).toBe(
      await read('markdown'),
    );
  });

  it('evaluates a session again that the judge did not answer about', async () => {
    let isDown = true;
    const reply = answer({ helpfulness: { evidence: [], reason: 'Complete.', score: 4 } });
    await using models = await startStubModels(() => (isDown ? error(400, 'Down.') : reply));
    await using folder = await project({ 'traces/a.json': GOOD });
    const judge = ['--metrics', 'helpfulness', '--judge', 'openai:judge-1', '--judge-url', models.openai];
    expect((await folder.run(...judge)).code).toBe(3);
    isDown = false;
    expect((await folder.run('--since-run', ...judge)).files).toEqual(['a.json']);
    expect((await folder.run('--since-run', ...judge)).files).toEqual([]);
  });
});
