import { describe, expect, it } from 'vitest';
import { codes, turnAt } from '../read-fixture.ts';
import {
  agent,
  assistant,
  calls,
  chain,
  exchanges,
  model,
  modelWithoutContent,
  read,
  session,
  span,
  steps,
  system,
  tool,
  toolRequests,
  toolResponse,
  user,
} from './span-builder.ts';

describe('a trace is a turn', () => {
  it("with the messages at the end of its first model's history", () => {
    const parsed = session(model({ id: 'a' }, [system('s'), user('hi')], assistant('hello')));
    expect(exchanges(parsed)).toEqual([['hi', 'hello']]);
    expect([parsed.id, parsed.system, turnAt(parsed, 0).id]).toEqual(['t', 's', 't']);
  });

  it('with the input of its agent if a model received more', () => {
    const input = JSON.stringify([user('who?')]);
    const parsed = session(
      agent({ id: 'a', took: 5 }, 'x', { 'gen_ai.input.messages': input }),
      model({ id: 'b', in: 'a' }, [user('Answer briefly: who?')], assistant('me')),
    );
    expect(exchanges(parsed)).toEqual([['who?', 'me']]);
  });

  it('from the start to the end of its top span', () => {
    const parsed = session(
      span({ id: 'http', took: 60 }, { 'http.method': 'POST' }),
      agent({ id: 'a', in: 'http', at: 1, took: 10 }, 'x'),
      model({ id: 'b', in: 'a', at: 2, took: 3 }, [user('hi')], assistant('hello')),
    );
    const turn = turnAt(parsed, 0);
    expect([turn.startedAt, turn.endedAt, turn.pointer]).toEqual([
      '2026-01-01T00:00:01.000Z',
      '2026-01-01T00:00:11.000Z',
      '/1',
    ]);
    expect(turn.steps[0]).toMatchObject({ startedAt: '2026-01-01T00:00:02.000Z', endedAt: '2026-01-01T00:00:05.000Z' });
  });

  it("whose answer is the agent's output if it differs from the last text of a model", () => {
    const returned = JSON.stringify([assistant('checked: hello')]);
    const parsed = session(
      agent({ id: 'a', took: 5 }, 'x', { 'gen_ai.output.messages': returned }),
      model({ id: 'b', in: 'a' }, [user('hi')], assistant('hello')),
    );
    expect(turnAt(parsed, 0)).toMatchObject({
      output: 'checked: hello',
      outputPointer: '/0/attributes/gen_ai.output.messages',
    });
  });

  it('whose answer is any output of a program if no model produced text', () => {
    const parsed = session(
      chain({ id: 'a', took: 5 }, { topic: 'AI' }, { titles: ['x'] }),
      model({ id: 'b', in: 'a' }, [user('Find titles on AI.')], toolRequests(['1', 'search'])),
    );
    expect(exchanges(parsed)).toEqual([['Find titles on AI.', '{"titles":["x"]}']]);
  });

  it('whose answer is the text of a model, not the output of the enclosing program', () => {
    const parsed = session(
      chain({ id: 'a', took: 5 }, 'hi', { titles: ['x'] }),
      model({ id: 'b', in: 'a' }, [user('hi')], assistant('hello')),
    );
    expect(exchanges(parsed)).toEqual([['hi', 'hello']]);
  });

  it('whose input is any input of a program if no model shows a user message', () => {
    const parsed = session(chain({ id: 'a' }, { topic: 'AI' }, 'done'));
    expect([exchanges(parsed), steps(parsed)]).toEqual([[['{"topic":"AI"}', 'done']], []]);
  });

  it('including what began before the user message', () => {
    const parsed = session(
      tool({ id: 'a' }, 'look_up', undefined, 'x'),
      model({ id: 'b', at: 2 }, [user('hi')], assistant('hello')),
    );
    expect(exchanges(parsed)).toEqual([['hi', 'hello']]);
    expect(steps(parsed)).toEqual(['look_up', 'model']);
  });

  it('without an input if the agent speaks first', () => {
    expect(exchanges(session(model({ id: 'a' }, [system('Greet.')], assistant('hello'))))).toEqual([[null, 'hello']]);
  });
});

describe('histories of models', () => {
  const first = [user('a'), assistant('b')];

  it('are not repeated', () => {
    const parsed = session(
      model({ id: '1', trace: 't1' }, [user('a')], toolRequests(['c', 'f'])),
      tool({ id: '2', trace: 't1', at: 1 }, 'f', 'c', 'x'),
      model(
        { id: '3', trace: 't1', at: 2 },
        [user('a'), toolRequests(['c', 'f']), toolResponse('c', 'x')],
        assistant('b'),
      ),
    );
    expect(exchanges(parsed)).toEqual([['a', 'b']]);
    expect(calls(parsed)).toEqual([['f ok']]);
  });

  it('become turns if no trace shows them', () => {
    const history = [user('a'), toolRequests(['1', 'f']), toolResponse('1', 'x'), assistant('b'), user('c')];
    const parsed = session(model({ id: 'a' }, history, assistant('d')));
    expect(exchanges(parsed)).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
    expect(calls(parsed)).toEqual([['f ok'], []]);
    expect(parsed.turns.map(({ id, startedAt }) => [id, startedAt !== undefined])).toEqual([
      ['t/earlier', false],
      ['t', true],
    ]);
  });

  it('of the next trace of a session begin after the known messages', () => {
    const session1 = { 'session.id': 's' };
    const of = (trace: string, at: number, input: readonly object[], answer: string) => {
      const span = model({ id: trace, trace, at }, input, assistant(answer));
      return { ...span, attributes: { ...span.attributes, ...session1 } };
    };
    const parsed = session(
      // Not in the order of time.
      of('t3', 60, [...first, user('c'), assistant('d'), user('e'), assistant('f'), user('g')], 'h'),
      of('t1', 0, [user('a')], 'b'),
      of('t2', 30, [...first, user('c')], 'd'),
    );
    expect(exchanges(parsed)).toEqual([
      ['a', 'b'],
      ['c', 'd'],
      ['e', 'f'],
      ['g', 'h'],
    ]);
    expect(parsed.turns.map(({ id }) => id)).toEqual(['t1', 't2', 't3/earlier', 't3']);
  });

  it("are recognized by the user's wording and by the model's", () => {
    const of = (trace: string, at: number, prompt: string, ...messages: object[]) => [
      agent({ id: `${trace}a`, trace, at, took: 5 }, 'x', {
        'session.id': 's',
        'gen_ai.input.messages': JSON.stringify([user(prompt)]),
      }),
      model({ id: `${trace}m`, in: `${trace}a`, trace, at }, messages, assistant(`to ${prompt}`)),
    ];
    const parsed = session(
      ...of('t1', 0, 'a', user('Answer briefly: a')),
      ...of('t2', 60, 'b', user('Answer briefly: a'), assistant('to a'), user('Answer briefly: b')),
    );
    expect(exchanges(parsed)).toEqual([
      ['a', 'to a'],
      ['b', 'to b'],
    ]);
  });

  it('repeat their instructions, which are read once', () => {
    const of = (trace: string, at: number, ...messages: object[]) => {
      const span = model({ id: trace, trace, at }, [system('Be brief.'), ...messages], assistant('x'));
      return { ...span, attributes: { ...span.attributes, 'session.id': 's' } };
    };
    expect(session(of('t1', 0, user('a')), of('t2', 9, user('b'))).system).toBe('Be brief.');
  });

  it('complete an earlier turn with what its trace lacks', () => {
    const of = (trace: string, at: number, input: readonly object[], answer: object) => {
      const span = model({ id: trace, trace, at }, input, answer);
      return { ...span, attributes: { ...span.attributes, 'session.id': 's' } };
    };
    const request = toolRequests(['1', 'show_form']);
    const parsed = session(
      of('t1', 0, [user('a')], request),
      of('t2', 60, [user('a'), request, toolResponse('1', 'shown'), assistant('see above'), user('b')], assistant('c')),
    );
    expect([exchanges(parsed), calls(parsed)]).toEqual([
      [
        ['a', 'see above'],
        ['b', 'c'],
      ],
      [['show_form ok'], []],
    ]);
  });

  it('that were cut off or start over show only the last user message', () => {
    const of = (trace: string, at: number, input: readonly object[]) => {
      const span = model({ id: trace, trace, at }, input, assistant(`to ${trace}`));
      return { ...span, attributes: { ...span.attributes, 'session.id': 's' } };
    };
    expect(exchanges(session(of('t1', 0, [user('a')]), of('t2', 9, [user('x'), assistant('y'), user('b')])))).toEqual([
      ['a', 'to t1'],
      ['b', 'to t2'],
    ]);
  });

  it('that end with results continue the turn they show', () => {
    const of = (trace: string, at: number, input: readonly object[], answer: object) => {
      const span = model({ id: trace, trace, at }, input, answer);
      return { ...span, attributes: { ...span.attributes, 'session.id': 's' } };
    };
    const request = toolRequests(['1', 'ask_user']);
    const parsed = session(
      of('t1', 0, [user('a')], request),
      of('t2', 60, [user('a'), request, toolResponse('1', 'yes')], assistant('done')),
    );
    expect(exchanges(parsed)).toEqual([['a', 'done']]);
    expect(calls(parsed)).toEqual([['ask_user ok']]);
  });

  it('that end with results begin the turn if nothing else shows its beginning', () => {
    const history = [
      user('0'),
      assistant('1'),
      user('a'),
      user('and c'),
      toolRequests(['1', 'f']),
      toolResponse('1', 'x'),
    ];
    const parsed = session(model({ id: 'a' }, history, assistant('b')));
    expect(exchanges(parsed)).toEqual([
      ['0', '1'],
      ['a\n\nand c', 'b'],
    ]);
    expect([calls(parsed), turnAt(parsed, 1).id]).toEqual([[[], ['f ok']], 't']);
  });

  it('keep agent text before the first user message', () => {
    expect(exchanges(session(model({ id: 'a' }, [assistant('welcome'), user('a')], assistant('b'))))).toEqual([
      [null, 'welcome'],
      ['a', 'b'],
    ]);
  });

  it('grow by user messages within one trace of the whole conversation', () => {
    const parsed = session(
      span({ id: 'top', took: 99 }, { 'http.method': 'POST' }),
      agent({ id: 'r1', in: 'top', took: 5 }, 'x'),
      model({ id: 'm1', in: 'r1' }, [user('yes')], assistant('b')),
      agent({ id: 'r2', in: 'top', at: 10, took: 5 }, 'x'),
      model({ id: 'm2', in: 'r2', at: 10 }, [user('yes'), assistant('b'), user('yes')], assistant('d')),
    );
    expect(exchanges(parsed)).toEqual([
      ['yes', 'b'],
      ['yes', 'd'],
    ]);
    expect(parsed.turns.map(({ id }) => id)).toEqual(['t', 't#2']);
  });

  it('that an agent returns without an answer are not answers', () => {
    const returned = [...first, user('c')];
    const parsed = session(
      agent({ id: 'a', took: 9, failed: 'no quota' }, 'x', {
        'gen_ai.input.messages': JSON.stringify([...first, user('c')]),
        'gen_ai.output.messages': JSON.stringify(returned),
      }),
    );
    expect(exchanges(parsed)).toEqual([
      ['a', 'b'],
      ['c', null],
    ]);
  });

  it('are one turn of one agent if a loop adds user messages', () => {
    const observed = [user('task'), assistant('Action: look'), user('Observation: x')];
    const parsed = session(
      agent({ id: 'a', took: 9 }, 'x'),
      model({ id: 'm1', in: 'a' }, [user('task')], assistant('Action: look')),
      model({ id: 'm2', in: 'a', at: 2 }, observed, assistant('done')),
    );
    expect(exchanges(parsed)).toEqual([['task', 'done']]);
  });
});

describe('requested and executed calls', () => {
  const history = (...more: readonly object[]) => [user('go'), ...more];

  it('are matched by id, or by name without an id', () => {
    const parsed = session(
      model({ id: 'm', took: 1 }, history(), toolRequests(['1', 'f', { a: 1 }], ['2', 'g'])),
      tool({ id: 'g', at: 2 }, 'g', '2', 'y'),
      tool({ id: 'f', at: 3 }, 'f', undefined, 'x', { a: 1 }),
    );
    expect(turnAt(parsed, 0).steps.slice(1)).toMatchObject([
      { name: 'f', id: '1', arguments: { a: 1 }, result: 'x', startedAt: '2026-01-01T00:00:03.000Z' },
      { name: 'g', id: '2', result: 'y', endedAt: '2026-01-01T00:00:03.000Z' },
    ]);
  });

  it('of one tool are distinguished by their arguments, in any order', () => {
    const parsed = session(
      model({ id: 'm' }, history(), toolRequests(['1', 'f', { a: 1 }], ['2', 'f', { a: 2 }])),
      tool({ id: 'x', at: 2 }, 'f', undefined, 'second', { a: 2 }),
      tool({ id: 'y', at: 3 }, 'f', undefined, 'first', { a: 1 }),
    );
    expect(turnAt(parsed, 0).steps.flatMap((step) => (step.type === 'tool' ? [step.result] : []))).toEqual([
      'first',
      'second',
    ]);
  });

  it('are matched even if a clock shows the tool before its request', () => {
    const parsed = session(
      tool({ id: 'f', at: 1 }, 'f', '1', 'x'),
      model({ id: 'm', at: 2 }, history(), toolRequests(['1', 'f', { a: 1 }])),
    );
    expect(calls(parsed)).toEqual([['f ok']]);
    expect(turnAt(parsed, 0).steps[0]).toMatchObject({
      arguments: { a: 1 },
      pointer: '/1/attributes/gen_ai.output.messages',
      resultPointer: '/0/attributes/gen_ai.tool.call.result',
    });
  });

  it('stay missing if nothing shows that they ran', () => {
    const parsed = session(
      model({ id: 'm' }, history(), toolRequests(['1', 'no_such_tool'])),
      model({ id: 'n', at: 2 }, history(assistant('well')), assistant('sorry')),
    );
    expect(calls(parsed)).toEqual([['no_such_tool missing']]);
  });

  it("have their result from the next model's input if no span shows them", () => {
    const request = toolRequests(['1', 'no_such_tool'], ['2', 'f']);
    const parsed = session(
      model({ id: 'm' }, history(), request),
      tool({ id: 'f', at: 1 }, 'f', '2', 'x'),
      model(
        { id: 'n', at: 2 },
        history(request, toolResponse('1', 'Error: no such tool'), toolResponse('2', 'x')),
        assistant('sorry'),
      ),
    );
    expect(calls(parsed)).toEqual([['no_such_tool error', 'f ok']]);
    expect(turnAt(parsed, 0).steps[1]).toMatchObject({
      error: 'Error: no such tool',
      resultPointer: '/2/attributes/gen_ai.input.messages',
    });
  });

  it('have their result by order if the history has no ids', () => {
    const results = [
      { role: 'tool', content: 'Error: x' },
      { role: 'tool', content: 'y' },
    ];
    const parsed = session(
      model({ id: 'm' }, history(), toolRequests(['1', 'f'], ['2', 'g'])),
      model(
        { id: 'n', at: 2 },
        [{ role: 'user', content: 'go' }, { role: 'assistant', content: '' }, ...results],
        assistant('ok'),
      ),
    );
    expect(calls(parsed)).toEqual([['f error', 'g ok']]);
  });

  it("have their result from the agent's output if no model came after them", () => {
    const returned = [
      ...history(toolRequests(['1', 'no_such_tool']), toolResponse('1', 'Error: no such tool')),
      assistant('sorry'),
    ];
    const parsed = session(
      agent({ id: 'a', took: 9 }, 'x', { 'gen_ai.output.messages': JSON.stringify(returned) }),
      model({ id: 'm', in: 'a' }, history(), toolRequests(['1', 'no_such_tool'])),
    );
    expect([exchanges(parsed), calls(parsed)]).toEqual([[['go', 'sorry']], [['no_such_tool error']]]);
  });

  it('have their result from the history as well if the tool span has none', () => {
    const request = toolRequests(['1', 'f']);
    const parsed = session(
      model({ id: 'm' }, history(), request),
      { ...tool({ id: 'f', at: 1, failed: 'TimeoutError' }, 'f', '1') },
      model({ id: 'n', at: 2 }, history(request, toolResponse('1', 'timed out after 3 s')), assistant('sorry')),
    );
    expect(turnAt(parsed, 0).steps[1]).toMatchObject({
      outcome: 'error',
      error: 'TimeoutError',
      result: 'timed out after 3 s',
    });
  });

  it('are not matched with results of another conversation', () => {
    const parsed = session(
      model({ id: 'm' }, history(), toolRequests(['1', 'f'])),
      model({ id: 'n', at: 2 }, [user('other'), toolRequests(['9', 'g']), toolResponse('9', 'x')], assistant('x')),
    );
    expect(calls(parsed)).toEqual([['f missing']]);
  });

  it('are steps even without a request', () => {
    expect(
      calls(session(model({ id: 'm' }, history(), assistant('x')), tool({ id: 'f', at: 2 }, 'f', '1', 'x'))),
    ).toEqual([['f ok']]);
  });
});

describe('an agent below another', () => {
  it('without any user message continues the conversation, and is no sub-agent', () => {
    const parsed = session(
      agent({ id: 'a', took: 9 }, 'x', { 'gen_ai.input.messages': JSON.stringify([user('hi')]) }),
      agent({ id: 'b', in: 'a', at: 1, took: 5 }, 'y'),
      modelWithoutContent({ id: 'm', in: 'b', at: 2 }),
      tool({ id: 't', in: 'b', at: 3 }, 'look_up', 'c', 'x'),
      model({ id: 'n', in: 'a', at: 7 }, [user('hi')], assistant('hello')),
    );
    expect(exchanges(parsed)).toEqual([['hi', 'hello']]);
    expect(parsed.turns.flatMap((turn) => turn.steps.map(({ type }) => type))).not.toContain('agent');
    expect(calls(parsed)).toEqual([['look_up ok']]);
  });
});

describe('nested agents', () => {
  const request = toolRequests(['1', 'ask_expert', { q: 'x' }]);
  const expert = [
    agent({ id: 'e', in: 'T', at: 3, took: 4 }, 'expert'),
    model({ id: 'e1', in: 'e', at: 3 }, [user('x?')], toolRequests(['7', 'search'])),
    tool({ id: 'e2', in: 'e', at: 4 }, 'search', '7', 'found'),
    model(
      { id: 'e3', in: 'e', at: 5 },
      [user('x?'), toolRequests(['7', 'search']), toolResponse('7', 'found')],
      assistant('x!'),
    ),
  ];
  const main = [
    agent({ id: 'A', took: 20 }, 'main'),
    model({ id: 'm1', in: 'A', at: 1 }, [user('go')], request),
    tool({ id: 'T', in: 'A', at: 2, took: 6 }, 'ask_expert', '1', 'x!'),
    model({ id: 'm2', in: 'A', at: 9 }, [user('go'), request, toolResponse('1', 'x!')], assistant('so x')),
  ];

  it('called by a tool are a step with turns', () => {
    const parsed = session(...main, ...expert);
    expect(exchanges(parsed)).toEqual([['go', 'so x']]);
    expect(steps(parsed)).toEqual(['model', 'ask_expert', 'agent expert', 'model']);
    const step = turnAt(parsed, 0).steps[2];
    expect(step?.type === 'agent' && step.turns).toMatchObject([{ input: 'x?', output: 'x!' }]);
    expect(calls(parsed)).toEqual([['ask_expert ok']]);
  });

  it('are found next to the tool that ran at the same time', () => {
    const beside = expert.map((span) => (span.span_id === 'e' ? { ...span, parent_span_id: null } : span));
    expect(steps(session(...main, ...beside))).toEqual(['model', 'ask_expert', 'agent expert', 'model']);
  });

  it('do not belong to a tool that ended before them', () => {
    const late = expert.map((span) =>
      span.span_id === 'e' ? { ...agent({ id: 'e', at: 3, took: 40 }, 'expert') } : span,
    );
    expect(steps(session(...main, ...late))).toEqual(['model', 'ask_expert', 'model', 'model', 'search', 'model']);
  });

  it('have a task of their own, or continue the conversation', () => {
    const other = (text: string) => [
      agent({ id: 'B', in: 'A', at: 10, took: 5 }, 'other'),
      model({ id: 'b1', in: 'B', at: 11 }, [user(text)], assistant('from other')),
    ];
    const own = session(...main, ...other('do this'));
    expect(steps(own).at(-1)).toBe('agent other');
    expect(exchanges(own)).toEqual([['go', 'so x']]);
    const same = session(...main, ...other('go'));
    expect(steps(same).at(-1)).toBe('model');
    expect(turnAt(same, 0).steps.at(-1)).toMatchObject({ speaker: 'other' });
    expect(exchanges(same)).toEqual([['go', 'from other']]);
  });

  it('below a program run one after the other in the same turn', () => {
    const parsed = session(
      chain({ id: 'crew', took: 30 }, 'write about AI', 'the article'),
      agent({ id: 'a', in: 'crew', at: 1 }, 'researcher'),
      model({ id: 'a1', in: 'a', at: 1 }, [user('research AI')], toolRequests(['1', 'search'])),
      tool({ id: 'a2', in: 'a', at: 2 }, 'search', '1', 'x'),
      agent({ id: 'b', in: 'crew', at: 5 }, 'writer'),
      model({ id: 'b1', in: 'b', at: 5 }, [user('write')], assistant('the draft')),
    );
    expect(exchanges(parsed)).toEqual([['write about AI', 'the article']]);
    expect(steps(parsed)).toEqual(['model', 'search', 'model']);
    expect(turnAt(parsed, 0).steps.map((step) => 'speaker' in step && step.speaker)).toEqual([
      'researcher',
      'researcher',
      'writer',
    ]);
  });

  it('include a model inside a tool', () => {
    const parsed = session(...main, model({ id: 'i', in: 'T', at: 4 }, [user('summarise')], assistant('short')));
    expect(steps(parsed)).toEqual(['model', 'ask_expert', 'agent ask_expert', 'model']);
  });

  it('need no model if they recorded the requests themselves', () => {
    const parsed = session(
      span(
        { id: 'A', took: 20 },
        {
          'openinference.span.kind': 'AGENT',
          'input.value': 'go',
          'output.value': 'done',
          'llm.output_messages.0.message.role': 'assistant',
          'llm.output_messages.0.message.tool_calls.0.tool_call.id': '1',
          'llm.output_messages.0.message.tool_calls.0.tool_call.function.name': 'f',
          'llm.output_messages.1.message.role': 'assistant',
          'llm.output_messages.1.message.content': 'done',
        },
      ),
      span(
        { id: 'T', in: 'A', at: 1 },
        { 'openinference.span.kind': 'TOOL', 'tool.name': 'f', 'tool.id': '1', 'output.value': 'x' },
      ),
    );
    expect(exchanges(parsed)).toEqual([['go', 'done']]);
    expect([steps(parsed), calls(parsed)]).toEqual([['model', 'f', 'model'], [['f ok']]]);
  });

  it('are ignored if only a name was recorded', () => {
    const parsed = session(agent({ id: 'gate' }, 'gate'), model({ id: 'm', at: 2 }, [user('hi')], assistant('hello')));
    expect([exchanges(parsed), steps(parsed)]).toEqual([[['hi', 'hello']], ['model']]);
  });
});

it('a second model at the top with another input does not answer the user', () => {
  const parsed = session(
    model({ id: 'm' }, [user('hi')], assistant('hello')),
    model({ id: 'n', at: 2 }, [user('Give this chat a title: hi')], assistant('A greeting')),
  );
  expect([exchanges(parsed), steps(parsed)]).toEqual([[['hi', 'hello']], ['model', 'model']]);
});

it('a second program at the top does not answer the user', () => {
  const parsed = session(
    chain({ id: 'a', took: 1 }, 'hi', 'hello'),
    model({ id: 'm', in: 'a' }, [user('hi')], assistant('hello')),
    chain({ id: 'b', at: 2, took: 1 }, 'Give this chat a title: hi', 'A greeting'),
    model({ id: 'n', in: 'b', at: 2 }, [user('Give this chat a title: hi')], assistant('A greeting')),
  );
  expect([exchanges(parsed), steps(parsed)]).toEqual([[['hi', 'hello']], ['model', 'model']]);
});

it('a nested agent with the wording of its model continues the conversation', () => {
  const input = JSON.stringify([user('who?')]);
  const parsed = session(
    agent({ id: 'a', took: 9 }, 'x', { 'gen_ai.input.messages': input }),
    model({ id: 'm', in: 'a' }, [user('Answer briefly: who?')], assistant('wait')),
    agent({ id: 'b', in: 'a', at: 2, took: 5 }, 'y'),
    model({ id: 'n', in: 'b', at: 2 }, [user('Answer briefly: who?')], assistant('me')),
  );
  expect([exchanges(parsed), steps(parsed)]).toEqual([[['who?', 'me']], ['model', 'model']]);
});

describe('missing content', () => {
  it('is reported, and does not give an empty conversation', () => {
    const reading = read(
      agent({ id: 'a', took: 9 }, 'x'),
      modelWithoutContent({ id: 'm', in: 'a' }),
      tool({ id: 'f', in: 'a', at: 2 }, 'f', '1'),
    );
    expect(reading.sessions[0]?.turns).toMatchObject([{ input: null, output: null, captured: false }]);
    expect(codes(reading)).toEqual(['warning no-content']);
    expect(reading.problems[0]).toMatchObject({ pointer: '/0', message: expect.stringContaining('any messages') });
  });

  it.each([
    ["the agent's output", [chain({ id: 'a', took: 9 }, 'hi'), modelWithoutContent({ id: 'm', in: 'a' })]],
    ["the agent's input", [chain({ id: 'a', took: 9 }, undefined, 'hello'), modelWithoutContent({ id: 'm', in: 'a' })]],
  ])('may be %s', (what, spans) => {
    const reading = read(...spans);
    expect(reading.sessions[0]?.turns[0]?.captured).toBe(false);
    expect(reading.problems[0]?.message).toContain(what);
  });

  it.each([
    ['an empty answer', [model({ id: 'm' }, [user('hi')], assistant(''))]],
    [
      'a model that failed',
      [chain({ id: 'a', took: 9 }, 'hi'), { ...modelWithoutContent({ id: 'm', in: 'a' }), status: { code: 'ERROR' } }],
    ],
    ['an agent that failed', [{ ...chain({ id: 'a' }, 'hi'), status: { code: 'ERROR' } }]],
  ])('is not %s', (_, spans) => {
    const reading = read(...spans);
    expect(reading.sessions[0]?.turns).toMatchObject([{ input: 'hi', output: null }]);
    expect(reading.sessions[0]?.turns[0]?.captured).toBeUndefined();
    expect(codes(reading)).toEqual([]);
  });
});

it('the catalogue of a turn includes all its models, and is stored with the turn if it differs', () => {
  const definitions = (...names: string[]) => ({
    'gen_ai.tool.definitions': JSON.stringify(names.map((name) => ({ type: 'function', name }))),
  });
  const of = (trace: string, id: string, at: number, names: string[], ...messages: object[]) => {
    const span = model({ id, trace, at }, messages, assistant(`to ${id}`));
    return { ...span, attributes: { ...span.attributes, 'session.id': 's', ...definitions(...names) } };
  };
  const parsed = session(
    of('t1', 'a', 0, ['f'], user('a')),
    of('t1', 'b', 1, ['f', 'g'], user('a')),
    of('t2', 'c', 9, ['f', 'g'], user('b')),
    of('t3', 'd', 20, ['h'], user('c')),
  );
  expect(parsed.tools?.map(({ name }) => name)).toEqual(['f', 'g']);
  expect(parsed.turns.map(({ tools }) => tools?.map(({ name }) => name))).toEqual([undefined, undefined, ['h']]);
});

it('the scores of a span become those of its turn', () => {
  const scored = {
    ...model({ id: 'm' }, [user('hi')], assistant('hello')),
    span_events: [
      {
        event_name: 'gen_ai.evaluation.result',
        attributes: { 'gen_ai.evaluation.name': 'tone', 'gen_ai.evaluation.score.label': 'good' },
      },
      {
        event_name: 'gen_ai.evaluation.result',
        attributes: { 'gen_ai.evaluation.name': 'help', 'gen_ai.evaluation.score.value': 0.5 },
      },
      { event_name: 'gen_ai.evaluation.result', attributes: {} },
    ],
  };
  expect(turnAt(session(scored), 0).scores).toEqual({ tone: 'good', help: 0.5 });
});
