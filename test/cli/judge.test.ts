import type { ChildProcess } from 'node:child_process';
import { access, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type CliResult, turnwise } from '../support/cli.ts';
import { answer, error, hang, type Script, type StubModels, startStubModels } from '../support/stub-models.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { agent, chat, user } from '../support/traces.ts';

/** A chat in which each turn asks about a different order. */
function orders(turns: number, edited: Readonly<Record<number, string>> = {}): string {
  const messages = Array.from({ length: turns }, (_, index) => [
    user(edited[index] ?? `Where is order A-${1000 + index}?`),
    agent(`Order A-${1000 + index} left warehouse ${index} on its way to you.`),
  ]);
  return chat(...messages.flat());
}

/** The questions most tests ask: the tests differ in how answers arrive. */
const ASKED = ['--metrics', 'task_completion,helpfulness'];
/** Valid answers of a judge about a turn. */
const ANSWERS = {
  task: { evidence: [], task: 'find an order', outcome: 'it was found' },
  task_completion: { reason: 'It was found.', verdict: 1 },
  helpfulness: { evidence: [], reason: 'It says where the order is.', score: 4 },
};
const JUDGEMENT = answer(ANSWERS);

interface Run {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly whileRunning?: (child: ChildProcess) => void;
}

/** A folder with a trace and its caches, and the CLI running in it. */
async function project(stub: StubModels, files: Readonly<Record<string, string>>) {
  const folder = await temporaryFolder({ '.git': '', ...files });
  const run = ({ args = [], env = {}, whileRunning }: Run = {}): Promise<CliResult> =>
    turnwise(['eval', 'a.json', '--judge', 'openai:judge-1', '--judge-url', stub.openai, ...ASKED, ...args], {
      cwd: folder.path,
      env: { TURNWISE_HOME: join(folder.path, 'home'), ...env },
      ...(whileRunning && { whileRunning }),
    });
  const json = async (options: Run = {}) => {
    const ended = await run({ ...options, args: ['--format', 'json', ...(options.args ?? [])] });
    return { ...ended, report: JSON.parse(ended.stdout) };
  };
  return { path: folder.path, run, json, [Symbol.asyncDispose]: folder[Symbol.asyncDispose] };
}

/** The number of turns with helpfulness in each status. */
function statuses(report: { sessions: { turns: { metrics: Record<string, { status: string }> }[] }[] }) {
  const counts: Record<string, number> = {};
  for (const { metrics } of report.sessions.flatMap(({ turns }) => turns)) {
    const status = metrics.helpfulness?.status ?? 'none';
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}

const always: Script = () => JUDGEMENT;
const first =
  (count: number): Script =>
  ({ number }) =>
    number < count ? JUDGEMENT : hang;

const GATE = ['--threshold', 'helpfulness=3'];

describe('a judge', () => {
  it('scores what the rules leave open, and the report contains its usage', async () => {
    await using stub = await startStubModels(always);
    await using folder = await project(stub, {
      'a.json': orders(3),
      'turnwise.config.json':
        '{ "judge": { "provider": "openai", "model": "judge-1", "price": { "input": 100, "output": 1000 } } }',
    });
    const { code, report } = await folder.json({ args: GATE });
    expect(code).toBe(0);
    expect(stub.requests).toHaveLength(3);
    const [request] = stub.requests;
    expect(request).toMatchObject({ api: 'openai chat', model: 'judge-1' });
    const { usage, judge } = report.run;
    expect(judge).toEqual({ provider: 'openai', model: 'judge-1' });
    expect(usage).toMatchObject({ judgeCalls: 3, judgeCallsCached: 0 });
    expect(usage.cost).toBeCloseTo((usage.promptTokens * 100 + usage.completionTokens * 1000) / 1e6, 9);
    expect(report.sessions[0].turns[2].metrics.helpfulness).toMatchObject({
      status: 'scored',
      score: 4,
      source: 'judge',
      judge: 'openai/judge-1',
    });
    const { stdout } = await folder.run();
    expect(stdout).toMatch(/^Models {2}openai\/judge-1: 0 calls, 3 from the cache, cost 0\.00$/m);
  });

  it.each([
    ['openai/judge-2', 'openai chat', 'judge-2'],
    ['ollama:qwen3:8b', 'ollama chat', 'qwen3:8b'],
  ])('is set by --judge %s', async (name, api, model) => {
    await using stub = await startStubModels(always);
    await using folder = await temporaryFolder({ 'a.json': orders(1) });
    const url = name.startsWith('ollama') ? stub.origin : stub.openai;
    const { code } = await turnwise(['eval', 'a.json', '--judge', name, '--judge-url', url, ...ASKED, ...GATE], {
      cwd: folder.path,
    });
    expect(code).toBe(0);
    expect(stub.requests).toMatchObject([{ api, model }]);
  });

  it('can be set for a single metric beside the default judge', async () => {
    await using stub = await startStubModels();
    const metrics = '{ "metrics": { "helpfulness": { "judge": "openai:judge-9" } } }';
    await using folder = await project(stub, { 'a.json': orders(1), 'turnwise.config.json': metrics });
    const { report } = await folder.json();
    expect(stub.requests.map(({ model }) => model).sort()).toEqual(['judge-1', 'judge-9']);
    const { helpfulness, task_completion } = report.sessions[0].turns[0].metrics;
    expect([helpfulness.judge, task_completion.judge]).toEqual(['openai/judge-9', 'openai/judge-1']);
  });

  it('has one limit of calls for all models', async () => {
    await using stub = await startStubModels();
    const metrics = '{ "metrics": { "helpfulness": { "judge": "openai:judge-9" } } }';
    await using folder = await project(stub, { 'a.json': orders(5), 'turnwise.config.json': metrics });
    const { report } = await folder.json({ args: ['--max-calls', '3'] });
    expect(stub.requests).toHaveLength(3);
    expect(report.run.usage.judgeCalls).toBe(3);
  });

  it('leaves questions beyond the limit of calls unanswered, and their gates undecided', async () => {
    await using stub = await startStubModels(always);
    await using folder = await project(stub, { 'a.json': orders(10) });
    const { code, report } = await folder.json({ args: ['--max-calls', '4', ...GATE] });
    expect(code).toBe(3);
    expect(stub.requests).toHaveLength(4);
    expect(statuses(report)).toEqual({ scored: 4, cancelled: 6 });
    expect(JSON.stringify(report)).toContain('The limit of 4 calls (judge.maxCalls) is reached.');
  });

  it('receives only the key of its own host', async () => {
    await using stub = await startStubModels(always);
    await using folder = await project(stub, { 'a.json': orders(1) });
    const keys = { OPENAI_API_KEY: 'sk-of-openai-alone', TURNWISE_API_KEY: 'tw-of-this-server' };
    const { stdout, stderr } = await folder.run({ env: keys, args: ['--verbose'] });
    expect(stub.requests[0]?.headers.authorization).toBe('Bearer tw-of-this-server');
    await folder.run({ env: { OPENAI_API_KEY: 'sk-of-openai-alone' }, args: ['--no-cache'] });
    expect(stub.requests[1]?.headers.authorization).toBeUndefined();
    expect(JSON.stringify(stub.requests)).not.toContain('sk-of-openai-alone');
    expect(stdout + stderr).not.toMatch(/sk-of-openai-alone|tw-of-this-server/);
  });

  it('is logged by --verbose with each question and answer', async () => {
    await using stub = await startStubModels(always);
    await using folder = await project(stub, { 'a.json': orders(1) });
    const { stderr } = await folder.run({ args: ['--verbose'] });
    expect(stderr).toMatch(/^judge: session a, turn 1 \(\d+ ms, \d+ tokens in, \d+ out\)$/m);
    expect(stderr).toMatch(/^ {2}helpfulness\n {4}asked:\n {6}How much closer /m);
    expect(stderr).toContain(
      '    answered:\n      evidence: none\n      reason: It says where the order is.\n      score: 4\n',
    );
    expect(stderr).not.toContain('left warehouse');
  });

  it('is optional: without one no connection is opened', async () => {
    await using folder = await temporaryFolder({ 'a.json': orders(1) });
    const home = join(folder.path, 'home');
    await turnwise(['eval', 'a.json', '--record', 'none'], { cwd: folder.path, env: { TURNWISE_HOME: home } });
    await expect(access(home)).rejects.toThrow('ENOENT');
  });
});

describe('the table', () => {
  /** The falsely claimed refund, as a judge sees it. */
  const refund = async (script: Script, ...options: string[]) => {
    await using stub = await startStubModels(script);
    const sample = await readFile(join(import.meta.dirname, '../../samples/refund-claimed-after-error.json'), 'utf8');
    await using folder = await project(stub, { 'a.json': sample });
    return await folder.run({ args: ['--metrics', 'faithfulness', '--fail-on', 'critical', ...options] });
  };
  const fine = { evidence: [], reason: 'Every figure is right.', score: 5 };
  const judgement = {
    task: { evidence: [], task: 'a refund', outcome: 'none was made' },
    task_completion: { reason: 'All is done.', verdict: 1 },
    helpfulness: { evidence: ['t1.answer'], reason: 'It is about\u001b[2J\nsomething else.', score: 2 },
    faithfulness: fine,
  };

  it('shows low scores with reason and evidence, and scores capped by findings', async () => {
    const { stdout } = await refund(() => answer(judgement), '--verbose');
    expect(stdout).toMatch(/^ {2}helpfulness {2,}2 \/ 5 +3 turns +≥ 3\.50, low$/m);
    const flat = stdout.replace(/\s+/g, ' ');
    const result = '! helpfulness 2 / 5, below 3.50 · minimally helpful It is about something else. a.json:32 ';
    expect(flat.split(result)).toHaveLength(4);
    const capped = 'some wrong information · capped by success-after-error, the judge gave 5.00 a.json:62 ';
    expect(flat.split(`! faithfulness 3 / 5, below 4.00 · ${capped}`)).toHaveLength(2);
    expect(stdout).not.toContain('\u001b');
    expect(stdout).not.toContain(fine.reason);
  });

  it('reports an unreachable judge once, with the number of missing results', async () => {
    const { code, stdout } = await refund(() => error(401, 'No.'));
    expect(code).toBe(3);
    const flat = stdout.replace(/\s+/g, ' ');
    const questions = '9 questions got no answer: task_completion (3), helpfulness (3), faithfulness (3)';
    expect(stdout).toMatch(/^\? Undecided: the judge gave no valid answer, 9 checks not run {2}a\.json:6$/m);
    expect(flat).toContain(`? ${questions}: 127.0.0.1:`);
    expect(flat).toContain('! task_completion, helpfulness, faithfulness: 0 of 9 scored, 9 failed, see Gates');
    expect(flat.split('requires an API key')).toHaveLength(2);
    expect(stdout).not.toContain(' < ');
  });

  it('reports once what a limit of calls skips, even without warnings', async () => {
    await using stub = await startStubModels(always);
    await using folder = await project(stub, { 'a.json': orders(10) });
    const { code, stdout, stderr } = await folder.run({ args: ['--max-calls', '4', '--quiet'] });
    expect([code, stderr]).toEqual([3, '']);
    const flat = stdout.replace(/\s+/g, ' ');
    const limit = 'The limit of 4 calls (judge.maxCalls) is reached.';
    expect(flat).toContain(`? 12 questions got no answer: task_completion (6), helpfulness (6): ${limit}`);
    expect(flat).toContain('× task_completion, helpfulness: 8 of 20 scored, 12 cancelled');
    expect(flat.split(limit)).toHaveLength(2);
  });
});

describe('an unreachable judge', () => {
  const out: Script = () => error(400, 'out of order');
  const why = / refused the request \(400: out of order\)\.$/;

  it('lets no session or task pass and counts no attempt', async () => {
    await using stub = await startStubModels(out);
    const name = 'plan-change-four-attempts.json';
    const attempts = await readFile(join(import.meta.dirname, '../../samples', name), 'utf8');
    await using folder = await project(stub, { 'a.json': attempts });
    const { code, report } = await folder.json({ args: ['--correct-by', 'verdict', '--ignore-outcome'] });
    expect(code).toBe(3);
    expect(report).toMatchObject({ verdict: 'undecided', attempts: null });
    expect(report.gates.map(({ met }: { met: boolean | null }) => met)).toEqual(Array(4).fill(true));
    expect(report.sessions).toHaveLength(4);
    for (const session of report.sessions) {
      expect(session).toMatchObject({ verdict: 'undecided', undecided: [expect.stringMatching(why)] });
    }
    expect(report.scenarios).toMatchObject([
      { verdict: 'undecided', assessment: null, attempts: 4, correct: 0, leftOut: 4, passAtK: [], passPowK: [] },
    ]);
    const { stdout } = await folder.run({ args: ['--correct-by', 'verdict', '--ignore-outcome', '--quiet'] });
    expect(stdout).toContain('Attempts\n  no estimate for 1 task\n  4 attempts left out');
    expect(stdout).not.toMatch(/^✓ /m);
  });

  it('is reported once for several files, with one total', async () => {
    await using stub = await startStubModels(out);
    await using folder = await project(stub, { 'a.json': orders(2), 'b.json': orders(3, { 0: 'And mine?' }) });
    const { report, stderr } = await folder.json({ args: ['b.json', '--threshold', 'composite_score=0.5'] });
    const [reported] = stderr.split('\n').filter((line) => line.includes('The judge left'));
    expect(reported).toMatch(/^warning: The judge left \d+ questions without an answer, so the run cannot pass\. 127/);
    const count = Number(/\d+/.exec(reported ?? '')?.[0]);
    const [unanswered] = report.undecided;
    expect(unanswered).toMatchObject({ code: 'judge-unanswered', count, reason: expect.stringMatching(why) });
    const failed: Record<string, number> = {};
    for (const { metrics } of report.sessions.flatMap(({ turns }: { turns: { metrics: object }[] }) => turns)) {
      for (const [name, { status }] of Object.entries<{ status: string }>(metrics)) {
        if (status === 'error') failed[name] = (failed[name] ?? 0) + 1;
      }
    }
    // Derived results failed too and are not questions.
    expect(failed).toEqual({ ...unanswered.metrics, composite_score: 5 });
  });
});

describe('an embedder', () => {
  it('is asked once for each text', async () => {
    await using stub = await startStubModels();
    await using folder = await temporaryFolder({ 'a.json': orders(3) });
    const args = ['eval', 'a.json', '--embedder', 'ollama:nomic', '--embedder-url', stub.origin, '--format', 'json'];
    const options = { cwd: folder.path, env: { TURNWISE_HOME: join(folder.path, 'home') } };
    const run = async () => JSON.parse((await turnwise(args, options)).stdout).run;
    expect(await run()).toMatchObject({
      embedder: { provider: 'ollama', model: 'nomic' },
      usage: { embeddedTexts: 6 },
    });
    expect(stub.requests.every(({ api, model }) => api === 'ollama embed' && model === 'nomic')).toBe(true);
    expect(new Set(stub.requests.flatMap(({ input }) => input)).size).toBe(6);
    const requestCount = stub.requests.length;
    await run();
    expect(stub.requests).toHaveLength(requestCount);
  });

  it('leaves clear errors and undecided gates if it is unreachable', async () => {
    await using folder = await temporaryFolder({ 'a.json': orders(2) });
    const args = ['eval', 'a.json', '--embedder', 'openai:e', '--embedder-url', 'http://127.0.0.1:9/v1'];
    const { code, stdout } = await turnwise([...args, '--threshold', 'loop_detection=0.5'], { cwd: folder.path });
    expect(code).toBe(3);
    expect(stdout.replace(/\s+/g, ' ')).toContain('127.0.0.1:9 does not answer (connection refused)');
  });

  it('leaves the run undecided if it is unreachable, even without a gate that needs it', async () => {
    await using folder = await temporaryFolder({ 'a.json': orders(2) });
    const args = ['eval', 'a.json', '--embedder', 'openai:e', '--embedder-url', 'http://127.0.0.1:9/v1'];
    const { code, stdout, stderr } = await turnwise(args, { cwd: folder.path });
    expect(code).toBe(3);
    expect(stdout).toContain('? 3 results could not be computed: coherence (2), loop_detection (1):');
    expect(stderr).toMatch(
      /^a\.json: warning: 3 results could not be computed, so the run cannot pass\. 127\.0\.0\.1:9 /m,
    );
  });
});

describe('cached answers', () => {
  it('are reused unless --no-cache is set', async () => {
    await using stub = await startStubModels(always);
    await using folder = await project(stub, { 'a.json': orders(5) });
    const firstReport = await folder.json();
    const again = await folder.json();
    expect(stub.requests).toHaveLength(5);
    expect(again.report.run.usage).toMatchObject({ judgeCalls: 0, judgeCallsCached: 5, promptTokens: 0 });
    expect(again.report.sessions).toEqual(firstReport.report.sessions);
    await folder.run({ args: ['--no-cache'] });
    expect(stub.requests).toHaveLength(10);
  });

  it('survive a killed process: the next run asks only for missing answers', async () => {
    await using stub = await startStubModels(first(30));
    await using folder = await project(stub, { 'a.json': orders(100) });
    // Eight at a time: when the last of these arrives, the first thirty are answered and the run stands still.
    const killed = await folder.run({ whileRunning: (child) => stub.arrived(38).then(() => child.kill('SIGKILL')) });
    expect(killed.code).toBeNull();
    stub.play(always);
    const { report } = await folder.json();
    expect(stub.requests).toHaveLength(38 + 70);
    expect(report.run.usage).toMatchObject({ judgeCalls: 70, judgeCallsCached: 30 });
    expect(statuses(report)).toEqual({ scored: 100 });
  });

  it('are kept after an edit of a turn, except for questions that show this turn', async () => {
    await using stub = await startStubModels(always);
    await using before = await project(stub, { 'a.json': orders(200) });
    await before.run();
    expect(stub.requests).toHaveLength(200);
    await writeFile(join(before.path, 'a.json'), orders(200, { 120: 'Which zebra ate order A-1120?' }));
    await before.run();
    const anew = stub.requests.slice(200);
    expect(anew.length).toBeGreaterThan(0);
    expect(anew.length).toBeLessThan(20);
    for (const { prompt } of anew) expect(prompt).toContain('Which zebra ate order A-1120?');
  });
});

describe('an incomplete run', () => {
  it('keeps answers when the judge goes down, and is undecided', async () => {
    await using stub = await startStubModels((request) => {
      if (request.number >= 40) void stub.stop();
      return request.number >= 40 ? hang : JUDGEMENT;
    });
    await using folder = await project(stub, { 'a.json': orders(100) });
    const { code, report } = await folder.json({ args: GATE });
    expect(code).toBe(3);
    expect(report).toMatchObject({ verdict: 'undecided', run: { complete: true } });
    const { scored = 0, error = 0 } = statuses(report);
    expect(scored).toBe(40);
    expect(error).toBe(60);
    expect(report.gates[0]).toMatchObject({ metric: 'helpfulness', met: null, scored: 40, of: 100, actual: 4 });
    const reasons = new Set<string>(
      report.sessions[0].turns.flatMap(
        ({ metrics }: { metrics: Record<string, { status: string; reason: string }> }) =>
          metrics.helpfulness?.status === 'error' ? [metrics.helpfulness.reason] : [],
      ),
    );
    expect([...reasons].some((reason) => /openai\/judge-1 did not answer 5 times in a row/.test(reason))).toBe(true);
    const host = new URL(stub.origin).host;
    for (const reason of reasons) expect(reason).toContain(host);
  });

  it('keeps answers when it is interrupted, and stops asking at once', async () => {
    await using stub = await startStubModels(first(10));
    await using folder = await project(stub, { 'a.json': orders(50) });
    const { code, report, stderr } = await folder.json({
      args: GATE,
      whileRunning: (child) => stub.arrived(18).then(() => child.kill('SIGINT')),
    });
    expect(code).toBe(130);
    expect(stderr).toContain('stopping and writing finished results');
    expect(report).toMatchObject({ verdict: 'undecided', run: { complete: false } });
    expect(statuses(report)).toEqual({ scored: 10, cancelled: 40 });
    expect(stub.requests).toHaveLength(18);
    expect(await Promise.all(stub.requests.slice(10).map(({ over }) => over))).toEqual(Array(8).fill('hung up'));
  });

  it('shows in the table what an interruption skipped', async () => {
    await using stub = await startStubModels(first(10));
    await using folder = await project(stub, { 'a.json': orders(50) });
    const { code, stdout } = await folder.run({
      args: ['--quiet'],
      whileRunning: (child) => stub.arrived(18).then(() => child.kill('SIGINT')),
    });
    expect(code).toBe(130);
    const flat = stdout.replace(/\s+/g, ' ');
    expect(flat).toContain(
      '? 80 results were not computed: task_completion (40), helpfulness (40): The run was stopped.',
    );
    expect(flat).toContain('× task_completion, helpfulness: 20 of 100 scored, 80 cancelled, see Gates');
    expect(stdout).toMatch(/^\? Undecided: the run was stopped, 80 checks not run {2}a\.json:2$/m);
  });
});

describe('--turns-per-call 2', () => {
  const both: Script = ({ schema }) =>
    'first' in Object(schema?.properties)
      ? answer({ first: ANSWERS, second: { ...ANSWERS, helpfulness: LOW } })
      : JUDGEMENT;
  const LOW = { evidence: [], reason: 'It is vague.', score: 2 };

  it('asks about two turns in each call, as estimated, and about none of them again', async () => {
    await using stub = await startStubModels(both);
    await using folder = await project(stub, { 'a.json': orders(7) });
    const args = ['--turns-per-call', '2'];
    const plan = await folder.run({ args: [...args, '--dry-run', '--format', 'json'] });
    expect(JSON.parse(plan.stdout)).toMatchObject({ judgeCalls: 4, judgeCallsCached: 0 });
    const { report } = await folder.json({ args });
    expect(stub.requests).toHaveLength(4);
    expect(report.run).toMatchObject({ turnsPerCall: 2, usage: { judgeCalls: 4 } });
    const [{ turns }] = report.sessions;
    const scores = turns.map(
      ({ metrics }: { metrics: { helpfulness: { score: number } } }) => metrics.helpfulness.score,
    );
    expect(scores).toEqual([4, 2, 4, 2, 4, 2, 4]);
    const again = await folder.json({ args });
    expect(again.report.run.usage).toMatchObject({ judgeCalls: 0, judgeCallsCached: 7 });
    expect(again.report.sessions).toEqual(report.sessions);
  });

  it('can be 1 or 2', async () => {
    await using stub = await startStubModels(both);
    await using folder = await project(stub, { 'a.json': orders(1) });
    const { code, stderr } = await folder.run({ args: ['--turns-per-call', '3'] });
    expect(code).toBe(2);
    expect(stderr).toContain('--turns-per-call: judge.turnsPerCall is 3; it must be one of 1, 2.');
  });
});

describe('--dry-run', () => {
  it('estimates what the run needs and asks no model', async () => {
    await using stub = await startStubModels(always);
    await using folder = await project(stub, { 'a.json': orders(12) });
    const plan = async (...args: string[]) =>
      JSON.parse((await folder.run({ args: ['--dry-run', '--format', 'json', ...args] })).stdout);
    const planned = await plan();
    expect(planned).toMatchObject({ judgeCalls: 12, judgeCallsCached: 0 });
    expect(stub.requests).toHaveLength(0);
    const { report } = await folder.json();
    expect(report.run.usage.judgeCalls).toBe(12);
    // The stub counts tokens differently and output lengths are unknown: estimates give an order of magnitude.
    const { promptTokens, completionTokens } = report.run.usage;
    expect(planned.promptTokens / promptTokens).toBeGreaterThan(0.5);
    expect(planned.promptTokens / promptTokens).toBeLessThan(2);
    expect(planned.completionTokens / completionTokens).toBeGreaterThan(0.25);
    expect(planned.completionTokens / completionTokens).toBeLessThan(4);
    expect(await plan()).toMatchObject({ judgeCalls: 0, judgeCallsCached: 12, promptTokens: 0 });
    expect(await plan('--no-cache')).toMatchObject({ judgeCalls: 12, judgeCallsCached: 0 });
    expect(stub.requests).toHaveLength(12);
  });

  it('says what a limit skips, and the cost', async () => {
    await using stub = await startStubModels();
    const price = '{ "judge": { "provider": "openai", "model": "judge-1", "price": { "input": 100, "output": 100 } } }';
    await using folder = await project(stub, { 'a.json': orders(12), 'turnwise.config.json': price });
    const { code, stdout } = await folder.run({ args: ['--dry-run', '--max-calls', '5'] });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^openai\/judge-1: about 12 calls, [\d,]+ tokens in, [\d,]+ out, cost \d\.\d\d$/m);
    expect(stdout).toContain('The limit of 5 calls stops the run early');
    expect(stub.requests).toHaveLength(0);
  });

  it('needs no key', async () => {
    await using folder = await temporaryFolder({ 'a.json': orders(2) });
    const dry = await turnwise(['eval', 'a.json', '--judge', 'openai:gpt-5-mini', '--dry-run', ...ASKED], {
      cwd: folder.path,
    });
    expect(dry).toMatchObject({ code: 0, stdout: expect.stringContaining('openai/gpt-5-mini: about 2 calls') });
  });
});
