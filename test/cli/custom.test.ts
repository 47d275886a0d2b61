import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Report } from '../../src/index.ts';
import { type CliOptions, turnwise } from '../support/cli.ts';
import { answer, error, type Script, startStubModels } from '../support/stub-models.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { agent, chat, user } from '../support/traces.ts';

const ANSWERS = [
  'Order A-1000 left on Monday.',
  'It is on its way.',
  'Order A-1002 left, as I said.',
  'Sorry, no.',
  'Bye.',
];

/** Five turns, each about a different order. */
const TRACE = chat(...ANSWERS.flatMap((text, index) => [user(`Where is order A-${1000 + index}?`), agent(text)]));

/** A folder with the trace, and the CLI running in it. */
async function project(files: Readonly<Record<string, string>>) {
  const folder = await temporaryFolder({ '.git': '', 'a.json': TRACE, ...files });
  const run = (args: readonly string[], options: Partial<CliOptions> = {}) =>
    turnwise(args, { cwd: folder.path, env: { TURNWISE_HOME: join(folder.path, 'home') }, ...options });
  const json = async (...args: string[]) => {
    const ended = await run(['eval', 'a.json', '--format', 'json', ...args]);
    return { ...ended, report: reportIn(ended.stdout) };
  };
  return { path: folder.path, run, json, [Symbol.asyncDispose]: folder[Symbol.asyncDispose] };
}

/** Standard output may contain nothing else. */
function reportIn(stdout: string): Report {
  return JSON.parse(stdout);
}

/** The results of a metric, by turn. */
function ofTurns({ sessions }: Report, metric: string) {
  return sessions.flatMap(({ turns }) => turns.map(({ metrics }) => metrics[metric]));
}

const scores = (report: Report, metric: string) => ofTurns(report, metric).map((result) => result?.score);
const reasons = (report: Report, metric: string) => ofTurns(report, metric).map((result) => result?.reason);
const statuses = (report: Report, metric: string) => ofTurns(report, metric).map((result) => result?.status);

const code = (...entries: readonly string[]) =>
  `export default { custom: [\n${entries.map((entry) => `  ${entry},`).join('\n')}\n] };\n`;

const NAMES_ORDER = `{ name: 'names_order', scale: 'unit', threshold: 1, evaluate: (turn) => ({
    score: /A-\\d{4}/.test(turn.output) ? 1 : 0, reason: 'looked', evidence: [turn.outputPointer] }) }`;

describe('a metric function', () => {
  it.each([
    ['turnwise.config.ts', NAMES_ORDER.replace('(turn)', '(turn: { output: string; outputPointer: string })')],
    ['turnwise.config.js', NAMES_ORDER],
    ['turnwise.config.mjs', NAMES_ORDER],
  ])('in %s runs, gates and appears in the output', async (name, metric) => {
    await using folder = await project({ [name]: code(metric) });
    const { code: exit, report } = await folder.json('--threshold', 'names_order=0.5');
    expect(exit).toBe(1);
    expect(scores(report, 'names_order')).toEqual([1, 0, 1, 0, 0]);
    expect(ofTurns(report, 'names_order')[1]).toMatchObject({
      status: 'scored',
      scale: [0, 1],
      threshold: 1,
      passed: false,
      source: 'rules',
      reason: 'looked',
      evidence: [{ pointer: '/3/content' }],
    });
    expect(report.gates[0]).toMatchObject({
      metric: 'names_order',
      threshold: 0.5,
      actual: 0.4,
      scored: 5,
      met: false,
    });
    expect(report.sessions[0]?.metrics.names_order).toMatchObject({ score: 0.4, source: 'aggregate' });
    expect((await folder.run(['eval', 'a.json', '--threshold', 'names_order=0.4'])).code).toBe(0);

    const { stdout, code: failed } = await folder.run(['eval', 'a.json', '--threshold', 'names_order=0.5']);
    expect(failed).toBe(1);
    expect(stdout).toContain('✗ names_order ≥ 0.50: 0.40, required: at least 0.50');
  });

  it('does not affect other metrics if it throws, is off scale or returns nothing', async () => {
    const config = code(
      NAMES_ORDER,
      `{ name: 'thrower', evaluate: (turn) => {
    if (turn.output.startsWith('Sorry')) throw new Error('no luck');
    return 4;
  } }`,
      `{ name: 'too_high', evaluate: () => 7 }`,
      `{ name: 'wrong', evaluate: () => ['a list'] }`,
      `{ name: 'silent', evaluate: () => {} }`,
    );
    await using without = await project({ 'turnwise.config.js': code(NAMES_ORDER) });
    await using folder = await project({ 'turnwise.config.js': config });
    const { report, code: exit } = await folder.json('--threshold', 'thrower=3');
    expect(scores(report, 'thrower')).toEqual([4, 4, 4, null, 4]);
    expect(reasons(report, 'thrower')[3]).toBe(
      'turnwise.config.js:5: the function of thrower threw an error: no luck.',
    );
    for (const [name, match] of [
      ['too_high', '7'],
      ['wrong', 'a list'],
      ['silent', 'nothing'],
    ] as const) {
      const reason = `turnwise.config.js: the function of ${name} returned ${match}; the scale of ${name} is 1 to 5.`;
      expect(new Set(statuses(report, name))).toEqual(new Set(['error']));
      expect(new Set(reasons(report, name))).toEqual(new Set([reason]));
    }
    // A missing result never passes.
    expect([exit, report.verdict]).toEqual([3, 'undecided']);
    expect(report.gates[0]).toMatchObject({ metric: 'thrower', scored: 4, of: 5, met: null });

    const own = ['thrower', 'too_high', 'wrong', 'silent'];
    const others = ofReport(report, own);
    expect(others).toEqual(ofReport((await without.json()).report, own));
    expect(scores(report, 'names_order')).toEqual([1, 0, 1, 0, 0]);
  });

  it('leaves the run undecided if it fails, even without a gate on it', async () => {
    const thrower = `{ name: 'thrower', evaluate: (turn) => {
    if (turn.output.startsWith('Sorry')) throw new Error('no luck');
    return 4;
  } }`;
    await using folder = await project({ 'turnwise.config.js': code(thrower) });
    const { report, code: exit, stderr } = await folder.json();
    const why = 'turnwise.config.js:3: the function of thrower threw an error: no luck.';
    expect([exit, report.verdict, report.sessions[0]?.verdict]).toEqual([3, 'undecided', 'undecided']);
    expect(report.undecided).toEqual([
      {
        code: 'function-failed',
        reason: `1 result of a function failed: thrower: ${why}`,
        cause: why,
        count: 1,
        metrics: { thrower: 1 },
      },
    ]);
    expect(stderr).toContain(`a.json: warning: 1 result of functions failed, so the run cannot pass. ${why}`);
    const { code: without } = await folder.run(['eval', 'a.json', '--metrics', 'loop_detection']);
    expect(without).toBe(0);
  });

  it('is stopped at most three times if it never returns, and the run finishes', async () => {
    const config = code(
      `{ name: 'endless', timeoutMs: 300, evaluate() { for (;;); } }`,
      `{ name: 'waiting', timeoutMs: 300, evaluate: () => new Promise(() => {}) }`,
      `{ name: 'leaving', evaluate: () => process.exit(3) }`,
      NAMES_ORDER,
    );
    await using folder = await project({ 'turnwise.config.js': config });
    const { report, code: exit } = await folder.json('--threshold', 'endless=1');
    const late = (name: string) =>
      `turnwise.config.js: the function of ${name} did not answer within 0.3 seconds, and was stopped.`;
    const input = (name: string) =>
      `turnwise.config.js: the function of ${name} is no longer called in this run, because 3 of its calls were lost.`;
    for (const name of ['endless', 'waiting']) {
      expect(reasons(report, name)).toEqual([...Array(3).fill(late(name)), ...Array(2).fill(input(name))]);
      expect(new Set(statuses(report, name))).toEqual(new Set(['error']));
    }
    const left = 'turnwise.config.js: the function of leaving ended its process (exit code 3).';
    expect(reasons(report, 'leaving')).toEqual([...Array(3).fill(left), ...Array(2).fill(input('leaving'))]);
    expect(scores(report, 'names_order')).toEqual([1, 0, 1, 0, 0]);
    expect([exit, report.verdict, report.run.complete]).toEqual([3, 'undecided', true]);
  });

  it('reads the results of other turn and session metrics', async () => {
    const config = code(
      NAMES_ORDER,
      `{ name: 'told', scale: 'unit', uses: ['names_order', 'loop_detection'], evaluate: (turn, { results, index, session }) =>
        results.loop_detection.score > 0 && session.turns[index].id === turn.id ? results.names_order.score : 0 }`,
      `{ name: 'share', scope: 'session', scale: 'unit', uses: ['told', 'session_risk'], evaluate: (session, { turnResults, results }) => ({
        score: turnResults.told.filter((result) => result.score === 1).length / session.turns.length,
        reason: 'risk is ' + typeof results.session_risk.score, evidence: [session.turns[0].pointer] }) }`,
    );
    await using folder = await project({ 'turnwise.config.js': config });
    const { report } = await folder.json('--metrics', 'share', '--threshold', 'share=0.5');
    expect(report.sessions[0]?.metrics.share).toMatchObject({ score: 0.4, reason: 'risk is number' });
    expect(ofTurns(report, 'told')[0]).toMatchObject({ score: 1, implied: true });
    expect(report.gates[0]).toMatchObject({ metric: 'share', actual: 0.4, met: false });
  });

  it('prints only to standard error and can use values that JSON cannot hold', async () => {
    const config = `console.log('loading');\n${code(`{ name: 'loud', evaluate: () => { console.log('calling'); process.stdout.write('calling'); return NaN; } }`)}`;
    await using folder = await project({ 'turnwise.config.js': config });
    const { report, stderr } = await folder.json();
    expect(stderr).toContain('calling');
    expect(reasons(report, 'loud')[0]).toContain('returned NaN');
  });

  it('is stopped with the run, which writes partial results', async () => {
    const config = code(
      NAMES_ORDER,
      `{ name: 'endless', timeoutMs: 60000, evaluate(turn, { index }) {
        if (index === 2) { console.error('looping as ' + process.pid + '.'); for (;;); }
        return 3;
      } }`,
    );
    await using folder = await project({ 'turnwise.config.js': config });
    let pid = 0;
    const { code: exit, stdout } = await folder.run(['eval', 'a.json', '--format', 'json'], {
      whileRunning: (child) =>
        onceTold(child, (reported) => {
          pid = reported;
          child.kill('SIGINT');
        }),
    });
    const report = reportIn(stdout);
    expect([exit, report.run.complete, report.verdict]).toEqual([130, false, 'undecided']);
    expect(statuses(report, 'endless')).toEqual(['scored', 'scored', 'cancelled', 'cancelled', 'cancelled']);
    expect(isAlive(pid)).toBe(false);
  });

  it('does not outlive a run that is killed', async () => {
    const config = code(
      `{ name: 'endless', timeoutMs: 600000, evaluate() { console.error('looping as ' + process.pid + '.'); for (;;); } }`,
    );
    await using folder = await project({ 'turnwise.config.js': config });
    let pid = 0;
    const { code: exit } = await folder.run(['eval', 'a.json'], {
      whileRunning: (child) =>
        onceTold(child, (reported) => {
          pid = reported;
          child.kill('SIGKILL');
        }),
    });
    expect(exit).toBeNull();
    await expect.poll(() => isAlive(pid), { timeout: 20_000 }).toBe(false);
  });
});

/** A report without these metrics and without values that differ in every run. */
function ofReport({ sessions, failures, observations }: Report, metrics: readonly string[]) {
  const rest = (results: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(results).filter(([name]) => !metrics.includes(name)));
  return {
    sessions: sessions.map((session) => ({
      metrics: rest(session.metrics),
      turns: session.turns.map((turn) => ({ ...turn, metrics: rest(turn.metrics) })),
    })),
    failures,
    observations,
  };
}

/** Calls back with the id of the process that reports a loop. */
function onceTold(
  child: Parameters<NonNullable<CliOptions['whileRunning']>>[0],
  reported: (pid: number) => void,
): void {
  let text = '';
  child.stderr?.on('data', (chunk) => {
    const before = text;
    text += chunk;
    const pid = /looping as (\d+)\./;
    const [, match] = pid.exec(text) ?? [];
    if (match !== undefined && !pid.test(before)) reported(Number(match));
  });
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const RUBRIC = { name: 'tone', rubric: 'The answer makes no jokes.', threshold: 4 };

/** Gives the turns these scores in order. */
const tones =
  (...input: readonly (number | null)[]): Script =>
  ({ prompt }) => {
    const asked = Number(/order A-100(\d)\?[^?]*$/.exec(prompt)?.[1]);
    return answer({ custom_tone: { evidence: [], reason: 'It is.', score: input[asked] ?? null } });
  };

describe('a rubric metric', () => {
  it.each([
    ['turnwise.config.json', JSON.stringify({ custom: [RUBRIC] })],
    ['turnwise.config.yaml', 'custom:\n  - name: tone\n    rubric: The answer makes no jokes.\n    threshold: 4\n'],
    ['turnwise.config.ts', `export default { custom: [${JSON.stringify(RUBRIC)} as const] };`],
  ])('in %s runs, gates and appears in the output', async (name, config) => {
    await using stub = await startStubModels(tones(5, 4, 5, null, 1));
    await using folder = await project({ [name]: config });
    const judge = ['--judge', 'openai:m', '--judge-url', stub.openai, '--metrics', 'tone'];
    const { report, code: exit } = await folder.json(...judge, '--threshold', 'tone=4');
    expect(exit).toBe(1);
    expect(scores(report, 'tone')).toEqual([5, 4, 5, null, 1]);
    expect(statuses(report, 'tone')[3]).toBe('not_applicable');
    expect(ofTurns(report, 'tone')[4]).toMatchObject({
      passed: false,
      threshold: 4,
      source: 'judge',
      judge: 'openai/m',
    });
    expect(report.gates[0]).toMatchObject({ metric: 'tone', actual: 3.75, scored: 4, of: 4, met: false });
    expect(stub.requests).toHaveLength(5);
    const { stdout } = await folder.run(['eval', 'a.json', ...judge, '--threshold', 'tone=3.5']);
    expect(stdout).toMatch(/^ {2}tone +3\.75 \/ 5 +4 /m);
  });

  it('shares calls with the other questions', async () => {
    await using stub = await startStubModels();
    await using folder = await project({ 'turnwise.config.json': JSON.stringify({ custom: [RUBRIC] }) });
    const { report } = await folder.json(
      '--judge',
      'openai:m',
      '--judge-url',
      stub.openai,
      '--metrics',
      'tone,helpfulness',
    );
    expect(stub.requests).toHaveLength(5);
    expect(scores(report, 'tone')).toEqual(scores(report, 'helpfulness'));
  });

  it('needs a judge, and is an error with undecided gates if the judge is unreachable', async () => {
    await using stub = await startStubModels(() => error(401, 'no'));
    await using folder = await project({ 'turnwise.config.json': JSON.stringify({ custom: [RUBRIC] }) });
    const alone = await folder.json('--threshold', 'tone=4');
    expect([alone.code, new Set(statuses(alone.report, 'tone'))]).toEqual([3, new Set(['needs_judge'])]);
    const out = await folder.json('--judge', 'openai:m', '--judge-url', stub.openai, '--threshold', 'tone=4');
    expect([out.code, new Set(statuses(out.report, 'tone'))]).toEqual([3, new Set(['error'])]);
  });

  it('can have its own model', async () => {
    await using stub = await startStubModels(tones(5, 5, 5, 5, 5));
    const judge = { provider: 'openai', model: 'm', baseUrl: stub.openai };
    const config = { judge, custom: [RUBRIC], metrics: { tone: { judge: 'openai:other' } } };
    await using folder = await project({ 'turnwise.config.json': JSON.stringify(config) });
    const { report } = await folder.json();
    expect(ofTurns(report, 'tone')[0]?.judge).toBe('openai/other');
  });

  it('is in the estimate, which calls no function', async () => {
    const loud = `{ name: 'loud', evaluate: () => { console.error('called'); return 3; } }`;
    await using folder = await project({ 'turnwise.config.js': code(JSON.stringify(RUBRIC), loud) });
    const { stdout, stderr } = await folder.run([
      ...[
        'eval',
        'a.json',
        '--judge',
        'ollama:m',
        '--metrics',
        'tone,loud',
        '--dry-run',
        '--format',
        'json',
        '--config',
        'turnwise.config.js',
      ],
    ]);
    expect(JSON.parse(stdout)).toMatchObject({ judgeCalls: 5, metrics: { run: ['loud'], judge: ['tone'] } });
    expect(stderr).not.toContain('called');
  });
});

describe('labels of a custom metric', () => {
  const LABELLED = (evaluate: string) =>
    `export default {
      custom: [{ name: 'manners', scale: 'label', labels: ['kind', 'rude'], evaluate: ${evaluate} }],
      severities: { rude: 'high' },
    };`;
  const RUDE = `(turn) => turn.output.startsWith('Sorry')
    ? { label: 'rude', reason: 'refuses', evidence: [turn.outputPointer] } : 'kind'`;

  it('fail with the configured severity', async () => {
    await using folder = await project({ 'turnwise.config.js': LABELLED(RUDE) });
    const { report, code: exit } = await folder.json('--fail-on', 'high');
    expect(exit).toBe(1);
    expect(ofTurns(report, 'manners').map((result) => result?.label)).toEqual(['kind', 'kind', 'kind', 'rude', 'kind']);
    expect(report.sessions[0]?.metrics.manners).toMatchObject({
      label: 'kind',
      reason: 'most frequent label of 5 answered of 5 turns',
    });
    expect(report.failures.filter(({ label }) => label === 'rude')).toMatchObject([
      {
        severity: 'high',
        count: 1,
        occurrences: [{ metric: 'manners', rule: null, turn: 3, reason: 'refuses', pointer: '/7/content' }],
      },
    ]);
    expect((await folder.json('--fail-on', 'critical')).code).toBe(0);
  });

  it('leave their gates undecided if they are missing', async () => {
    await using folder = await project({ 'turnwise.config.js': LABELLED(`() => 'rood'`) });
    const { report, code: exit } = await folder.json();
    expect(exit).toBe(3);
    expect(report.gates).toMatchObject([{ metric: 'severity', met: null }]);
    expect(reasons(report, 'manners')[0]).toContain('returned "rood"; the labels of manners are "kind", "rude".');
  });
});

describe('names of custom metrics', () => {
  const CONFIG = code(
    NAMES_ORDER,
    JSON.stringify({ ...RUBRIC, question: 'Is it serious?' }),
    `{ name: 'rare', optIn: true, evaluate: () => 3 }`,
  );

  it('are listed and explained', async () => {
    await using folder = await project({ 'turnwise.config.js': CONFIG });
    const config = ['--config', 'turnwise.config.js'];
    const { stdout } = await folder.run(['metrics', ...config]);
    expect(stdout).toMatch(/^names_order +turn +unit +1 {2}custom$/m);
    expect(stdout).toMatch(/^tone +turn +likert +4 {2}judge, custom$/m);
    expect(stdout).toMatch(/^rare +turn +likert +– {2}opt-in, custom$/m);
    const { stdout: page } = await folder.run(['metrics', 'tone', ...config]);
    expect(page).toMatch(/^tone\n {2}Is it serious\?\n/);
    expect(page).toContain('a rubric of your configuration');
    expect((await folder.run(['prompts', '--metric', 'tone', ...config])).stdout).toContain(
      'The answer makes no jokes.',
    );
  });

  it('are found only in the configuration passed with --config', async () => {
    await using folder = await project({ 'mine.js': CONFIG });
    expect((await folder.run(['metrics', 'rare', '--config', 'mine.js'])).stdout).toContain('only if named');
    expect(await folder.run(['metrics', 'rare'])).toMatchObject({ code: 2, stdout: '' });
  });

  it('work in --metrics alone and with others', async () => {
    await using folder = await project({ 'turnwise.config.js': CONFIG });
    const names = async (...args: string[]) =>
      Object.keys((await folder.json(...args)).report.sessions[0]?.turns[0]?.metrics ?? {});
    expect(await names('--metrics', 'names_order,rare')).toEqual(['names_order', 'rare']);
    const others = await names('--metrics', 'loop_detection');
    expect(others).toEqual(['loop_detection']);
    const all = await names();
    expect(all).toEqual(expect.arrayContaining(['names_order', 'tone', 'loop_detection']));
    expect(all).not.toContain('rare');
  });

  it.each([
    [['--metrics', 'name_order'], 'Unknown metric "name_order". Did you mean "names_order"?'],
    [['--threshold', 'tone=0.5'], 'gates.thresholds.tone is 0.5, but the scale of tone is 1 to 5.'],
  ])('are validated: %j', async (args, sentence) => {
    await using folder = await project({ 'turnwise.config.js': CONFIG });
    expect(await folder.run(['eval', 'a.json', ...args])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(sentence),
    });
  });

  it.each([
    [
      'turnwise.config.json',
      '{\n  "custom": [\n    { "name": "coherence", "rubric": "x" }\n  ]\n}',
      'turnwise.config.json:3:7: custom[0].name is "coherence", which is a built-in metric; choose another name.',
    ],
    [
      'turnwise.config.yaml',
      'custom:\n  - name: tone\n    rubrik: x\n',
      'turnwise.config.yaml:3:5: Unknown key "rubrik" in custom[0]. Did you mean "rubric"?',
    ],
    [
      'turnwise.config.json',
      '{ "custom": [{ "name": "tone", "evaluate": "() => 3" }] }',
      'turnwise.config.json:1:32: custom[0].evaluate is "() => 3"; it must be a function, which only code has: write a "rubric" instead, or the configuration as turnwise.config.ts.',
    ],
    [
      'turnwise.config.ts',
      'export default {\n  custom: [{ name: "tone", evaluate: () => 3, timeoutMs: 0 }],\n};',
      'turnwise.config.ts:2:47: custom[0].timeoutMs is 0; it must be a whole number from 1 to 3600000.',
    ],
  ])('are rejected with their location: %s', async (name, config, sentence) => {
    await using folder = await project({ [name]: config });
    const { code: exit, stdout, stderr } = await folder.run(['eval', 'a.json']);
    expect([exit, stdout]).toEqual([2, '']);
    expect(stderr).toContain(sentence);
  });
});

describe('examples in docs/custom-metrics.md', () => {
  const example = async (language: string): Promise<string> => {
    const page = await readFile(join(import.meta.dirname, '..', '..', 'docs', 'custom-metrics.md'), 'utf8');
    return new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(page)?.[1] ?? '';
  };

  it('work for rubrics, which are asked and gate', async () => {
    await using stub = await startStubModels(({ prompt }) =>
      answer({
        custom_tone_of_voice: { evidence: [], reason: 'It wanders.', score: 3 },
        ...(prompt.includes('custom_handed_over')
          ? { custom_handed_over: { evidence: [], reason: 'Nobody did.', score: 0 } }
          : {}),
      }),
    );
    await using folder = await project({ 'turnwise.config.yaml': await example('yaml') });
    const judge = ['--judge', 'openai:m', '--judge-url', stub.openai, '--metrics', 'tone_of_voice,handed_over'];
    const { report, code: exit } = await folder.json(...judge);
    expect(exit).toBe(1);
    expect(scores(report, 'tone_of_voice')).toEqual([3, 3, 3, 3, 3]);
    expect(report.sessions[0]?.metrics.handed_over).toMatchObject({ status: 'scored', score: 0, scale: [0, 1] });
    expect(report.gates[0]).toMatchObject({ metric: 'tone_of_voice', actual: 3, met: false });
  });

  it('work for functions, which are called and gate', async () => {
    await using folder = await project({ 'turnwise.config.ts': await example('ts') });
    const { report, code: exit } = await folder.json();
    expect(exit).toBe(1);
    expect(scores(report, 'cites_order')).toEqual([1, 0, 1, 0, 0]);
    expect(ofTurns(report, 'cites_order')[1]).toMatchObject({
      reason: 'does not name A-1001',
      evidence: [{ pointer: '/3/content' }],
    });
    expect(ofTurns(report, 'length_class')[0]).toMatchObject({ label: 'short' });
    expect(report.sessions[0]?.metrics.share_cited).toMatchObject({ score: 0.4 });
    expect(report.gates[0]).toMatchObject({ metric: 'cites_order', met: false });
  });
});
