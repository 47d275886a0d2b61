import { describe, expect, it } from 'vitest';
import { type AgentStep, agentToolCalls, type ModelStep, type Session } from '../../../../src/core/session.ts';
import { claudeCode } from '../../../../src/formats/agents/claude-code.ts';
import { callAt, codes, fixture, json, jsonLines, onlySession, read, turnAt } from '../read-fixture.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Lines that follow each other, as far as they do not say otherwise. */
function log(...lines: readonly Fields[]): Fields[] {
  let last: unknown = null;
  return lines.map((line, index) => {
    const whole = { parentUuid: last, uuid: `l${index}`, sessionId: 's', isSidechain: false, ...line };
    if (!whole.isSidechain) last = whole.uuid;
    return whole;
  });
}

const user = (content: unknown, more: Fields = {}) => ({ type: 'user', message: { role: 'user', content }, ...more });
const agent = (content: unknown, more: Fields = {}) => ({
  type: 'assistant',
  message: { role: 'assistant', content: typeof content === 'string' ? [{ type: 'text', text: content }] : content },
  ...more,
});
const piece = (id: string, block: Fields, message: Fields = {}, more: Fields = {}) => ({
  type: 'assistant',
  message: { id, role: 'assistant', content: [block], ...message },
  ...more,
});
const text = (content: string) => ({ type: 'text', text: content });
const use = (id: string, name = 'Read', input: Fields = {}) => ({ type: 'tool_use', id, name, input });
const result = (id: string, content: unknown, more: Fields = {}, line: Fields = {}) =>
  user([{ type: 'tool_result', tool_use_id: id, content, ...more }], line);

const readLines = (...lines: readonly Fields[]) => claudeCode.read(jsonLines(log(...lines)));
const sessionOf = (...lines: readonly Fields[]) => onlySession(readLines(...lines));

/** What was asked and answered, and the calls between. */
function essence({ turns }: Session): unknown[] {
  return turns.map((turn) => [
    turn.input,
    ...agentToolCalls(turn).map(({ name, id, outcome }) => `${name} ${id} ${outcome}`),
    turn.output,
  ]);
}

function agentsIn(session: Session): AgentStep[] {
  return session.turns.flatMap(({ steps }) => steps.filter((step) => step.type === 'agent'));
}

function models(session: Session): ModelStep[] {
  return session.turns.flatMap(({ steps }) => steps.filter((step) => step.type === 'model'));
}

describe('a message', () => {
  it('written in pieces is one message with the last token counts', () => {
    const session = onlySession(read(fixture('claude-code.jsonl')));
    const [first, , third] = models(session);
    expect(first).toEqual({
      type: 'model',
      pointer: '/11',
      text: 'Let me look at the order.',
      reasoning: 'The order comes first.',
      model: 'claude-sonnet-4-5',
      finishReason: 'tool_use',
      usage: { inputTokens: 1104, outputTokens: 40, cachedTokens: 1000 },
    });
    expect(third?.usage?.outputTokens).toBe(60);
    expect(models(session)).toHaveLength(6);
    expect(session.metadata).toEqual({
      title: 'Refund of A-1001',
      cwd: '/home/ann/shop',
      git_branch: 'main',
      version: '2.1.42',
    });
  });

  it('has calls of all its pieces, even while other calls run', () => {
    const at = (second: number) => ({ timestamp: `2026-03-01T10:00:0${second}.000Z` });
    const session = sessionOf(
      user('go', at(0)),
      piece('m', use('a'), {}, at(1)),
      result('a', 'x', {}, at(2)),
      piece('m', use('b'), {}, at(3)),
      result('b', 'y', {}, at(4)),
      agent('done', at(5)),
    );
    const turn = turnAt(session, 0);
    const times = agentToolCalls(turn).map(({ startedAt, endedAt }) => [
      startedAt?.slice(17, 19),
      endedAt?.slice(17, 19),
    ]);
    expect(times).toEqual([
      ['01', '02'],
      ['03', '04'],
    ]);
    expect([turn.startedAt, turn.endedAt]).toEqual(['2026-03-01T10:00:00.000Z', '2026-03-01T10:00:05.000Z']);
    expect(models(session)).toHaveLength(2);
  });

  it('has each call once', () => {
    expect(essence(sessionOf(user('go'), piece('m', use('a')), piece('m', use('a')), result('a', 'x')))).toEqual([
      ['go', 'Read a ok', null],
    ]);
  });

  it('of a failed request is an error; a placeholder is not an answer', () => {
    const synthetic = { model: '<synthetic>' };
    const session = sessionOf(
      user('hi'),
      piece('a', text('API Error: 529 overloaded'), synthetic, { isApiErrorMessage: true }),
      piece('b', text('No response requested.'), synthetic),
      piece('c', text('You have reached your limit.'), synthetic),
      piece('d', text('hello')),
    );
    expect(essence(session)).toEqual([['hi', 'hello']]);
    expect(models(session).map(({ text, error, model }) => [text, error, model])).toEqual([
      [undefined, 'API Error: 529 overloaded', undefined],
      [undefined, 'You have reached your limit.', undefined],
      ['hello', undefined, undefined],
    ]);
  });

  it('without an id is a message of its own', () => {
    expect(models(sessionOf(user('hi'), agent('a'), agent('b')))).toHaveLength(2);
  });
});

describe('the text of a user line', () => {
  const REMINDER = '<system-reminder>\nUse the tools.\n</system-reminder>';

  it.each<[string, unknown, string | null]>([
    ['a text', 'hi', 'hi'],
    ['blocks of text', [text('hi'), text('there')], 'hi\nthere'],
    ['a reminder and a text', `${REMINDER}\n\nhi`, 'hi'],
    ['a text between reminders', [text(REMINDER), text('hi'), text(REMINDER)], 'hi'],
    ['a reminder that does not end', '<system-reminder>hi', '<system-reminder>hi'],
    ['a text about tags', 'What is <command-name>?', 'What is <command-name>?'],
    ['a text that begins with another tag', '<div> is the wrapper I mean', '<div> is the wrapper I mean'],
    ['an image', [{ type: 'image', source: { type: 'base64', data: 'eA==' } }], ''],
    ['a reminder alone', REMINDER, null],
    ['the output of a command', '<local-command-stdout>bye</local-command-stdout>', null],
    ['a shell command of the user', '<bash-input>ls</bash-input>', null],
    ['what it printed', '<bash-stdout>a.txt</bash-stdout><bash-stderr></bash-stderr>', null],
    ['the file that is open', [text('<ide_opened_file>a.ts</ide_opened_file>')], null],
    ['the end of a task', '<task-notification>\n<status>completed</status>\n</task-notification>', null],
    ['an interruption', [text('[Request interrupted by user for tool use]')], null],
    ['a caveat', 'Caveat: The messages below were generated by the user while running local commands.', null],
  ])('%s', (_, content, input) => {
    const session = sessionOf(user(content), agent('hello'));
    expect(session.turns.map((turn) => turn.input)).toEqual([input]);
    expect(session.turns[0]?.output).toBe('hello');
  });

  it.each<[string, Fields]>([
    ['the harness', { isMeta: true }],
    ['a summary of what went before', { isCompactSummary: true, isVisibleInTranscriptOnly: true }],
    ['another agent', { origin: { kind: 'peer' } }],
  ])("is not the user's when it comes from %s", (_, more) => {
    expect(essence(sessionOf(user('hi'), user('continue', more), agent('hello')))).toEqual([['hi', 'hello']]);
  });

  it("is the user's when it comes from a person", () => {
    expect(essence(sessionOf(user('hi', { origin: { kind: 'human' } }), agent('hello')))).toEqual([['hi', 'hello']]);
  });

  const command = (name: string, input = '') =>
    user(
      `<command-name>${name}</command-name>\n<command-message>${name}</command-message>\n<command-args>${input}</command-args>`,
    );

  it('is a command as typed if the agent answers it', () => {
    const expanded = user([text('You review code. Review: lib')], { isMeta: true });
    expect(essence(sessionOf(user('hi'), agent('a'), command('/review', 'lib'), expanded, agent('b')))).toEqual([
      ['hi', 'a'],
      ['/review lib', 'b'],
    ]);
    expect(essence(sessionOf(command('init'), agent('b')))).toEqual([['/init', 'b']]);
  });

  it.each<[string, readonly Fields[]]>([
    ['prints something', [user('<local-command-stdout>Set model</local-command-stdout>')]],
    [
      'prints into a line of the system',
      [{ type: 'system', content: '<local-command-stdout>x</local-command-stdout>' }],
    ],
  ])('is ignored if a command only %s, even while the agent works', (_, printed) => {
    const model = [command('/model', 'opus'), ...printed];
    expect(essence(sessionOf(...model, user('hi'), ...model, agent('hello')))).toEqual([['hi', 'hello']]);
  });

  it('is ignored if another message follows the command', () => {
    expect(essence(sessionOf(command('/model'), user('hi'), agent('hello')))).toEqual([['hi', 'hello']]);
  });

  it.each<[string, Fields, boolean]>([
    ['a text', { prompt: 'stop', commandMode: 'prompt' }, true],
    ['a text without a mode', { prompt: 'stop' }, true],
    ['blocks', { prompt: [text('stop')], commandMode: 'prompt' }, true],
    [
      'the end of a task',
      { prompt: '<task-notification>x</task-notification>', commandMode: 'task-notification' },
      false,
    ],
    ['a command for the shell', { prompt: 'ls', commandMode: 'bash' }, false],
    ['what another agent says', { prompt: 'stop', origin: { kind: 'peer' } }, false],
  ])('may be typed while the agent works: %s', (_, queued, isSaid) => {
    const attachment = { type: 'queued_command', ...queued };
    const session = sessionOf(
      user('go'),
      piece('m', use('a')),
      result('a', 'x'),
      { type: 'attachment', attachment },
      agent('ok'),
    );
    expect(essence(session)).toEqual(
      isSaid
        ? [
            ['go', 'Read a ok', null],
            ['stop', 'ok'],
          ]
        : [['go', 'Read a ok', 'ok']],
    );
  });
});

describe('the outcome of a call', () => {
  const REFUSED =
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed.";

  it.each<[string, unknown, Fields, Fields, string, string | undefined]>([
    ['no flag', 'x', {}, {}, 'ok', undefined],
    ['a flag that says no', 'x', { is_error: false }, {}, 'ok', undefined],
    ['text that looks like an error, and no flag', 'Error: of a file that was read', {}, {}, 'ok', undefined],
    ['no content', undefined, {}, {}, 'ok', undefined],
    [
      'a failing command',
      'Exit code 1',
      { is_error: true },
      { toolUseResult: 'Error: Exit code 1' },
      'error',
      'Exit code 1',
    ],
    ['blocks', [text('a'), text('b')], { is_error: true }, {}, 'error', 'a\nb'],
    ['the harness', '<tool_use_error>x</tool_use_error>', {}, {}, 'error', '<tool_use_error>x</tool_use_error>'],
    [
      'a permission that nobody gave',
      "you haven't granted it yet",
      { is_error: true },
      {},
      'error',
      "you haven't granted it yet",
    ],
    ['a refusal', REFUSED, { is_error: true }, { toolUseResult: 'User rejected tool use' }, 'rejected', undefined],
    [
      'a refusal of an older version',
      REFUSED,
      { is_error: true },
      { toolUseResult: `Error: ${REFUSED}` },
      'rejected',
      undefined,
    ],
    [
      'a refusal in the user’s own words',
      'Not that one.',
      { is_error: true },
      { toolUseResult: 'User rejected tool use' },
      'rejected',
      undefined,
    ],
    ['an interruption', '[Request interrupted by user for tool use]', { is_error: true }, {}, 'rejected', undefined],
    [
      'a refusal of a parallel call',
      '<tool_use_error>User rejected tool use</tool_use_error>',
      { is_error: true },
      {},
      'rejected',
      undefined,
    ],
    ['a file that speaks of a refusal', REFUSED, {}, {}, 'ok', undefined],
  ])('%s', (_, content, flag, line, outcome, error) => {
    const session = sessionOf(user('go'), agent([use('a')]), result('a', content, flag, line), agent('done'));
    const call = callAt(turnAt(session, 0), 0);
    expect([call.outcome, call.error]).toEqual([outcome, error]);
  });

  it('is missing if the log ends before', () => {
    expect(essence(sessionOf(user('go'), agent([use('a')])))).toEqual([['go', 'Read a missing', null]]);
  });
});

describe('the current branch', () => {
  it('is read, with a warning for abandoned branches', () => {
    const reading = read(fixture('claude-code.jsonl'));
    expect(reading.problems.map(({ code, pointer, message }) => [code, pointer, message])).toEqual([
      [
        'left-branch',
        '/5',
        'The user went back to before this message and continued differently: 2 turns are skipped.',
      ],
    ]);
  });

  it('may be the third version', () => {
    const reading = readLines(
      user('hi', { uuid: 'u' }),
      agent('hello', { uuid: 'a' }),
      user('one', { parentUuid: 'a' }),
      agent('1'),
      user('two', { parentUuid: 'a', uuid: 'two' }),
      agent('2'),
      user('two and a half', { parentUuid: 'two' }),
      user('three', { parentUuid: 'a' }),
      agent('3'),
    );
    expect(essence(onlySession(reading))).toEqual([
      ['hi', 'hello'],
      ['three', '3'],
    ]);
    expect(reading.problems.map(({ pointer, message }) => [pointer, /: (.*) skipped/.exec(message)?.[1]])).toEqual([
      ['/2', 'one turn is'],
      ['/4', '2 turns are'],
    ]);
  });

  it('may start with a new version of the first prompt', () => {
    const reading = readLines(user('one'), agent('1'), user('two', { parentUuid: null }), agent('2'));
    expect(essence(onlySession(reading))).toEqual([['two', '2']]);
    expect(codes(reading)).toEqual(['warning left-branch']);
  });

  it('has the results of parallel calls, which are tree branches too', () => {
    const reading = readLines(
      user('go'),
      piece('m', use('a'), {}, { uuid: 'a' }),
      piece('m', use('b'), {}, { uuid: 'b' }),
      piece('m', use('c'), {}, { uuid: 'c' }),
      result('c', 'z', {}, { parentUuid: 'c' }),
      { type: 'progress', parentUuid: 'b', data: { type: 'hook_progress' } },
      result('b', 'y', {}, { parentUuid: 'b', uuid: 'y' }),
      result('a', 'x', {}, { parentUuid: 'a' }),
      agent('done', { parentUuid: 'y' }),
    );
    expect(essence(onlySession(reading))).toEqual([['go', 'Read a ok', 'Read b ok', 'Read c ok', 'done']]);
    expect(reading.problems).toEqual([]);
  });

  it.each<[string, Fields]>([
    ['that says what came before', { type: 'system', parentUuid: null, logicalParentUuid: 'l1' }],
    ['that names a line of another file', { type: 'system', parentUuid: null, logicalParentUuid: 'elsewhere' }],
    ['without a word of it', { type: 'system', parentUuid: null }],
    ['of the summary alone', user('This session is being continued', { parentUuid: null, isCompactSummary: true })],
  ])('continues after a compaction %s', (_, boundary) => {
    const reading = readLines(user('hi'), agent('hello'), boundary, user('and?'), agent('more'));
    expect(essence(onlySession(reading))).toEqual([
      ['hi', 'hello'],
      ['and?', 'more'],
    ]);
    expect(reading.problems).toEqual([]);
  });

  it('continues after a compaction from the named line, not the previous one', () => {
    const boundary = { type: 'system', parentUuid: null, logicalParentUuid: 'l1' };
    const reading = readLines(
      user('hi'),
      agent('hello'),
      user('left'),
      agent('x'),
      boundary,
      user('and?'),
      agent('more'),
    );
    expect(essence(onlySession(reading))).toEqual([
      ['hi', 'hello'],
      ['and?', 'more'],
    ]);
    expect(codes(reading)).toEqual(['warning left-branch']);
  });

  it('may be abandoned for an image', () => {
    const image = user([{ type: 'image', source: {} }], { parentUuid: 'l1' });
    const reading = readLines(
      user('hi'),
      agent('hello'),
      image,
      agent('nice'),
      user('and?', { parentUuid: 'l1' }),
      agent('more'),
    );
    expect(essence(onlySession(reading))).toEqual([
      ['hi', 'hello'],
      ['and?', 'more'],
    ]);
  });

  it('continues after missing lines, and without parents', () => {
    const gone = readLines(user('hi'), agent('hello'), user('and?', { parentUuid: 'gone' }), agent('more'));
    const flat = [user('hi'), agent('hello'), user('and?'), agent('more')].map((line) => ({ ...line, sessionId: 's' }));
    for (const reading of [gone, claudeCode.read(jsonLines(flat))]) {
      expect(essence(onlySession(reading))).toEqual([
        ['hi', 'hello'],
        ['and?', 'more'],
      ]);
    }
  });

  it('is found although lines are cyclic or out of order', () => {
    const circle = readLines(user('hi', { parentUuid: 'l1' }), agent('hello', { parentUuid: 'l0' }));
    expect(essence(onlySession(circle))).toEqual([['hi', 'hello']]);
    const beside = [user('x', { uuid: 'x', parentUuid: 'y' }), agent('y', { uuid: 'y', parentUuid: 'x' })];
    expect(essence(onlySession(readLines(...beside, user('hi', { parentUuid: null }), agent('hello')))).at(-1)).toEqual(
      ['hi', 'hello'],
    );
    const late = readLines(
      user('hi', { uuid: 'u' }),
      agent([use('a')], { uuid: 'a' }),
      agent('done', { uuid: 'd', parentUuid: 'r' }),
      result('a', 'x', {}, { uuid: 'r', parentUuid: 'a' }),
    );
    expect(essence(onlySession(late))).toEqual([['hi', 'Read a ok', 'done']]);
  });

  it('is found in linear time', () => {
    const left = Array.from({ length: 30_000 }, (_, index) => [user(`q${index}`), agent(`a${index}`)]).flat();
    const reading = readLines(user('hi'), agent('hello'), ...left, user('and?', { parentUuid: 'l1' }), agent('more'));
    expect(onlySession(reading).turns).toHaveLength(2);
    expect(reading.problems.map(({ message }) => message)).toEqual([
      'The user went back to before this message and continued differently: 30000 turns are skipped.',
    ]);
  });
});

describe('a sub-agent', () => {
  const task = (id: string, prompt: string, kind = 'Explore') => use(id, 'Task', { prompt, subagent_type: kind });
  const side = (more: Fields = {}) => ({ isSidechain: true, parentUuid: null, ...more });

  it('is a step after its call, with its own calls and errors', () => {
    const session = onlySession(read(fixture('claude-code-agents.jsonl')));
    const [first] = session.turns;
    expect(first?.steps.map((step) => (step.type === 'tool' ? step.id : step.type))).toEqual([
      'model',
      'toolu_a',
      'toolu_b',
      'agent',
      'agent',
      'model',
      'toolu_c',
    ]);
    expect(agentsIn(session).map(({ name, id, pointer, turns }) => [name, id, pointer, turns.length])).toEqual([
      ['Explore', undefined, '/3', 1],
      ['general-purpose', 'b0b', '/4', 1],
      // Its log is another file.
      ['Agent', 'e1f', '/19/message/content/0', 0],
    ]);
    const [explored, searched] = agentsIn(session);
    expect(essence({ ...session, turns: explored?.turns ?? [] })).toEqual([
      ['Read test/refund.test.ts and say what it expects.', 'Read toolu_s1 ok', "It expects 'ok'."],
    ]);
    expect(essence({ ...session, turns: searched?.turns ?? [] })).toEqual([
      ['Read src/refund.ts.', 'Read toolu_t1 error', 'There is no such file.'],
    ]);
    expect(essence(session)).toEqual([
      ['Find out why the refund test fails.', 'Task toolu_a ok', 'Task toolu_b ok', 'Write toolu_c rejected', null],
      ['It moved to lib/.', 'Bash toolu_d rejected', 'Agent toolu_e ok', null],
      ['And fix the typo in its name.', 'Bash toolu_f error', 'The test still fails.'],
      ['/review lib', 'The code of lib looks good.'],
    ]);
  });

  it('with a file of its own refers to its session', () => {
    const { id, partOf, turns } = onlySession(read(fixture('agent-e1f.jsonl')));
    expect([id, partOf, turns.length]).toEqual([
      'agent-e1f',
      { session: '5f0c9a3e-77b0-4b2e-8f0c-2a1b9c8d7e6f', step: 'e1f' },
      1,
    ]);
  });

  it('is matched by its prompt; equal prompts in order, each once', () => {
    const session = sessionOf(
      user('go'),
      agent([task('a', 'look'), task('b', 'look')]),
      user('look', side({ uuid: 'x' })),
      user('look', side({ uuid: 'y' })),
      agent('first', side({ parentUuid: 'x' })),
      agent('second', side({ parentUuid: 'y' })),
      result('a', 'first'),
      result('b', 'second'),
    );
    expect(agentsIn(session).map(({ turns }) => turns.map(({ output }) => output))).toEqual([['first'], ['second']]);
  });

  it('is matched by the call of a line or the id in a result', () => {
    const printed = [
      { ...user('go'), session_id: 's', uuid: '1' },
      { ...agent([task('a', 'look')]), session_id: 's', uuid: '2', parent_tool_use_id: null },
      { ...user('look'), session_id: 's', uuid: '3', parent_tool_use_id: 'a' },
      { ...agent('found'), session_id: 's', uuid: '4', parent_tool_use_id: 'a' },
    ];
    expect(agentsIn(onlySession(claudeCode.read(jsonLines(printed)))).map(({ turns }) => turns[0]?.output)).toEqual([
      'found',
    ]);
    const session = sessionOf(
      user('go'),
      agent([task('a', 'x'), task('b', 'y')]),
      user('look', side({ agentId: 'one', uuid: 'x' })),
      agent('1', side({ agentId: 'one', parentUuid: 'x' })),
      result('b', 'done', {}, { toolUseResult: { agentId: 'one' } }),
    );
    expect(turnAt(session, 0).steps.map(({ type }) => type)).toEqual(['model', 'tool', 'tool', 'agent']);
    expect(agentsIn(session).map(({ id, turns }) => [id, turns[0]?.output])).toEqual([['one', '1']]);
  });

  it("is read from progress lines in the session's log", () => {
    const progress = (message: Fields, uuid: string) => ({
      type: 'progress',
      uuid,
      parentToolUseID: 'a',
      data: { type: 'agent_progress', agentId: 'one', message: { ...message, uuid: `in-${uuid}` } },
    });
    const session = sessionOf(
      user('go'),
      agent([task('a', 'look')]),
      progress(user('look'), 'p1'),
      progress(agent([use('r')]), 'p2'),
      progress(result('r', 'x'), 'p3'),
      result('a', 'found'),
      agent('done'),
    );
    expect(agentsIn(session).map(({ pointer, turns }) => [pointer, turns.length])).toEqual([['/2/data/message', 1]]);
    expect(essence({ ...session, turns: agentsIn(session)[0]?.turns ?? [] })).toEqual([['look', 'Read r ok', null]]);
    expect(essence(session)).toEqual([['go', 'Task a ok', 'done']]);
  });

  it('may start others', () => {
    const session = sessionOf(
      user('go'),
      agent([task('a', 'outer')]),
      user('outer', side({ uuid: 'o' })),
      agent([task('b', 'inner')], side({ uuid: 'o2', parentUuid: 'o' })),
      user('inner', side({ uuid: 'i' })),
      agent('deep', side({ parentUuid: 'i' })),
      agent('shallow', side({ parentUuid: 'o2' })),
      agent('done'),
    );
    const [outer] = agentsIn(session);
    const inner = outer?.turns[0]?.steps.find((step) => step.type === 'agent');
    expect([outer?.turns[0]?.output, inner?.turns[0]?.output]).toEqual(['shallow', 'deep']);
  });

  it('without a call is a session of its own, with a warning', () => {
    const reading = readLines(
      user('go'),
      agent('done'),
      user('Warmup', side({ agentId: 'w' })),
      agent('ok', side({ agentId: 'w' })),
    );
    expect(reading.sessions.map(({ id, turns }) => [id, turns.length])).toEqual([
      ['s', 1],
      ['agent-w', 1],
    ]);
    expect(codes(reading)).toEqual(['warning agent-without-call']);
  });

  it('that starts itself is read once', () => {
    const reading = readLines(
      user('go'),
      user('look', side({ agentId: 'w', uuid: 'x' })),
      agent([task('a', 'look')], side({ agentId: 'w', parentUuid: 'x' })),
      result('a', 'x', {}, side({ agentId: 'w', toolUseResult: { agentId: 'w' } })),
    );
    expect(reading.sessions.map(({ id }) => id)).toEqual(['s', 'agent-w']);
  });

  it('in endless nesting is cut at the maximum depth', () => {
    const depth = 5000;
    const lines = Array.from({ length: depth }, (_, index) => [
      user(`p${index}`, side({ uuid: `u${index}` })),
      agent([task(`t${index}`, `p${index + 1}`)], side({ parentUuid: `u${index}` })),
    ]).flat();
    const reading = readLines(user('go'), agent([task('t', 'p0')]), ...lines);
    expect(reading.sessions[0]?.turns).toHaveLength(1);
  });
});

describe('sessions', () => {
  it('are separate in one file, and copied lines count once', () => {
    const one = [user('a', { uuid: '1' }), agent('b', { uuid: '2', parentUuid: '1' })];
    const lines = [...one, ...one, user('c', { uuid: '3', parentUuid: null, sessionId: 'other' })];
    const { sessions, problems } = readLines(...lines);
    expect(sessions.map((session) => [session.id, session.source.pointer, essence(session)])).toEqual([
      ['s', '/0', [['a', 'b']]],
      ['other', '/4', [['c', null]]],
    ]);
    expect(problems).toEqual([]);
  });

  it('resumed under another id are one session', () => {
    const session = sessionOf(
      user('a', { uuid: '1' }),
      agent('b', { uuid: '2' }),
      user('c', { uuid: '3', parentUuid: '2', sessionId: 'later' }),
      agent('d', { uuid: '4', sessionId: 'later' }),
    );
    expect([session.id, essence(session)]).toEqual([
      'later',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ]);
  });

  it('have tools only in stream output', () => {
    const { tools } = onlySession(read(fixture('claude-code-stream.jsonl')));
    expect(tools).toEqual([{ name: 'get_order' }, { name: 'refund_order' }]);
    expect(onlySession(read(fixture('claude-code.jsonl'))).tools).toBeUndefined();
  });

  it.each<[string, readonly Fields[], string | undefined]>([
    [
      'by the user',
      [
        { type: 'ai-title', aiTitle: 'x', sessionId: 's' },
        { type: 'custom-title', customTitle: 'mine', sessionId: 's' },
      ],
      'mine',
    ],
    ['by a model', [{ type: 'ai-title', aiTitle: 'x', sessionId: 's' }], 'x'],
    ['by a summary', [{ type: 'summary', summary: 'y', leafUuid: 'l1' }], 'y'],
    [
      'for another session',
      [
        { type: 'summary', summary: 'y', leafUuid: 'elsewhere' },
        { type: 'ai-title', aiTitle: 'x', sessionId: 'z' },
      ],
      undefined,
    ],
  ])('have a title: %s', (_, titles, title) => {
    const lines = [...log(user('hi', { cwd: '/' }), agent('hello')), ...titles];
    expect(onlySession(claudeCode.read(jsonLines(lines))).metadata?.title).toBe(title);
  });

  it('have no turns without messages', () => {
    const reading = readLines(
      user('<command-name>/exit</command-name>'),
      user('<local-command-stdout>Bye</local-command-stdout>'),
    );
    expect([onlySession(reading).turns, reading.problems]).toEqual([[], []]);
  });

  it('are read from a file with one line', () => {
    const [line] = log(user('hi'));
    expect(essence(onlySession(claudeCode.read(json(line))))).toEqual([['hi', null]]);
  });

  it('are not found in other files', () => {
    expect(codes(claudeCode.read(json({ loglines: [] })))).toEqual(['error no-session']);
    expect(codes(claudeCode.read(jsonLines([{ type: 'summary', summary: 'x', leafUuid: 'y' }])))).toEqual([
      'error no-session',
    ]);
  });
});
