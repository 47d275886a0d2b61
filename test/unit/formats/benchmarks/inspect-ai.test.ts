import { describe, expect, it } from 'vitest';
import type { AgentStep, Turn } from '../../../../src/core/session.ts';
import { agentToolCalls } from '../../../../src/core/session.ts';
import { readInspectAi } from '../../../../src/formats/benchmarks/inspect-ai.ts';
import { callAt, codes, fixture, json, onlySession, read, resolve, turnAt } from '../read-fixture.ts';

const document = fixture('inspect-ai.json');
const [refund, help] = read(document).sessions;

function log(sample: object, more: object = {}) {
  const messages = [{ role: 'user', content: 'hi' }];
  const one = { id: 1, epoch: 1, messages, ...sample };
  return json({ version: 2, status: 'success', eval: { task: 't', model: 'm' }, samples: [one], ...more });
}

function agentIn(turn: Turn): AgentStep {
  const step = turn.steps.find((step) => step.type === 'agent');
  if (step?.type !== 'agent') throw new Error('There is no agent step.');
  return step;
}

describe('a sample', () => {
  it('is a session with its epoch as attempt', () => {
    expect(refund).toMatchObject({
      id: 'refunds-1-epoch-2',
      source: { pointer: '/samples/0' },
      task: { id: '1', trial: '2', dataset: 'refunds', agent: 'some/model-1' },
      system: 'You refund orders.',
      metadata: { level: 'easy', model: 'some/model-1' },
    });
    expect(help?.id).toBe('refunds-help-epoch-1');
  });

  it('ended by a limit or an error has a warning', () => {
    expect(codes(read(document))).toEqual(['warning run-failed']);
    expect(read(document).problems[0]?.pointer).toBe('/samples/1/limit/type');
    const failed = read(log({ error: { message: 'No credit', traceback: '' } }));
    expect(failed.problems).toMatchObject([{ code: 'run-failed', pointer: '/samples/0/error/message' }]);
    expect(onlySession(failed).metadata).toMatchObject({ error: 'No credit' });
  });

  it('without messages is an error', () => {
    const reading = readInspectAi(log({ messages: null }));
    expect(codes(reading)).toEqual(['error not-a-sample', 'error no-session']);
  });

  it('may be missing from a log with only a header', () => {
    const header = log({}, { samples: undefined });
    expect(codes(read(header))).toEqual(['error no-session']);
  });
});

describe('scores', () => {
  it("keep their names; grades become Inspect's numbers", () => {
    expect(refund?.scores).toEqual({ match: 1, model_graded_qa: 0 });
    expect(help?.scores).toEqual({ 'grade.style': 0.5, 'grade.truth': 0, judged: 0.25, label: 'late', flag: 1 });
  });

  it('are absent without scorers', () => {
    expect(onlySession(read(log({}))).scores).toBeUndefined();
  });
});

describe('the target', () => {
  it.each<[string, unknown, string | undefined]>([
    ['a text', 'yes', 'yes'],
    ['one text in a list', ['yes'], 'yes'],
    ['several that are all right', ['yes', 'no'], undefined],
    ['nothing', '', undefined],
    ['blanks', ' ', undefined],
    ['no text', 5, undefined],
  ])('%s', (_, target, response) => {
    const { turns } = onlySession(read(log({ target })));
    expect(turns.at(-1)?.reference?.response).toBe(response);
  });

  it('is the reference of the last turn', () => {
    expect(refund?.turns.map(({ reference }) => reference?.response)).toEqual([
      undefined,
      'Usually within 5 business days.',
    ]);
  });
});

describe('tools', () => {
  it('are those of the model calls', () => {
    expect(refund?.tools?.map(({ name }) => name)).toEqual(['get_order', 'refund_order']);
    expect(onlySession(read(log({ events: [{ event: 'model', tools: [], output: {} }] }))).tools).toEqual([]);
    expect(onlySession(read(log({}))).tools).toBeUndefined();
  });

  it('fail by their flag, with the error message', () => {
    const turn = turnAt(refund, 0);
    expect(callAt(turn, 1)).toMatchObject({
      outcome: 'error',
      error: 'Error: amount exceeds order total 42.50',
      resultPointer: '/samples/0/messages/5/error/message',
    });
  });

  it.each([
    [undefined, 'Error: this is the log you asked for', 'ok', undefined],
    [{ type: 'timeout', message: 'too slow' }, 'half of it', 'error', 'too slow'],
    [{ type: 'output_limit', message: 'too long' }, '', 'error', 'too long'],
    [{ type: 'approval', message: 'no' }, '', 'rejected', undefined],
  ])('%j: %s', (error, content, outcome, message) => {
    const call = { id: 'c', function: 'f', arguments: {} };
    const messages = [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: '', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c', function: 'f', content, error },
    ];
    const step = callAt(turnAt(onlySession(read(log({ messages }))), 0), 0);
    expect([step.outcome, step.error]).toEqual([outcome, message]);
  });

  it('executed by the provider are calls too', () => {
    expect(callAt(turnAt(help, 0), 0)).toMatchObject({
      name: 'web_search',
      arguments: { query: 'box' },
      result: 'nothing',
      outcome: 'ok',
    });
  });
});

describe('events', () => {
  it('give times, finish reasons and tokens of messages', () => {
    const [first] = turnAt(refund, 0).steps;
    expect(first).toMatchObject({
      model: 'some-model-1',
      finishReason: 'tool_calls',
      startedAt: '2026-03-01T10:00:02.000000+00:00',
      endedAt: '2026-03-01T10:00:03.000000+00:00',
      usage: { inputTokens: 130, outputTokens: 15, cachedTokens: 30, reasoningTokens: 5 },
    });
    expect(callAt(turnAt(refund, 0), 0)).toMatchObject({
      startedAt: '2026-03-01T10:00:03.000000+00:00',
      endedAt: '2026-03-01T10:00:04.000000+00:00',
    });
  });

  it('give the reasoning', () => {
    expect(turnAt(refund, 1).steps).toMatchObject([{ reasoning: 'Usual terms.' }]);
  });
});

describe('attachments', () => {
  it('replace texts that refer to them, with their pointers', () => {
    const turn = turnAt(help, 0);
    expect(turn).toMatchObject({ input: 'Where is the box?', inputPointer: '/samples/1/attachments/0a1b' });
    expect(resolve(document.value, turn.inputPointer ?? '')).toBe(turn.input);
  });

  it('leave the reference if they are missing', () => {
    const messages = [{ role: 'user', content: 'attachment://gone' }];
    expect(onlySession(read(log({ messages }))).turns[0]?.input).toBe('attachment://gone');
  });
});

describe('an agent that ran as a tool', () => {
  const turn = turnAt(help, 0);
  const { name, turns, pointer } = agentIn(turn);

  it('has its turns in a step after the call, not in the session', () => {
    expect(help?.turns).toHaveLength(1);
    expect([name, pointer]).toEqual(['librarian', '/samples/1/events/7']);
    expect(turns).toMatchObject([
      { input: 'Where is the box?', output: 'It is in the cupboard.', tools: [{ name: 'search' }] },
    ]);
    expect(turns.flatMap(agentToolCalls)).toMatchObject([
      { name: 'search', arguments: { q: 'box' }, result: 'in the cupboard' },
    ]);
    expect(agentToolCalls(turn).map((call) => [call.name, call.outcome])).toEqual([
      ['web_search', 'ok'],
      ['librarian', 'ok'],
      ['delete_box', 'rejected'],
    ]);
  });

  it('has its own tools, apart from those of the provider', () => {
    expect(help?.tools?.map((tool) => tool.name)).toEqual(['librarian', 'web_search']);
  });

  const ask = { id: 'ask', function: 'f', arguments: {} };
  const messages = [
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: '', tool_calls: [ask] },
    { role: 'tool', tool_call_id: 'ask', function: 'f', content: 'x' },
  ];
  const tool = { event: 'tool', id: 'ask', function: 'f', agent_span_id: 'a' };
  const model = { event: 'model', span_id: 'b', input: messages, output: {} };

  it("is not read for a handoff, whose messages are the session's", () => {
    const events = [
      { ...tool, agent: 'other' },
      { ...model, span_id: 'a' },
    ];
    const [item] = onlySession(read(log({ messages, events }))).turns;
    expect(item?.steps.map(({ type }) => type)).toEqual(['model', 'tool']);
  });

  it('ends although spans and histories form cycles', () => {
    const spans = ['a', 'b'].map((id) => ({ event: 'span_begin', id, parent_id: id === 'a' ? 'b' : 'a' }));
    const session = onlySession(read(log({ messages, events: [...spans, tool, model] })));
    const step = agentIn(turnAt(session, 0));
    expect(step.turns[0]?.steps.map(({ type }) => type)).toEqual(['model', 'tool']);
    const alone = onlySession(read(log({ messages, events: [...spans, model] })));
    expect(alone.turns[0]?.steps.map(({ type }) => type)).toEqual(['model', 'tool']);
  });
});
