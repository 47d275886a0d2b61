import { describe, expect, it } from 'vitest';
import { otlp } from '../../../../src/formats/spans/otlp.ts';
import { spanList } from '../../../../src/formats/spans/span-list.ts';
import { callAt, codes, json, onlySession, turnAt } from '../read-fixture.ts';
import { calls, exchanges, session, span, steps } from './span-builder.ts';

const text = JSON.stringify;

/** A session of spans with these attributes, one after the other. */
const of = (...attributes: readonly Record<string, unknown>[]) =>
  session(...attributes.map((attribute, index) => span({ id: `s${index}`, at: index }, attribute)));

describe('OpenTelemetry spans', () => {
  const chat = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm' };
  const openAi = { 'gen_ai.input.messages': text([{ role: 'user', content: 'hi' }]) };

  it.each<[string, Record<string, unknown>]>([
    ['an operation', { ...chat, ...openAi }],
    [
      'a request of OpenLLMetry',
      { 'llm.request.type': 'chat', 'gen_ai.prompt.0.role': 'user', 'gen_ai.prompt.0.content': 'hi' },
    ],
    ['a model alone', { 'gen_ai.request.model': 'm', ...openAi }],
    ['messages alone', openAi],
    ['one prompt', { 'gen_ai.prompt': 'hi', 'gen_ai.completion': 'hello' }],
    ["Logfire's request", { ...chat, request_data: text({ messages: [{ role: 'user', content: 'hi' }] }) }],
    [
      'a list of messages, not JSON of it',
      { ...chat, 'gen_ai.input.messages': [{ role: 'user', parts: [{ type: 'text', content: 'hi' }] }] },
    ],
  ])('are recognized by %s', (_, attributes) => {
    expect(exchanges(of(attributes))[0]?.[0]).toBe('hi');
  });

  it.each<[string, Record<string, unknown>]>([
    ['embeddings', { 'gen_ai.operation.name': 'embeddings', 'gen_ai.request.model': 'm' }],
    ['an agent that is made', { 'gen_ai.operation.name': 'create_agent', 'gen_ai.agent.name': 'x' }],
    ['a re-ranker of OpenLLMetry', { 'llm.request.type': 'rerank', 'gen_ai.request.model': 'm' }],
    ['HTTP with the conversation', { 'http.method': 'POST', 'gen_ai.conversation.id': 'x' }],
  ])('do not include %s', (_, attributes) => {
    expect(codes(spanList.read(json([span({ id: 'a' }, attributes)])))).toEqual(['error no-session']);
  });

  it('have models, finish reasons and tokens, with separate reasoning tokens', () => {
    const session = of({
      ...chat,
      ...openAi,
      'gen_ai.response.model': 'm-1',
      'gen_ai.response.finish_reasons': '["stop"]',
      'gen_ai.usage.input_tokens': '100',
      'gen_ai.usage.output_tokens': 30,
      'gen_ai.usage.cache_read.input_tokens': 50,
      'gen_ai.usage.reasoning.output_tokens': 20,
      'gen_ai.usage.cost': 0.02,
    });
    expect(turnAt(session, 0).steps[0]).toMatchObject({
      model: 'm-1',
      finishReason: 'stop',
      usage: { inputTokens: 100, outputTokens: 10, cachedTokens: 50, reasoningTokens: 20, cost: 0.02 },
    });
  });

  it('have instructions and catalogues of their own', () => {
    const session = of({
      ...chat,
      ...openAi,
      'gen_ai.system_instructions': text([
        { type: 'text', content: 'Be' },
        { type: 'text', content: 'brief.' },
      ]),
      'gen_ai.tool.definitions': text([{ type: 'function', name: 'f', parameters: { type: 'object' } }]),
    });
    expect([session.system, session.tools]).toEqual(['Be\nbrief.', [{ name: 'f', inputSchema: { type: 'object' } }]]);
    const flat = of({
      ...chat,
      ...openAi,
      'llm.request.functions.0.name': 'g',
      'llm.request.functions.0.parameters': '{"type":"object"}',
    });
    expect(flat.tools).toEqual([{ name: 'g', inputSchema: { type: 'object' } }]);
    expect(of({ ...chat, ...openAi, 'gen_ai.agent.tools': '["h"]' }).tools).toEqual([{ name: 'h' }]);
  });

  it.each<[string, Record<string, unknown>, unknown]>([
    [
      'arguments and result',
      { 'gen_ai.tool.call.arguments': '{"a":1}', 'gen_ai.tool.call.result': 'x' },
      [{ a: 1 }, 'x'],
    ],
    ["Pydantic AI's names", { tool_arguments: '{"a":1}', tool_response: 'x' }, [{ a: 1 }, 'x']],
    ["any-agent's names", { 'gen_ai.tool.args': '{"a":1}', 'gen_ai.output': 'x' }, [{ a: 1 }, 'x']],
    [
      "OpenLLMetry's decorator",
      { 'traceloop.entity.input': '{"args":[],"kwargs":{"a":1}}', 'traceloop.entity.output': '"x"' },
      [{ a: 1 }, '"x"'],
    ],
    [
      "OpenLLMetry's callback for LangChain",
      {
        'traceloop.entity.input': text({ input_str: "{'a': 1}", tags: [], inputs: { a: 1 } }),
        'traceloop.entity.output': 'x',
      },
      [{ a: 1 }, 'x'],
    ],
    ['a dictionary of Python', { 'input.value': "{'a': True}" }, [{ a: true }, undefined]],
    ['nothing', {}, [{}, undefined]],
  ])('read a tool with %s', (_, attributes, expected) => {
    const session = of({ 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'f', ...attributes });
    const call = callAt(turnAt(session, 0), 0);
    expect([call.arguments, call.result]).toEqual(expected);
  });

  it.each([
    ['its attribute', { 'gen_ai.tool.name': 'f' }, 'f'],
    ["OpenLLMetry's", { 'traceloop.span.kind': 'tool', 'traceloop.entity.name': 'f' }, 'f'],
    ['the name of the span', {}, 'look_up'],
  ])('name a tool by %s', (_, attributes, name) => {
    const parsed = session(
      span({ id: 'a' }, { 'gen_ai.operation.name': 'execute_tool', ...attributes }, 'execute_tool look_up'),
    );
    expect(callAt(turnAt(parsed, 0), 0).name).toBe(name);
  });

  it('read messages from span events', () => {
    const event = (name: string, attributes: object) => ({ name, attributes });
    const spans = [
      {
        ...span({ id: 'a' }, chat),
        events: [
          event('gen_ai.system.message', { content: 'Be brief.' }),
          event('gen_ai.user.message', { content: 'hi', role: 'user' }),
          event('gen_ai.assistant.message', {
            tool_calls: text([{ id: '1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }]),
          }),
          event('gen_ai.tool.message', { content: 'x', id: '1' }),
          event('gen_ai.choice', {
            index: 0,
            finish_reason: 'stop',
            message: text({ role: 'assistant', content: 'hello' }),
          }),
        ],
      },
    ];
    const session = onlySession(spanList.read(json(spans)));
    expect([session.system, exchanges(session), calls(session)]).toEqual(['Be brief.', [['hi', 'hello']], [['f ok']]]);
    expect(callAt(turnAt(session, 0), 0)).toMatchObject({ id: '1', arguments: { a: 1 }, result: 'x' });
    expect(turnAt(session, 0)).toMatchObject({ outputPointer: '/0/events/4/attributes/message' });
    expect(turnAt(session, 0).steps.at(-1)).toMatchObject({ finishReason: 'stop' });
  });

  it('read messages that Pydantic AI lists in one attribute', () => {
    const events = [
      { 'event.name': 'gen_ai.user.message', content: 'hi', role: 'user' },
      {
        'event.name': 'gen_ai.choice',
        index: 0,
        message: { role: 'assistant', tool_calls: [{ id: '1', function: { name: 'f', arguments: { a: 1 } } }] },
      },
    ];
    const session = of({ ...chat, events: text(events) });
    expect([exchanges(session), calls(session)]).toEqual([[['hi', null]], [['f missing']]]);
    const whole = [events[0], { 'event.name': 'gen_ai.assistant.message', role: 'assistant', content: 'hello' }];
    expect(exchanges(of({ agent_name: 'x', all_messages_events: text(whole), final_result: 'hello' }))).toEqual([
      ['hi', 'hello'],
    ]);
  });

  it('read a whole conversation at an agent', () => {
    const whole = [
      { role: 'user', parts: [{ type: 'text', content: 'hi' }] },
      { role: 'assistant', parts: [{ type: 'text', content: 'hello' }] },
      { role: 'user', parts: [{ type: 'text', content: 'and?' }] },
      { role: 'assistant', parts: [{ type: 'text', content: 'bye' }] },
    ];
    expect(exchanges(of({ 'gen_ai.operation.name': 'invoke_agent', 'pydantic_ai.all_messages': text(whole) }))).toEqual(
      [
        ['hi', 'hello'],
        ['and?', 'bye'],
      ],
    );
    const answers = {
      ...chat,
      'gen_ai.input.messages': text(whole.slice(0, 3)),
      'gen_ai.output.messages': text(whole.slice(3)),
    };
    const parsed = session(
      span({ id: 'a', took: 9 }, { 'gen_ai.operation.name': 'invoke_agent', 'pydantic_ai.all_messages': text(whole) }),
      span({ id: 'm', in: 'a' }, answers),
    );
    expect([exchanges(parsed).at(-1), steps(parsed, 1)]).toEqual([['and?', 'bye'], ['model']]);
  });

  it('read the details of an inference from their event', () => {
    const details = {
      event_name: 'gen_ai.client.inference.operation.details',
      attributes: {
        'gen_ai.input.messages': [{ role: 'user', parts: [{ type: 'text', content: 'hi' }] }],
        'gen_ai.output.messages': [
          { role: 'assistant', parts: [{ type: 'text', content: 'hello' }], finish_reason: 'stop' },
        ],
      },
    };
    const session = onlySession(spanList.read(json([{ ...span({ id: 'a' }, chat), span_events: [details] }])));
    expect(exchanges(session)).toEqual([['hi', 'hello']]);
    expect(turnAt(session, 0).inputPointer).toBe('/0/span_events/0/attributes/gen_ai.input.messages/0/parts/0/content');
  });

  it('keep requested JSON as the text of a model', () => {
    const session = of({ ...chat, ...openAi, 'gen_ai.output': '{"answer": 42}' });
    expect(exchanges(session)).toEqual([['hi', '{"answer": 42}']]);
  });

  it('read retrievals', () => {
    const session = of({
      'gen_ai.operation.name': 'retrieval',
      'gen_ai.retrieval.query.text': 'q',
      'gen_ai.retrieval.documents': text([{ id: '1', content: 'x', score: 0.5 }, { title: 'y' }]),
    });
    expect(turnAt(session, 0).steps).toMatchObject([
      { type: 'retrieval', query: 'q', documents: [{ id: '1', text: 'x', score: 0.5 }, { text: '{"title":"y"}' }] },
    ]);
  });

  it('read log records without a span', () => {
    const record = (eventName: string, body: object) => ({
      traceId: 't',
      spanId: 's',
      eventName,
      body: {
        kvlistValue: { values: Object.entries(body).map(([key, value]) => ({ key, value: { stringValue: value } })) },
      },
    });
    const logRecords = [
      record('gen_ai.user.message', { content: 'hi' }),
      record('gen_ai.choice', { message: 'hello' }),
      { traceId: 't', body: { stringValue: 'no span' } },
    ];
    const reading = otlp.read(json({ resourceLogs: [{ resource: {}, scopeLogs: [{ logRecords }] }] }));
    expect(exchanges(onlySession(reading))).toEqual([['hi', 'hello']]);
  });
});

describe('Agent Development Kit spans', () => {
  const call = (request: object, response: object, more = {}) => ({
    'gcp.vertex.agent.llm_request': text(request),
    'gcp.vertex.agent.llm_response': text(response),
    ...more,
  });
  const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
  const answer = { content: { role: 'model', parts: [{ text: 'hello' }] } };

  it('skip texts of other agents that are recorded as user messages', () => {
    const context = { role: 'user', parts: [{ text: 'For context:' }, { text: '[a] said: x' }] };
    expect(exchanges(of(call({ contents: [...contents, context] }, answer)))).toEqual([['hi', 'hello']]);
  });

  it('unwrap results that were not objects', () => {
    const session = of({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'f',
      'gcp.vertex.agent.tool_call_args': '{"a": 1}',
      'gcp.vertex.agent.tool_response': '{"result": "x"}',
    });
    expect(callAt(turnAt(session, 0), 0)).toMatchObject({ name: 'f', arguments: { a: 1 }, result: 'x' });
  });

  it('do not count calls twice that are recorded together as well', () => {
    const merged = {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': '(merged tools)',
      'gcp.vertex.agent.tool_call_args': 'N/A',
    };
    expect(steps(of(call({ contents }, answer), merged))).toEqual(['model']);
  });

  it('without permission to record content use the library below if it recorded content', () => {
    const empty = { 'gcp.vertex.agent.llm_request': '{}', 'gcp.vertex.agent.llm_response': '{}' };
    const parsed = session(
      span({ id: 'a', took: 5 }, empty, 'call_llm'),
      span(
        { id: 'b', in: 'a' },
        {
          'gen_ai.operation.name': 'chat',
          'gen_ai.prompt.0.role': 'user',
          'gen_ai.prompt.0.content': 'hi',
          'gen_ai.completion.0.content': 'hello',
        },
      ),
    );
    expect([exchanges(parsed), steps(parsed)]).toEqual([[['hi', 'hello']], ['model']]);
  });

  it('report a request that could not be written', () => {
    const reading = spanList.read(json([span({ id: 'a' }, call({}, {}), 'call_llm')]));
    expect(codes(reading)).toEqual(['warning no-content']);
  });
});

describe('AI SDK spans', () => {
  it('have attributes for calls, texts, objects and thoughts', () => {
    const prompt = {
      'ai.operationId': 'ai.streamText.doStream',
      'ai.prompt.messages': text([{ role: 'user', content: [{ type: 'text', text: 'hi' }] }]),
    };
    const session = of(
      {
        ...prompt,
        'ai.response.toolCalls': text([{ toolCallId: '1', toolName: 'f', args: '{"a":1}' }]),
        'ai.response.reasoning': 'hm',
      },
      {
        ...prompt,
        'ai.response.text': 'hello',
        'ai.response.finishReason': 'stop',
        'ai.usage.promptTokens': 5,
        'ai.usage.completionTokens': 7,
      },
    );
    expect(turnAt(session, 0).steps[0]).toMatchObject({ type: 'model', reasoning: 'hm' });
    expect(callAt(turnAt(session, 0), 0)).toMatchObject({ id: '1', name: 'f', arguments: { a: 1 } });
    expect(turnAt(session, 0).steps.at(-1)).toMatchObject({
      text: 'hello',
      usage: { inputTokens: 5, outputTokens: 7 },
    });
  });

  it.each([
    ['a prompt', { prompt: 'hi' }],
    ['messages', { system: 's', messages: [{ role: 'user', content: 'hi' }] }],
  ])('are a program for %s, which returns one text or object', (_, prompt) => {
    const input = { 'ai.operationId': 'ai.generateObject', 'ai.prompt': text(prompt) };
    expect(exchanges(of({ ...input, 'ai.response.object': '{"a":1}' }))).toEqual([['hi', '{"a":1}']]);
  });

  it('have tools with JSON', () => {
    const session = of({
      'ai.operationId': 'ai.toolCall',
      'ai.toolCall.name': 'f',
      'ai.toolCall.id': '1',
      'ai.toolCall.args': '{"a":1}',
      'ai.toolCall.result': '"x"',
    });
    expect(callAt(turnAt(session, 0), 0)).toMatchObject({ id: '1', arguments: { a: 1 }, result: 'x' });
  });

  it('do not turn an embedding into an agent', () => {
    expect(
      codes(spanList.read(json([span({ id: 'a' }, { 'ai.operationId': 'ai.embed', 'gen_ai.request.model': 'm' })]))),
    ).toEqual(['error no-session']);
  });
});

describe('OpenInference spans', () => {
  const llm = (attributes: object) => ({ 'openinference.span.kind': 'LLM', ...attributes });

  it('have texts in one piece or in parts, with thoughts in between', () => {
    const session = of(
      llm({
        'llm.input_messages.0.message.role': 'user',
        'llm.input_messages.0.message.contents.0.message_content.type': 'text',
        'llm.input_messages.0.message.contents.0.message_content.text': 'look',
        'llm.input_messages.0.message.contents.1.message_content.type': 'image',
        'llm.input_messages.0.message.contents.2.message_content.text': 'here',
        'llm.output_messages.0.message.role': 'assistant',
        'llm.output_messages.0.message.contents.0.message_content.type': 'reasoning',
        'llm.output_messages.0.message.contents.0.message_content.text': 'hm',
        'llm.output_messages.1.message.content': 'a dog',
        'llm.model_name': 'm',
        'llm.token_count.prompt': 5,
        'llm.token_count.completion': 9,
        'llm.token_count.completion_details.reasoning': 4,
      }),
    );
    expect(exchanges(session)).toEqual([['look\nhere', 'a dog']]);
    expect(turnAt(session, 0).steps).toMatchObject([
      {
        type: 'model',
        model: 'm',
        reasoning: 'hm',
        text: 'a dog',
        usage: { inputTokens: 5, outputTokens: 5, reasoningTokens: 4 },
      },
    ]);
  });

  it('use the request and the response if the flat messages lack the calls', () => {
    const human = {
      lc: 1,
      type: 'constructor',
      id: ['langchain_core', 'messages', 'HumanMessage'],
      kwargs: { content: 'hi' },
    };
    const ai = {
      lc: 1,
      type: 'constructor',
      id: ['langchain_core', 'messages', 'AIMessage'],
      kwargs: { content: '', tool_calls: [{ name: 'f', args: { a: 1 }, id: '1' }] },
    };
    const session = of(
      llm({
        'input.value': text({ messages: [[human]] }),
        'output.value': text({ generations: [[{ text: '', message: ai }]] }),
        'llm.input_messages.0.message.role': 'user',
        'llm.input_messages.0.message.content': 'hi',
        'llm.output_messages.0.message.role': 'assistant',
        'llm.output_messages.0.message.content': '',
      }),
    );
    expect([exchanges(session), calls(session)]).toEqual([[['hi', null]], [['f missing']]]);
  });

  it('use the request if the flat history lacks the calls', () => {
    const message = (type: string, kwargs: object) => ({
      lc: 1,
      type: 'constructor',
      id: ['langchain_core', 'messages', type],
      kwargs,
    });
    const session = of(
      llm({
        'input.value': text({
          messages: [
            [
              message('HumanMessage', { content: 'hi' }),
              message('AIMessage', { content: '', tool_calls: [{ name: 'f', args: { a: 1 }, id: '1' }] }),
              message('ToolMessage', { content: 'x', tool_call_id: '1' }),
            ],
          ],
        }),
        'llm.input_messages.0.message.role': 'user',
        'llm.input_messages.0.message.content': 'hi',
        'llm.input_messages.1.message.role': 'assistant',
        'llm.input_messages.1.message.content': '',
        'llm.input_messages.2.message.role': 'tool',
        'llm.input_messages.2.message.content': 'x',
        'llm.output_messages.0.message.role': 'assistant',
        'llm.output_messages.0.message.content': 'done',
      }),
    );
    expect([exchanges(session), calls(session)]).toEqual([[['hi', 'done']], [['f ok']]]);
  });

  it("read tool results, including LangChain's tool messages", () => {
    const returned = (value: object) => {
      const session = of({
        'openinference.span.kind': 'TOOL',
        'tool.name': 'f',
        'input.value': "{'a': 1}",
        'output.value': text(value),
      });
      const { id, arguments: args, result, outcome } = callAt(turnAt(session, 0), 0);
      return [id, args, result, outcome];
    };
    const message = { content: 'x', tool_call_id: '1', status: 'success' };
    expect(returned(message)).toEqual(['1', { a: 1 }, 'x', 'ok']);
    expect(returned({ output: { lc: 1, kwargs: { ...message, status: 'error' } } })).toEqual([
      '1',
      { a: 1 },
      'x',
      'error',
    ]);
    expect(returned({ total: 5 })).toEqual([undefined, { a: 1 }, '{"total":5}', 'ok']);
  });

  describe('whose content was moved into an event', () => {
    const moved = (id: string, attributes: object, input: readonly string[], output: readonly string[]) => ({
      ...span({ id, in: 'root' }, attributes as Record<string, unknown>),
      span_events: [
        {
          event_name: 'openinference.instrumentation.langchain',
          body: {
            input: { messages: input.map((content) => ({ role: 'user', content })) },
            output: { messages: output.map((content) => ({ role: 'assistant', content })) },
          },
        },
      ],
    });

    it('are read by their kind', () => {
      const session = onlySession(
        spanList.read(
          json([
            moved('a', llm({}), ['hi'], ['hello']),
            moved('b', { 'openinference.span.kind': 'TOOL', 'tool.name': 'f' }, ["{'a': 1}"], ['x']),
          ]),
        ),
      );
      expect([exchanges(session), calls(session)]).toEqual([[['hi', 'hello']], [['f ok']]]);
      expect(turnAt(session, 0).outputPointer).toBe('/0/span_events/0/body/output/messages/0/content');
    });

    it('are models and tools by their results, without their kind', () => {
      const generation = (fields: object) => text({ generations: [[fields]], llm_output: null });
      const call = { name: 'f', args: { a: 1 }, id: '1' };
      const session = onlySession(
        spanList.read(
          json([
            moved('a', {}, ['hi'], [generation({ text: 'I look.', message: { tool_calls: [call] } })]),
            moved('b', {}, ["{'a': 1}"], [text({ type: 'tool', name: 'f', content: 'x', tool_call_id: '1' })]),
            moved('c', {}, ['hi'], [generation({ text: 'hello' })]),
            moved('d', {}, ['hi'], [text({ messages: [{ type: 'ai', content: 'hello' }] })]),
          ]),
        ),
      );
      expect([exchanges(session), calls(session)]).toEqual([[['hi', 'hello']], [['f ok']]]);
      expect(turnAt(session, 0).steps[0]).toMatchObject({ type: 'model', text: 'I look.' });
      expect(callAt(turnAt(session, 0), 0)).toMatchObject({ id: '1', arguments: { a: 1 }, result: 'x' });
    });

    it('have the value with all messages beside texts of single ones', () => {
      const history = text({ messages: [[{ type: 'human', content: 'hi' }]] });
      const session = onlySession(spanList.read(json([moved('a', llm({}), ['hi', history], ['hello'])])));
      expect(exchanges(session)).toEqual([['hi', 'hello']]);
    });
  });

  it('have retrievals and catalogues', () => {
    const session = of(
      {
        'openinference.span.kind': 'RETRIEVER',
        'input.value': 'q',
        'retrieval.documents.0.document.id': '1',
        'retrieval.documents.0.document.content': 'x',
        'retrieval.documents.0.document.score': 0.5,
      },
      llm({
        'llm.input_messages.0.message.role': 'user',
        'llm.input_messages.0.message.content': 'hi',
        'llm.tools.0.tool.json_schema': text({ name: 'f', input_schema: { type: 'object' } }),
      }),
    );
    expect(turnAt(session, 0).steps[0]).toMatchObject({ query: 'q', documents: [{ id: '1', text: 'x', score: 0.5 }] });
    expect(session.tools).toEqual([{ name: 'f', inputSchema: { type: 'object' } }]);
  });

  it.each(['EMBEDDING', 'RERANKER', 'GUARDRAIL', 'EVALUATOR', 'nonsense'])('do not include %s', (kind) => {
    const first = span({ id: 'a' }, { 'openinference.span.kind': kind, 'gen_ai.operation.name': 'chat' });
    expect(codes(spanList.read(json([first])))).toEqual(['error no-session']);
  });
});

describe('MLflow spans', () => {
  const ml = (type: string, inputs: unknown, outputs: unknown) => ({
    'mlflow.spanType': text(type),
    'mlflow.spanInputs': text(inputs),
    'mlflow.spanOutputs': text(outputs),
  });

  it('have functions with their arguments and results', () => {
    const session = of(
      ml(
        'CHAT_MODEL',
        { messages: [{ role: 'user', content: 'hi' }] },
        { choices: [{ message: { role: 'assistant', content: 'hello' } }], model: 'm' },
      ),
      ml('TOOL', { input: "{'a': 1}" }, { content: 'x', type: 'tool', tool_call_id: '1', status: 'error' }),
      ml('RETRIEVER', { query: 'q' }, [{ page_content: 'x', metadata: { doc_uri: '1', score: 0.5 } }]),
      ml('EMBEDDING', 'x', [1]),
    );
    expect(exchanges(session)).toEqual([['hi', 'hello']]);
    expect(turnAt(session, 0).steps).toMatchObject([
      { type: 'model', model: 'm' },
      { type: 'tool', id: '1', arguments: { a: 1 }, result: 'x', outcome: 'error' },
      { type: 'retrieval', query: 'q', documents: [{ id: '1', text: 'x', score: 0.5 }] },
    ]);
  });
});
