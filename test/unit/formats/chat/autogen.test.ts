import { describe, expect, it } from 'vitest';
import type { Turn } from '../../../../src/core/session.ts';
import { agentToolCalls } from '../../../../src/core/session.ts';
import { ag2, autoGen } from '../../../../src/formats/chat/autogen.ts';
import { callAt, codes, fixture, json, jsonLines, onlySession, read, turnAt } from '../read-fixture.ts';

function shape(turns: readonly Turn[]) {
  return turns.map(({ input, output }) => [input, output]);
}

function steps(turn: Turn) {
  return turn.steps.map((step) => {
    if (step.type === 'model') return [step.speaker, step.text ?? step.reasoning];
    return step.type === 'tool' ? [step.type, step.name] : [step.type];
  });
}

describe('AutoGen 0.4', () => {
  const message = (source: string, content: unknown, type = 'TextMessage') => ({ type, source, content });

  function team(...messages: readonly unknown[]) {
    return autoGen.read(json({ messages: [message('user', 'go'), ...messages], stop_reason: null }));
  }

  it('agent messages have their author, and the last one is the answer', () => {
    const turn = turnAt(onlySession(team(message('writer', 'a'), message('critic', 'b'), message('writer', 'c'))), 0);
    expect(steps(turn)).toEqual([
      ['writer', 'a'],
      ['critic', 'b'],
      ['writer', 'c'],
    ]);
    expect([turn.output, turn.outputPointer]).toEqual(['c', '/messages/3/content']);
  });

  it.each<[string, unknown, [string | null, string | null][]]>([
    ['the word that ends a chat', message('writer', 'TERMINATE'), [['go', 'a']]],
    ['that word behind an answer', message('writer', 'b\nTERMINATE'), [['go', 'b']]],
    ['a stop', message('team', 'Maximum reached.', 'StopMessage'), [['go', 'a']]],
    ['a hand-over', { ...message('writer', 'Over to you.', 'HandoffMessage'), target: 'critic' }, [['go', 'a']]],
    [
      'a hand-over to the user',
      { ...message('writer', 'And you?', 'HandoffMessage'), target: 'user' },
      [['go', 'And you?']],
    ],
    ['chunks of a stream', message('writer', 'par', 'ModelClientStreamingChunkEvent'), [['go', 'a']]],
    ['the choice of a speaker', message('manager', ['critic'], 'SelectSpeakerEvent'), [['go', 'a']]],
    ['texts among images', message('writer', ['b', { data: 'AAAA' }, 'c'], 'MultiModalMessage'), [['go', 'b\nc']]],
    ['a value of its own type', message('writer', { b: 2 }, 'StructuredMessage[Plan]'), [['go', '{"b":2}']]],
    ['what tools returned, as a summary', message('writer', 'b', 'ToolCallSummaryMessage'), [['go', 'b']]],
    [
      'another message of the user',
      message('user', 'b'),
      [
        ['go', 'a'],
        ['b', null],
      ],
    ],
    [
      'a message of a proxy',
      message('user_proxy', 'b'),
      [
        ['go', 'a'],
        ['b', null],
      ],
    ],
    ['a message of an agent with "user" in its name', message('user_researcher', 'b'), [['go', 'b']]],
  ])('%s', (_, last, expected) => {
    const reading = team(message('writer', 'a'), last);
    expect(shape(onlySession(reading).turns)).toEqual(expected);
    expect(reading.problems).toEqual([]);
  });

  it('an agent that is asked for input is a user', () => {
    const { turns } = onlySession(
      team(
        message('writer', 'a'),
        { type: 'UserInputRequestedEvent', source: 'Ann', content: '' },
        message('Ann', 'b'),
      ),
    );
    expect(shape(turns)).toEqual([
      ['go', 'a'],
      ['b', null],
    ]);
  });

  it.each<[string, unknown, unknown[]]>([
    ['what the model says', message('writer', 'a'), [['model', 'hm', 'a']]],
    [
      'its call',
      message('writer', [{ id: '1', name: 'f', arguments: '{}' }], 'ToolCallRequestEvent'),
      [
        ['model', 'hm', undefined],
        ['tool', 'f'],
      ],
    ],
    ['nothing that is known', undefined, [['model', 'hm', undefined]]],
    [
      'what another agent says',
      message('critic', 'a'),
      [
        ['model', 'hm', undefined],
        ['model', undefined, 'a'],
      ],
    ],
    ['what the user says', message('user', 'a'), [['model', 'hm', undefined]]],
  ])('a thought belongs to %s', (_, next, expected) => {
    const messages = [message('writer', 'hm', 'ThoughtEvent'), next].filter((item) => item !== undefined);
    const turn = turnAt(onlySession(team(...messages)), 0);
    expect(
      turn.steps.map((step) =>
        step.type === 'model' ? ['model', step.reasoning, step.text] : ['tool', 'name' in step && step.name],
      ),
    ).toEqual(expected);
  });

  it.each([
    [{ content: 'x', is_error: false }, 'ok', undefined],
    [{ content: 'x' }, 'ok', undefined],
    [{ content: 'x', is_error: true }, 'error', 'x'],
    [{ content: 'Error: x', is_error: false }, 'error', 'Error: x'],
  ])('a result %j', (input, outcome, error) => {
    const turn = turnAt(
      onlySession(
        team(
          message('writer', [{ id: '1', name: 'f', arguments: '{"a": 1}' }], 'ToolCallRequestEvent'),
          message('writer', [{ call_id: '1', name: 'f', ...input }], 'ToolCallExecutionEvent'),
        ),
      ),
      0,
    );
    expect(callAt(turn, 0)).toMatchObject({ name: 'f', arguments: { a: 1 }, outcome, speaker: 'writer' });
    expect(callAt(turn, 0).error).toBe(error);
  });

  it.each([
    ['a text', 'x', 'ok', 'x', ''],
    ['a code and what came out', { exit_code: 0, output: 'x' }, 'ok', 'x', '/output'],
    ['a code that is not zero', { exit_code: 1, output: 'x' }, 'error', 'x', '/output'],
  ])('executed code gives %s', (_, result, outcome, output, place) => {
    const turn = turnAt(
      onlySession(
        team(
          message('coder', 'So:\n```python\nprint(1)\n```', 'CodeGenerationEvent'),
          { type: 'CodeExecutionEvent', source: 'coder', result },
          message('coder', 'b'),
        ),
      ),
      0,
    );
    expect(callAt(turn, 0)).toMatchObject({ name: 'coder', arguments: { code: 'print(1)' }, outcome, result: output });
    expect([callAt(turn, 0).resultPointer, turn.output]).toEqual([`/messages/2/result${place}`, 'b']);
  });

  it('a memory query is a retrieval', () => {
    const memory = message(
      'writer',
      [{ content: 'a', mime_type: 'text/plain' }, { content: { b: 2 } }, {}],
      'MemoryQueryEvent',
    );
    expect(turnAt(onlySession(team(memory)), 0).steps).toEqual([
      { type: 'retrieval', pointer: '/messages/1', documents: [{ text: 'a' }, { text: '{"b":2}' }] },
    ]);
  });

  it("a model's context in a saved state is read too", () => {
    const messages = [
      { type: 'SystemMessage', content: 's' },
      { type: 'UserMessage', source: 'user', content: 'a' },
      { type: 'AssistantMessage', source: 'w', content: [{ id: '1', name: 'f', arguments: '{}' }], thought: 'hm' },
      { type: 'FunctionExecutionResultMessage', content: [{ call_id: '1', name: 'f', content: 'x', is_error: true }] },
      { type: 'UserMessage', source: 'critic', content: 'b' },
      { type: 'AssistantMessage', source: 'w', content: 'c', thought: null },
    ];
    const session = onlySession(read(json({ type: 'ChatCompletionContextState', messages })));
    expect([session.system, shape(session.turns)]).toEqual(['s', [['a', 'c']]]);
    expect(steps(turnAt(session, 0))).toEqual([
      ['w', 'hm'],
      ['tool', 'f'],
      ['critic', 'b'],
      ['w', 'c'],
    ]);
    expect(callAt(turnAt(session, 0), 0).outcome).toBe('error');
  });

  it('invalid messages are skipped with a warning', () => {
    const reading = team(
      { type: 'Mystery', source: 'x', content: 'b' },
      null,
      message('w', [{ id: '1' }], 'ToolCallRequestEvent'),
    );
    expect(codes(reading)).toEqual(['warning not-a-message', 'warning not-a-message', 'warning call-without-name']);
  });
});

describe("AutoGen's event log", () => {
  const user = { role: 'user', content: 'a' };
  const calling = (...names: readonly string[]) => ({
    role: 'assistant',
    content: null,
    tool_calls: names.map((name, index) => ({ id: `${index}`, function: { name, arguments: `{"a": ${index}}` } })),
  });
  const llm = (messages: readonly unknown[], message: unknown, agent_id = 'writer/1') => ({
    type: 'LLMCall',
    messages,
    response: { choices: [{ message }] },
    prompt_tokens: 3,
    completion_tokens: 2,
    agent_id,
  });
  const ran = (tool_name: string, input: unknown, result: unknown) => ({
    type: 'ToolCall',
    tool_name,
    arguments: input,
    result,
  });

  function log(...events: readonly unknown[]) {
    return read(jsonLines(events));
  }

  it('histories count once, and messages of other agents keep their author', () => {
    const { turns } = onlySession(
      log(
        llm([user], { role: 'assistant', content: 'b' }),
        llm([user, { role: 'user', name: 'writer', content: 'b' }], { role: 'assistant', content: 'c' }, 'critic/1'),
        llm([user, { role: 'assistant', content: 'b' }, { role: 'user', content: 'c' }, user], {
          role: 'assistant',
          content: 'd',
        }),
      ),
    );
    expect(shape(turns)).toEqual([
      ['a', 'c'],
      ['a', 'd'],
    ]);
    expect(turns.map(steps)).toEqual([
      [
        ['writer', 'b'],
        ['critic', 'c'],
      ],
      [['writer', 'd']],
    ]);
  });

  it('tool executions complete calls, and results in histories count once', () => {
    const history = [
      user,
      calling('f', 'f', 'g'),
      { role: 'tool', tool_call_id: '0', content: 'again' },
      { role: 'tool', tool_call_id: '2', content: 'Error: no such tool' },
    ];
    const reading = log(
      llm([user], calling('f', 'f', 'g')),
      ran('f', { a: 1 }, 'second'),
      ran('f', { a: 0 }, 'first'),
      llm(history, { role: 'assistant', content: 'b' }),
    );
    expect(agentToolCalls(turnAt(onlySession(reading), 0)).map(({ result, outcome }) => [result, outcome])).toEqual([
      ['first', 'ok'],
      ['second', 'ok'],
      ['Error: no such tool', 'error'],
    ]);
    expect(reading.problems).toEqual([]);
  });

  it('a tool execution without a model request is a call', () => {
    const turn = turnAt(onlySession(log(ran('f', '{"a": 1}', null))), 0);
    expect(agentToolCalls(turn)).toMatchObject([{ name: 'f', arguments: { a: 1 }, outcome: 'ok', pointer: '/0' }]);
  });

  it.each(['SelectorGroupChatManager_11111111-2222-3333-4444-555555555555/1', 'MagenticOneOrchestrator/1'])(
    '%s asks models in the name of no user',
    (director) => {
      const { turns } = onlySession(
        log(
          llm([user], { role: 'assistant', content: 'b' }),
          llm([{ role: 'user', content: 'Who is next?' }], { role: 'assistant', content: 'writer' }, director),
        ),
      );
      expect(shape(turns)).toEqual([['a', 'b']]);
      expect(turns[0]?.steps).toHaveLength(2);
    },
  );

  it('a stream has its history at the start and its answer at the end', () => {
    const { turns } = onlySession(
      log(
        { type: 'LLMStreamStart', messages: [user], agent_id: 'writer/1' },
        {
          type: 'LLMStreamEnd',
          response: { content: [{ id: '1', name: 'f', arguments: '{}' }], thought: 'hm' },
          agent_id: 'writer/1',
        },
        { type: 'LLMStreamEnd', response: { content: 'b' }, agent_id: 'writer/1' },
      ),
    );
    expect(turns.map(steps)).toEqual([
      [
        ['writer', 'hm'],
        ['tool', 'f'],
        ['writer', 'b'],
      ],
    ]);
    expect(shape(turns)).toEqual([['a', 'b']]);
  });

  it('the termination word is not an answer', () => {
    const { turns } = onlySession(
      log(
        llm([user], { role: 'assistant', content: 'b' }),
        llm([user], { role: 'assistant', content: 'TERMINATE' }, 'critic/1'),
      ),
    );
    expect(shape(turns)).toEqual([['a', 'b']]);
  });

  it('an agent that failed is a step with its error', () => {
    const failed = { type: 'MessageHandlerException', payload: '{}', handling_agent: 'writer/1', exception: '503' };
    const turn = turnAt(onlySession(log(llm([user], calling('f')), failed)), 0);
    expect(turn.steps.at(-1)).toMatchObject({ type: 'model', speaker: 'writer', error: '503' });
  });

  it('the tools are those of the first call with a catalogue', () => {
    const tools = [{ type: 'function', function: { name: 'f' } }];
    const events = [llm([user], calling('f')), { ...llm([user], { role: 'assistant', content: 'b' }), tools }];
    expect(onlySession(log(...events)).tools).toEqual([{ name: 'f' }]);
    expect(onlySession(read(fixture('autogen-events.jsonl'))).tools).toHaveLength(2);
  });
});

describe('AG2', () => {
  const say = (name: string, content: unknown, role = 'user') => ({ name, role, content });

  function chat(...messages: readonly unknown[]) {
    return ag2.read(json([say('user_proxy', 'go', 'assistant'), ...messages]));
  }

  it('the first message is the task, by any sender', () => {
    const { turns } = onlySession(
      ag2.read(json([say('Student', 'a', 'assistant'), say('Teacher', 'b'), say('Student', 'c', 'assistant')])),
    );
    expect(shape(turns)).toEqual([['a', 'c']]);
    expect(turns.map(steps)).toEqual([
      [
        ['Teacher', 'b'],
        ['Student', 'c'],
      ],
    ]);
  });

  it.each<[string, unknown, [string | null, string | null][]]>([
    [
      'what a user says later starts a turn',
      say('user_proxy', 'b', 'assistant'),
      [
        ['go', 'a'],
        ['b', null],
      ],
    ],
    ['a proxy that answers by itself says nothing', say('user_proxy', '', 'assistant'), [['go', 'a']]],
    ['an expert of users is no user', say('User_Expert', 'b'), [['go', 'b']]],
    [
      'a terminal complains to the agents',
      say('shell', 'There is no code from the last 1 message for me to execute.'),
      [['go', 'a']],
    ],
    ['the word that ends a chat is no answer', say('bot', 'TERMINATE'), [['go', 'a']]],
  ])('%s', (_, last, expected) => {
    expect(shape(onlySession(chat(say('bot', 'a'), last)).turns)).toEqual(expected);
  });

  it.each([
    ['exitcode: 0 (execution succeeded)\nCode output: 1\n', 'ok'],
    ['exitcode: 1 (execution failed)\nCode output: SyntaxError\n', 'error'],
    ['exitcode: -9 (execution failed)\nCode output: \n', 'error'],
  ])('executed code is a call of the terminal: %j', (output, outcome) => {
    const code = say('bot', 'One:\n```python\nprint(1)\n```\nTwo:\n```sh\nls\n```');
    const turn = turnAt(onlySession(chat(code, say('user_proxy', output, 'assistant'), say('bot', 'b'))), 0);
    expect(agentToolCalls(turn)).toMatchObject([
      {
        name: 'user_proxy',
        arguments: { code: 'print(1)\n\nls' },
        result: output,
        outcome,
        pointer: '/1/content',
        resultPointer: '/2/content',
      },
    ]);
    expect(turn.output).toBe('b');
  });

  it('an output without code is a message', () => {
    const output = 'exitcode: 0 (execution succeeded)\nCode output: 1';
    expect(steps(turnAt(onlySession(chat(say('shell', output))), 0))).toEqual([['shell', output]]);
  });

  it("responses of several tools are separate, and OpenAI's are supported", () => {
    const calls = ['1', '2', '3'].map((id) => ({ id, function: { name: `f${id}`, arguments: '{}' } }));
    const responses = [
      { tool_call_id: '1', role: 'tool', content: 'x' },
      { tool_call_id: '2', role: 'tool', content: 'Error: y' },
    ];
    const reading = chat(
      { ...say('bot', null), tool_calls: calls },
      { role: 'tool', name: 'user_proxy', content: 'x\n\nError: y', tool_responses: responses },
      { role: 'tool', tool_call_id: '3', content: 'z' },
    );
    expect(
      agentToolCalls(turnAt(onlySession(reading), 0)).map(({ result, outcome, resultPointer }) => [
        result,
        outcome,
        resultPointer,
      ]),
    ).toEqual([
      ['x', 'ok', '/2/tool_responses/0/content'],
      ['Error: y', 'error', '/2/tool_responses/1/content'],
      ['z', 'ok', '/3/content'],
    ]);
    expect(reading.problems).toEqual([]);
  });
});
