import { describe, expect, it } from 'vitest';
import { agentToolCalls, type ModelStep } from '../../../../src/core/session.ts';
import { codex } from '../../../../src/formats/agents/codex.ts';
import { callAt, codes, fixture, json, jsonLines, onlySession, read, turnAt } from '../read-fixture.ts';

const line = (type: string, payload: object) => ({ timestamp: '2026-03-01T10:00:00.000Z', type, payload });
const item = (payload: object) => line('response_item', payload);
const event = (payload: object) => line('event_msg', payload);
const message = (role: string, ...texts: readonly string[]) =>
  item({ type: 'message', role, content: texts.map((text) => ({ type: 'input_text', text })) });
const user = (...texts: readonly string[]) => message('user', ...texts);
const call = (id: string, name = 'shell') => item({ type: 'function_call', call_id: id, name, arguments: '{}' });
const output = (id: string, content: unknown) => item({ type: 'function_call_output', call_id: id, output: content });
const count = (input: number, more: object = {}) =>
  event({ type: 'token_count', info: { last_token_usage: { input_tokens: input, output_tokens: 9 } }, ...more });

const readLines = (...lines: readonly unknown[]) => codex.read(jsonLines(lines));
const sessionOf = (...lines: readonly unknown[]) => onlySession(readLines(...lines));
const inputs = (...lines: readonly unknown[]) => sessionOf(...lines).turns.map(({ input }) => input);
const models = (...lines: readonly unknown[]) =>
  sessionOf(...lines).turns.flatMap(({ steps }) => steps.filter((step): step is ModelStep => step.type === 'model'));

describe('a session', () => {
  it('has its instructions, folder, and the tokens of each answer once', () => {
    const session = onlySession(read(fixture('codex.jsonl')));
    expect([session.id, session.metadata]).toEqual([
      '0199a2b3-0000-7000-8000-000000000001',
      { cwd: '/home/ann/shop', cli_version: '0.137.0', model_provider: 'openai', git: { branch: 'main' } },
    ]);
    expect(session.system?.split('\n')[0]).toBe('You refund orders.');
    expect(session.system).toContain('Ask before you write.');
    expect(session.system).toContain('Be brief.');
    expect(session.system).not.toContain('environment_context');
    const steps = session.turns.flatMap((turn) => turn.steps.filter((step) => step.type === 'model'));
    expect(steps.map(({ usage }) => usage?.inputTokens)).toEqual([1000, 2000, 3000, 4000, 5000, 6000, 7000]);
    expect(steps[0]).toEqual({
      type: 'model',
      pointer: '/12/payload',
      reasoning: 'The order comes first.',
      model: 'gpt-5.1-codex',
      usage: { inputTokens: 1000, outputTokens: 40, cachedTokens: 900, reasoningTokens: 20 },
    });
    expect(agentToolCalls(turnAt(session, 0)).map(({ error }) => error?.slice(0, 12))).toEqual([
      undefined,
      'Exit code: 1',
      undefined,
      'unsupported ',
      undefined,
    ]);
    expect(turnAt(session, 0).startedAt).toMatch(/^2026-03-01T10:00:/);
  });

  it("in one object has Codex's turns, even without user text", () => {
    const turn = (id: string) => ({ internal_chat_message_metadata_passthrough: { turn_id: id } });
    const items = ['a', 'a', 'b'].map((id, index) => ({
      type: 'function_call',
      call_id: `${index}`,
      name: 'f',
      ...turn(id),
    }));
    const session = onlySession(read(json({ items })));
    expect(session.turns.map(({ id, steps }) => [id, steps.filter(({ type }) => type === 'tool').length])).toEqual([
      ['a', 2],
      ['b', 1],
    ]);
    expect(onlySession(read(json({ session: { id: 's', instructions: 'x' }, items }))).id).toBe('s');
  });

  it('is not found in other files', () => {
    expect(codes(codex.read(json({ a: 1 })))).toEqual(['error no-session']);
    expect(codes(readLines({ type: 'x' }))).toEqual(['error no-session']);
  });
});

describe('user messages', () => {
  it.each<[string, readonly string[], readonly (string | null)[]]>([
    ['a text', ['hi'], ['hi']],
    ['texts', ['hi', 'there'], ['hi\nthere']],
    ['the environment', ['<environment_context>\n<cwd>/</cwd>\n</environment_context>'], [null]],
    ['an aborted turn', ['<turn_aborted>\nx\n</turn_aborted>'], [null]],
    ['a skill', ['<skill>\n<name>x</name>\n</skill>'], [null]],
    ['instructions', ['<user_instructions>\nBe brief.\n</user_instructions>'], [null]],
    ['an image and a text', ['<image name="a.png">', '</image>', 'What is this?'], ['What is this?']],
    [
      'a request from an editor',
      ['# Context from my IDE setup:\n\n## Open tabs:\n- a\n\n## My request for Codex:\nhi'],
      ['hi'],
    ],
    ['a text about tags', ['<skillset> is my tag'], ['<skillset> is my tag']],
  ])('%s', (_, texts, expected) => {
    expect(inputs(user(...texts), message('assistant', 'hello'))).toEqual(expected);
  });

  it('may be an image without text', () => {
    const image = item({ type: 'message', role: 'user', content: [{ type: 'input_image', image_url: 'x' }] });
    expect(inputs(image, message('assistant', 'hello'))).toEqual(['']);
  });

  it('may be instructions', () => {
    const { system } = sessionOf(user('# AGENTS.md instructions for /x\n\nBe brief.', 'hi'));
    expect(system).toBe('# AGENTS.md instructions for /x\n\nBe brief.');
  });
});

describe('the outcome of a call', () => {
  it.each<[string, unknown, string]>([
    ['a command that worked', 'Exit code: 0\nWall time: 1 seconds\nOutput:\nx', 'ok'],
    ['a command that failed', 'Exit code: 2\nWall time: 1 seconds\nOutput:\nx', 'error'],
    [
      'a command that was killed',
      'Chunk ID: a\nWall time: 0.1 seconds\nProcess exited with code -1\nOutput:\n',
      'error',
    ],
    ['a command in JSON', '{"output":"Error: x","metadata":{"exit_code":0,"duration_seconds":0.1}}', 'ok'],
    ['a command in JSON that failed', '{"output":"x","metadata":{"exit_code":1,"duration_seconds":0.1}}', 'error'],
    ['the output of a command that speaks of exit codes', `${'x\n'.repeat(300)}Exit code: 1`, 'ok'],
    ['another tool', 'Plan updated', 'ok'],
    ['another tool that failed', 'Error: x', 'error'],
    ['a flag', { content: 'x', success: false }, 'error'],
    ['an unknown tool', 'unsupported call: f', 'error'],
    ['arguments that cannot be read', 'failed to parse function arguments: missing field', 'error'],
    ['a patch that does not fit', 'apply_patch verification failed: x', 'error'],
    ['a refused command', 'exec command rejected by user', 'rejected'],
    ['a refused patch', 'patch rejected by user', 'rejected'],
    ['an aborted command', 'Wall time: 3.2 seconds\naborted by user', 'rejected'],
    ['an aborted call', 'aborted by user after 3.2s', 'rejected'],
  ])('%s', (_, message, outcome) => {
    expect(callAt(turnAt(sessionOf(user('go'), call('a'), output('a', message)), 0), 0).outcome).toBe(outcome);
  });

  it('is read for custom tools too', () => {
    const custom = item({ type: 'custom_tool_call', call_id: 'a', name: 'apply_patch', input: '*** Begin Patch' });
    const done = item({ type: 'custom_tool_call_output', call_id: 'a', output: 'Exit code: 0\nOutput:\nDone' });
    const step = callAt(turnAt(sessionOf(user('go'), custom, done), 0), 0);
    expect([step.arguments, step.outcome]).toEqual(['*** Begin Patch', 'ok']);
  });
});

describe('an answer', () => {
  it('has the tokens of a later event, even after the results of its calls', () => {
    const steps = models(
      user('go'),
      call('a'),
      output('a', 'x'),
      count(1),
      count(1),
      message('assistant', 'done'),
      count(2),
    );
    expect(steps.map(({ usage }) => usage?.inputTokens)).toEqual([1, 2]);
    expect(
      models(user('go'), count(1), message('assistant', 'x')).map(({ usage, pointer }) => [usage, pointer]),
    ).toEqual([[undefined, '/2/payload']]);
  });

  it('may fail without affecting the answer before it', () => {
    const failed = event({ type: 'error', message: 'down' });
    expect(models(user('go'), call('a'), output('a', 'x'), failed).map(({ error }) => error)).toEqual([
      undefined,
      'down',
    ]);
    expect(models(user('go'), failed).map(({ error, pointer }) => [error, pointer])).toEqual([['down', '/1/payload']]);
  });

  it("has the model of the turn's context", () => {
    const context = (model: string) => line('turn_context', { model });
    expect(
      models(context('a'), user('go'), call('1'), context('b'), user('on'), call('2')).map(({ model }) => model),
    ).toEqual(['a', 'b']);
  });
});

describe('rolled-back turns', () => {
  const undo = (turns: unknown) => event({ type: 'thread_rolled_back', num_turns: turns });
  const turn = (name: string) => [user(name), message('assistant', name)];

  it.each<[string, unknown, readonly string[], string | undefined]>([
    ['one', 1, ['1', '2', '4'], 'The user rolled back the turn before this line; it is skipped.'],
    ['two', 2, ['1', '4'], 'The user rolled back 2 turns before this line; they are skipped.'],
    ['more than there are', 9, ['4'], 'The user rolled back 3 turns before this line; they are skipped.'],
    ['none', 0, ['1', '2', '3', '4'], undefined],
    ['nobody knows how many', 'x', ['1', '2', '3', '4'], undefined],
  ])('are skipped: %s', (_, turns, expected, messages) => {
    const reading = readLines(...turn('1'), ...turn('2'), ...turn('3'), undo(turns), ...turn('4'));
    expect(onlySession(reading).turns.map(({ input }) => input)).toEqual(expected);
    expect(reading.problems.map(({ pointer, message }) => [pointer, message])).toEqual(
      messages ? [['/6', messages]] : [],
    );
  });

  it("do not include the harness's context", () => {
    const context = user('<environment_context>x</environment_context>');
    expect(inputs(...turn('1'), ...turn('2'), context, undo(1), ...turn('3'))).toEqual(['1', '3']);
  });
});

it('lines of unknown types and repeated items are ignored', () => {
  const reading = readLines(
    user('go'),
    event({ type: 'user_message', message: 'go' }),
    message('assistant', 'done'),
    event({ type: 'agent_message', message: 'done' }),
    line('compacted', { message: 'x', replacement_history: [{ role: 'user', content: 'go' }] }),
    line('of_next_year', { a: 1 }),
    { timestamp: 'x', type: 'response_item', payload: null },
  );
  expect(onlySession(reading).turns).toHaveLength(1);
});

describe('the events of `codex exec --json`', () => {
  const item = (type: string, fields: object, event = 'completed') => ({
    type: `item.${event}`,
    item: { type, ...fields },
  });
  const events = [
    { type: 'thread.started', thread_id: 'thread-1' },
    { type: 'turn.started' },
    item('reasoning', { id: '0', text: 'The order comes first.' }),
    item('command_execution', { id: '1', command: 'npm test', status: 'in_progress' }, 'started'),
    item('command_execution', {
      id: '1',
      command: 'npm test',
      aggregated_output: '1 failed',
      exit_code: 1,
      status: 'failed',
    }),
    item('command_execution', { id: '2', command: 'rm -rf x', status: 'declined' }),
    item('mcp_tool_call', {
      id: '3',
      server: 'shop',
      tool: 'get',
      arguments: { id: 7 },
      result: { ok: true },
      status: 'completed',
    }),
    item('file_change', { id: '4', changes: [{ path: 'a.ts', kind: 'update' }], status: 'completed' }),
    item('agent_message', { id: '5', text: 'One test fails.' }),
    { type: 'turn.completed', usage: { input_tokens: 900, cached_input_tokens: 100, output_tokens: 40 } },
    { type: 'turn.started' },
    item('web_search', { id: '6', query: 'npm' }),
    item('todo_list', { id: '7', items: [{ text: 'look', completed: true }] }),
    item('error', { id: '8', message: 'Too long.' }),
    { type: 'turn.failed', error: { message: 'The stream ended.' } },
  ];
  const ofLines = onlySession(read(jsonLines(events)));

  it('are turns without the prompts, with each item as it ended', () => {
    expect(ofLines).toMatchObject({ id: 'thread-1', source: { pointer: '' } });
    expect(ofLines.turns.map(({ input, output }) => [input, output])).toEqual([
      [null, 'One test fails.'],
      [null, null],
    ]);
    expect(
      agentToolCalls(turnAt(ofLines, 0)).map(({ name, outcome, arguments: args }) => [name, outcome, args]),
    ).toEqual([
      ['shell', 'error', { command: 'npm test' }],
      ['shell', 'rejected', { command: 'rm -rf x' }],
      ['shop__get', 'ok', { id: 7 }],
      ['apply_patch', 'ok', { changes: [{ path: 'a.ts', kind: 'update' }] }],
    ]);
    expect(callAt(turnAt(ofLines, 0), 0)).toMatchObject({
      pointer: '/4/item',
      resultPointer: '/4/item/aggregated_output',
    });
    expect(agentToolCalls(turnAt(ofLines, 1)).map(({ name }) => name)).toEqual(['web_search', 'update_plan']);
    // A pointer leads to a result only where one was printed.
    expect(agentToolCalls(turnAt(ofLines, 0)).map(({ resultPointer }) => resultPointer)).toEqual([
      '/4/item/aggregated_output',
      undefined,
      '/6/item/result',
      undefined,
    ]);
  });

  it('have the tokens of a turn, and the error that ended one', () => {
    const models = ofLines.turns.map(({ steps }) => steps.filter((step) => step.type === 'model'));
    expect(models[0]?.at(-1)).toMatchObject({ pointer: '/9', usage: { inputTokens: 900, outputTokens: 40 } });
    expect(models[1]?.map(({ error }) => error)).toEqual(['Too long.', 'The stream ended.']);
  });

  it('may be in an object, as may the lines of a rollout', () => {
    const { turns } = onlySession(read(json({ events })));
    expect(turns.map(({ pointer, output }) => [pointer, output])).toEqual([
      ['/events/2/item', 'One test fails.'],
      ['/events/11/item', null],
    ]);
    const rollout = [user('Please.'), call('a'), output('a', 'Exit code: 1')];
    expect(callAt(turnAt(onlySession(read(json({ events: rollout }))), 0), 0)).toMatchObject({
      pointer: '/events/1/payload',
      outcome: 'error',
    });
  });
});
