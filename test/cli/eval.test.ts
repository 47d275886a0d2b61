import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { width } from '../../src/reports/terminal-text.ts';
import { CLI_MAIN, type CliOptions, type CliResult, turnwise } from '../support/cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { agent, chat, GOOD, LOOPING, UNKNOWN_TOOL, user } from '../support/traces.ts';

/** Runs `turnwise eval` in a folder with the given files. */
async function evaluate(
  files: Readonly<Record<string, string>>,
  args: readonly string[],
  options: Omit<CliOptions, 'cwd'> = {},
): Promise<CliResult> {
  await using folder = await temporaryFolder(files);
  return await turnwise(['eval', ...args], { cwd: folder.path, ...options });
}

/** No control sequences other than colours may remain. */
function withoutColors(text: string): string {
  return text.replace(new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, 'g'), '');
}

describe('verdicts and exit codes', () => {
  it.each<[string, Record<string, string>, string[], number, string]>([
    ['a good trace passes', { 'a.json': GOOD }, ['a.json'], 0, '1 session: without problems'],
    [
      'a missed threshold fails',
      { 'a.json': LOOPING },
      ['a.json', '--threshold', 'loop_detection=0.5'],
      1,
      '1 session: failed',
    ],
    [
      'a met threshold passes',
      { 'a.json': GOOD },
      ['a.json', '--threshold', 'loop_detection=50%'],
      0,
      '1 session: without problems',
    ],
    [
      'a gate on a judged metric is undecided',
      { 'a.json': GOOD },
      ['a.json', '--threshold', 'helpfulness=3'],
      3,
      '1 session: undecided',
    ],
    [
      'a failed gate wins over an undecided one',
      { 'a.json': LOOPING },
      ['a.json', '--threshold', 'helpfulness=3', '--threshold', 'loop_detection=0.5'],
      1,
      '1 session: failed',
    ],
    [
      'a failure at the asked level fails',
      { 'a.json': UNKNOWN_TOOL },
      ['a.json', '--fail-on', 'high'],
      1,
      '1 session: failed',
    ],
    [
      'a problem below the severity passes',
      { 'a.json': UNKNOWN_TOOL },
      ['a.json', '--fail-on', 'critical'],
      0,
      '1 session: with problems',
    ],
    ['never means never', { 'a.json': UNKNOWN_TOOL }, ['a.json', '--fail-on', 'never'], 0, '1 session: failed'],
    [
      'a broken file is an input error regardless of the verdict',
      { 'a.json': LOOPING, 'b.json': '{' },
      ['a.json', 'b.json', '--threshold', 'loop_detection=0.5'],
      2,
      '1 session: failed',
    ],
    [
      'metrics without a judge decide nothing without a gate, and a pass with nothing scored says so',
      { 'a.json': GOOD },
      ['a.json', '--metrics', 'support'],
      0,
      '1 session: without problems',
    ],
    ['nothing to evaluate passes nothing', { 'a.txt': '' }, ['.'], 3, 'No sessions'],
  ])('%s', async (_, files, args, code, first) => {
    const ended = await evaluate(files, args);
    expect(ended.stdout.split('\n')[0]).toMatch(new RegExp(`^${first} `));
    expect(ended.code).toBe(code);
  });
});

describe('input', () => {
  it('names the line of a broken file and still evaluates the others', async () => {
    const { code, stdout, stderr } = await evaluate({ 'good.json': GOOD, 'bad.json': '{\n  "messages": [,]\n}' }, [
      'good.json',
      'bad.json',
    ]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^bad\.json:2(:\d+)?: /m);
    expect(stdout).toContain('good.json');
    expect(stderr).toContain(
      'Exit code 2: 1 error above. The verdict of the session that was evaluated is "passed".\n',
    );
  });

  it('reads folders and skips files that are not traces', async () => {
    const files = { 'traces/a.json': GOOD, 'traces/package.json': '{"name": "x", "version": "1.0.0"}' };
    const { code, stdout, stderr } = await evaluate(files, ['traces']);
    expect(code).toBe(0);
    expect(stdout).toContain('1 session: without problems · 2 turns');
    expect(stderr).toContain('traces/package.json: skipped, not a trace');
  });

  it('reports an explicitly named file that is not a trace as an error', async () => {
    const { code, stderr } = await evaluate({ 'package.json': '{"name": "x"}' }, ['package.json']);
    expect(code).toBe(2);
    expect(stderr).toContain('package.json:1:');
  });

  it('expands globs itself and says if one matches nothing', async () => {
    const files = { 'runs/1/a.json': GOOD, 'runs/2/b.json': GOOD };
    expect((await evaluate(files, ['runs/**/*.json'])).stdout).toContain('2 sessions: 2 without problems · 4 turns');
    expect(await evaluate(files, ['none/**/*.json'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('No file matches "none/**/*.json"'),
    });
  });

  it('reads standard input', async () => {
    const { code, stdout } = await evaluate({}, ['-'], { stdin: GOOD });
    expect(code).toBe(0);
    expect(stdout).toContain('standard input');
  });

  it('reads tools from a file, so that it finds unknown tools', async () => {
    const messages = JSON.stringify(JSON.parse(UNKNOWN_TOOL).messages);
    const files = { 'a.json': messages, 'tools.json': '[{"type": "function", "function": {"name": "get_order"}}]' };
    expect((await evaluate(files, ['a.json'])).stdout).not.toContain('unknown-tool');
    expect((await evaluate(files, ['a.json', '--tools', 'tools.json'])).stdout).toContain('unknown-tool');
    expect(await evaluate(files, ['a.json', '--tools', 'nowhere.json'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('nowhere.json'),
    });
  });

  it('reads a file in the requested format', async () => {
    const report = await evaluate({ 'a.json': GOOD }, ['a.json', '--input-format', 'openai-chat', '--format', 'json']);
    expect(JSON.parse(report.stdout).sessions[0].source.format).toBe('openai-chat');
    expect(await evaluate({ 'a.json': GOOD }, ['a.json', '--input-format', 'opena-chat'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Did you mean "openai-chat"?'),
    });
  });
});

describe('selection', () => {
  const files = {
    'a.jsonl': [GOOD, LOOPING, GOOD, GOOD].map((item) => JSON.stringify({ messages: JSON.parse(item) })).join('\n'),
  };
  const sessions = async (...args: string[]) => {
    const { stdout, ...rest } = await evaluate(files, ['a.jsonl', '--format', 'json', ...args]);
    return { ...rest, report: JSON.parse(stdout) };
  };

  it('selects one session by id', async () => {
    const all = await sessions();
    const id = all.report.sessions[1].id;
    const one = await sessions('--session', id);
    expect(one.report.sessions.map((session: { id: string }) => session.id)).toEqual([id]);
    expect(await sessions('--session', 'nobody')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no session "nobody"'),
    });
  });

  it('selects one turn by its one-based number', async () => {
    const { report } = await sessions('--turn', '2');
    for (const session of report.sessions)
      expect(session.turns.map((turn: { index: number }) => turn.index)).toEqual([1]);
    expect(await sessions('--turn', '9')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('No session has a turn 9'),
    });
  });

  it('selects the same sample every time', async () => {
    const [one, other] = await Promise.all([sessions('--sample', '2'), sessions('--sample', '2')]);
    expect(one.report.sessions).toHaveLength(2);
    expect(one.report.sessions).toEqual(other.report.sessions);
  });
});

describe('the JSON report', () => {
  it('is written alone to standard output and matches its schema', async () => {
    const { code, stdout } = await evaluate({ 'a.json': GOOD }, [
      'a.json',
      '--format',
      'json',
      '--agent-version',
      'v7',
    ]);
    const report = JSON.parse(stdout);
    expect(code).toBe(0);
    expect(Object.keys(report)).toEqual(
      expect.arrayContaining([
        'schemaVersion',
        'tool',
        'run',
        'verdict',
        'metrics',
        'gates',
        'sessions',
        'scenarios',
        'attempts',
        'failures',
        'problems',
      ]),
    );
    expect(report).toMatchObject({
      schemaVersion: 1,
      verdict: 'passed',
      run: { complete: true, agentVersion: 'v7', judge: null },
    });
  });

  it('is written to the file of --out instead of standard output', async () => {
    await using folder = await temporaryFolder({ 'a.json': GOOD });
    const { code, stdout } = await turnwise(['eval', 'a.json', '--format', 'json', '--out', 'report.json'], {
      cwd: folder.path,
    });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(JSON.parse(await readFile(join(folder.path, 'report.json'), 'utf8')).verdict).toBe('passed');
  });

  it('fails before the evaluation if it cannot be written', async () => {
    const { code, stdout, stderr } = await evaluate({ 'a.json': GOOD }, [
      'a.json',
      '--out',
      'no/such/folder/report.json',
    ]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('there is no folder no/such/folder');
  });

  it('contains the attempts of tasks', async () => {
    const traj = JSON.parse(GOOD);
    const trial = (task_id: number, index: number, reward: number) => ({
      task_id,
      trial: index,
      reward,
      info: { task: { instruction: 'x', actions: [] } },
      traj,
    });
    const results = JSON.stringify([trial(1, 0, 1), trial(1, 1, 0), trial(2, 0, 1), trial(2, 1, 1)]);
    const { stdout } = await evaluate({ 'results.json': results }, [
      'results.json',
      '--format',
      'json',
      '--k',
      '1,2',
      '--correct-by',
      'reward',
    ]);
    expect(JSON.parse(stdout).attempts).toMatchObject({
      estimator: 'unbiased',
      correctBy: 'reward',
      scenarios: 2,
      leftOut: 0,
      table: [
        { k: 1, passAtK: 0.75, passPowK: 0.75 },
        { k: 2, passAtK: 1, passPowK: 0.5 },
      ],
    });
    expect(await evaluate({ 'results.json': results }, ['results.json', '--correct-by', 'rewrad'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Did you mean "reward"?'),
    });
  });
});

describe('configuration', () => {
  it('names one beside or above the inputs that does not count, because another folder is the working directory', async () => {
    await using folder = await temporaryFolder({
      'here/a.json': GOOD,
      'there/.git/HEAD': '',
      'there/turnwise.config.json': '{}',
      'there/traces/b.json': GOOD,
    });
    const run = (...args: string[]) => turnwise(['eval', ...args], { cwd: join(folder.path, 'here') });
    const file = join(folder.path, 'there', 'turnwise.config.json');
    const line = `${file} does not count here: run turnwise in that folder, or add --config ${file}\n`;
    expect((await run('../there/traces/b.json', 'a.json')).stderr).toContain(line);
    expect((await run('../there')).stderr).toContain(line);
    for (const args of [['a.json'], ['../there', '--config', file], ['../there', '--quiet']]) {
      expect((await run(...args)).stderr).not.toContain('does not count');
    }
  });

  it('is found automatically and gates', async () => {
    const files = { 'a.json': LOOPING, 'turnwise.config.yaml': 'gates:\n  thresholds:\n    loop_detection: 80%\n' };
    expect((await evaluate(files, ['a.json'])).code).toBe(1);
    expect((await evaluate(files, ['a.json', '--threshold', 'loop_detection=0'])).code).toBe(0);
  });

  it.each([
    [
      'turnwise.config.json',
      '{\n  "metrcs": []\n}',
      'turnwise.config.json:2:3: Unknown key "metrcs". Did you mean "metrics"?',
    ],
    [
      'turnwise.config.json',
      '{\n  "gates": {\n    "thresholds": { "lop_detection": 1 }\n  }\n}',
      'turnwise.config.json:3:21: Unknown metric "lop_detection". Did you mean "loop_detection"?',
    ],
    ['turnwise.config.json', '{', 'turnwise.config.json:1:2: This is not JSON'],
    [
      'turnwise.config.ts',
      'throw new Error("boom");',
      'turnwise.config.ts:1:1: The configuration threw an error: boom.',
    ],
  ])('stops the run with a clear message if invalid: %s %j', async (name, text, sentence) => {
    const { code, stdout, stderr } = await evaluate({ 'a.json': GOOD, [name]: text }, ['a.json']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(sentence);
  });

  it('can be passed with --config', async () => {
    const files = { 'a.json': LOOPING, 'ci/strict.json': '{"gates": {"thresholds": {"loop_detection": 0.8}}}' };
    expect((await evaluate(files, ['a.json', '--config', 'ci/strict.json'])).code).toBe(1);
    expect(await evaluate(files, ['a.json', '--config', 'ci/none.json'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('there is no such file'),
    });
  });

  it("uses ADK's criteria next to an evaluation set", async () => {
    const set = {
      eval_set_id: 'weather',
      eval_cases: [
        {
          eval_id: 'rain',
          conversation: [
            {
              invocation_id: 'i1',
              user_content: { role: 'user', parts: [{ text: 'Will it rain in Bern?' }] },
              final_response: { role: 'model', parts: [{ text: 'Yes, it will rain.' }] },
              intermediate_data: {
                tool_uses: [{ name: 'get_weather', args: { city: 'Bern' } }],
                intermediate_responses: [],
              },
            },
          ],
        },
      ],
    };
    const session = {
      id: 's1',
      app_name: 'weather',
      user_id: 'u',
      events: [
        {
          id: 'e1',
          invocation_id: 'i1',
          author: 'user',
          timestamp: 1,
          content: { role: 'user', parts: [{ text: 'Will it rain in Bern?' }] },
        },
        {
          id: 'e2',
          invocation_id: 'i1',
          author: 'agent',
          timestamp: 2,
          content: { role: 'model', parts: [{ text: 'I do not know.' }] },
        },
      ],
    };
    const files = { 'w.evalset.json': JSON.stringify(set), 'w.session.json': JSON.stringify(session) };
    const criteria = (config: object) => ({ ...files, 'test_config.json': JSON.stringify(config) });
    const args = ['w.evalset.json', 'w.session.json'];
    expect((await evaluate(files, args)).code).toBe(0);
    expect(await evaluate(criteria({ criteria: { tool_trajectory_avg_score: 1.0 } }), args)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('✗ tool_trajectory_avg_score ≥ 1.00'),
    });
    expect(await evaluate(criteria({ criteria: { tool_trajectory: 1.0 } }), args)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('test_config.json:1:'),
    });
  });
});

describe('options', () => {
  it('restrict the metrics', async () => {
    const { stdout } = await evaluate({ 'a.json': GOOD }, [
      'a.json',
      '--metrics',
      'loop_detection,tool_call_count',
      '--format',
      'json',
    ]);
    const [turn] = JSON.parse(stdout).sessions[0].turns;
    expect(Object.keys(turn.metrics).sort()).toEqual(['loop_detection', 'tool_call_count']);
  });

  it('disable the rules', async () => {
    expect((await evaluate({ 'a.json': UNKNOWN_TOOL }, ['a.json', '--judge', 'none', '--fail-on', 'low'])).code).toBe(
      0,
    );
    expect((await evaluate({ 'a.json': UNKNOWN_TOOL }, ['a.json', '--judge', 'rules', '--fail-on', 'low'])).code).toBe(
      1,
    );
  });

  it('print only the plan', async () => {
    const { code, stdout } = await evaluate({ 'a.json': GOOD }, [
      'a.json',
      '--dry-run',
      '--threshold',
      'loop_detection=0.5',
    ]);
    expect(code).toBe(0);
    expect(stdout).toContain('Plan: 1 session, 2 turns. Nothing is evaluated');
    expect(stdout).toMatch(/Need a judge.*\n.*task_completion/);
    expect(stdout).toContain('loop_detection 0.5');
    const json = await evaluate({ 'a.json': GOOD }, ['a.json', '--dry-run', '--format', 'json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ sessions: 1, turns: 2, judgeCalls: 0 });
  });
});

describe('output', () => {
  it.each([
    ['a turn that no session has', ['--turn', '9']],
    ['a session that is not there', ['--session', 'nobody']],
    ['a result that no session has', ['--correct-by', 'nothing']],
  ])('for %s is only the error', async (_, args) => {
    const { code, stdout, stderr } = await evaluate({ 'chat.json': GOOD }, ['chat.json', ...args]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).not.toBe('');
  });

  it('for a missing file is only the error, or a report in machine formats', async () => {
    const table = await evaluate({}, ['nope.json']);
    expect([table.code, table.stdout]).toEqual([2, '']);
    const json = await evaluate({}, ['nope.json', '--format', 'json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ verdict: 'undecided', problems: [{ file: 'nope.json' }] });
  });

  it('is plain in a pipe', async () => {
    const { stdout } = await evaluate({ 'a.json': LOOPING }, ['a.json']);
    expect(stdout).not.toMatch(/[▮▯]|(?!\n)\p{Cc}/u);
  });

  it('has colours if forced, and no colours with NO_COLOR', async () => {
    const forced = await evaluate({ 'a.json': LOOPING }, ['a.json'], { env: { FORCE_COLOR: '1' } });
    expect(forced.stdout).toContain('\u001b[');
    const without = await evaluate({ 'a.json': LOOPING }, ['a.json'], { env: { FORCE_COLOR: '1', NO_COLOR: '1' } });
    expect(without.stdout).not.toContain('\u001b');
  });

  it.each([60, 80, 120])('fits %i columns', async (columns) => {
    const answer = `Please ${'explain '.repeat(40)}日本語`;
    const files = {
      'a.json': UNKNOWN_TOOL,
      'b.json': LOOPING,
      'c.json': chat(user(answer), agent(answer), user(answer), agent(answer)),
    };
    for (const forced of ['1', '0']) {
      const { stdout } = await evaluate(files, ['.'], { env: { FORCE_COLOR: forced, COLUMNS: String(columns) } });
      for (const line of stdout.split('\n')) {
        const bare = withoutColors(line);
        expect(width(bare), bare).toBeLessThanOrEqual(columns);
      }
    }
  });

  it('shows user messages without control characters', async () => {
    const hostile = chat(
      user('Hello \u001b[2J\u001b]0;owned\u0007\u202Eworld'),
      agent('Fine.'),
      user('More\r\nlines'),
      agent('Fine.'),
    );
    const { stdout } = await evaluate({ 'a.json': hostile }, ['a.json', '--verbose', '--with-transcripts'], {
      env: { FORCE_COLOR: '1' },
    });
    expect(stdout).toContain('Hello world');
    expect(stdout).toContain('More lines');
    expect(withoutColors(stdout)).not.toMatch(/(?!\n)[\p{Cc}\u202E]/u);
  });

  it('contains only errors with --quiet, and more with --verbose', async () => {
    const files = { 't/a.json': GOOD, 't/b.json': '{"name": "x"}' };
    expect((await evaluate(files, ['t', '--quiet'])).stderr).toBe('');
    const { stderr } = await evaluate(files, ['t', '--verbose']);
    expect(stderr).toContain('configuration: none found');
    expect(stderr).toContain('t/a.json: openai-chat');
  });

  it('ends quietly when its reader closes the pipe', async () => {
    const many = Array.from({ length: 300 }, (_, index) =>
      JSON.stringify({ messages: JSON.parse(index % 2 ? GOOD : LOOPING) }),
    ).join('\n');
    await using folder = await temporaryFolder({ 'a.jsonl': many });
    const script = `"${process.execPath}" "${CLI_MAIN}" eval a.jsonl --format json | head -n 1; echo "\${PIPESTATUS[0]}"`;
    const shell = await new Promise<{ stdout: string; stderr: string }>((resolve) => {
      execFile('bash', ['-c', script], { cwd: folder.path }, (_, stdout, stderr) => resolve({ stdout, stderr }));
    });
    expect(shell.stdout).toBe('{\n0\n');
    expect(shell.stderr).not.toContain('EPIPE');
  });
});

describe('Ctrl-C', () => {
  it('stops a run that waits for its input and writes finished results', async () => {
    const { code, stdout, stderr } = await evaluate({}, ['-', '--format', 'json', '--verbose'], {
      // Its first output shows that it handles the signal.
      whileRunning: (child) => child.stderr?.once('data', () => child.kill('SIGINT')),
    });
    expect(code).toBe(130);
    expect(JSON.parse(stdout)).toMatchObject({ run: { complete: false }, verdict: 'undecided', sessions: [] });
    expect(stderr).toContain('stopping');
  });
});
