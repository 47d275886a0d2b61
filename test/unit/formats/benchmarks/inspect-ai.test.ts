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
  const step = turn.steps.find((one) => one.type === 'agent');
  if (step?.type !== 'agent') throw new Error('There is no agent step.');
  return step;
}

describe('a sample', () => {
  it('is a session, its epoch the trial', () => {
    expect(refund).toMatchObject({
      id: 'refunds-1-epoch-2',
      source: { pointer: '/samples/0' },
      task: { id: '1', trial: '2', dataset: 'refunds', agent: 'some/model-1' },
      system: 'You refund orders.',
      metadata: { level: 'easy', model: 'some/model-1' },
    });
    expect(help?.id).toBe('refunds-help-epoch-1');
  });

  it('that was ended by a limit or an error says so', () => {
    expect(codes(read(document))).toEqual(['warning run-failed']);
    expect(read(document).problems[0]?.pointer).toBe('/samples/1/limit/type');
    const failed = read(log({ error: { message: 'No credit', traceback: '' } }));
    expect(failed.problems).toMatchObject([{ code: 'run-failed', pointer: '/samples/0/error/message' }]);
    expect(onlySession(failed).metadata).toMatchObject({ error: 'No credit' });
  });

  it('without messages is lost', () => {
    const reading = readInspectAi(log({ messages: null }));
    expect(codes(reading)).toEqual(['error not-a-sample', 'error no-session']);
  });

  it('may be missing: a header is a log, and nothing to evaluate', () => {
    const header = log({}, { samples: undefined });
    expect(codes(read(header))).toEqual(['error no-session']);
  });
});

describe('scores', () => {
  it('keep their names; letters are the numbers that Inspect counts them as', () => {
    expect(refund?.scores).toEqual({ match: 1, model_graded_qa: 0 });
    expect(help?.scores).toEqual({ 'grade.style': 0.5, 'grade.truth': 0, judged: 0.25, label: 'late', flag: 1 });
  });

  it('are none where nothing was scored', () => {
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

  it('is what the last answer should have been', () => {
    expect(refund?.turns.map(({ reference }) => reference?.response)).toEqual([
      undefined,
      'Usually within 5 business days.',
    ]);
  });
});

describe('tools', () => {
  it('are those that model calls were given', () => {
    expect(refund?.tools?.map(({ name }) => name)).toEqual(['get_order', 'refund_order']);
    expect(onlySession(read(log({ events: [{ event: 'model', tools: [], output: {} }] }))).tools).toEqual([]);
    expect(onlySession(read(log({}))).tools).toBeUndefined();
  });

  it('fail by their flag, and say what went wrong', () => {
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
  ])('%j: %s', (error, content, outcome, said) => {
    const call = { id: 'c', function: 'f', arguments: {} };
    const messages = [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: '', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c', function: 'f', content, error },
    ];
    const step = callAt(turnAt(onlySession(read(log({ messages }))), 0), 0);
    expect([step.outcome, step.error]).toEqual([outcome, said]);
  });

  it('that a provider ran are calls too', () => {
    expect(callAt(turnAt(help, 0), 0)).toMatchObject({
      name: 'web_search',
      arguments: { query: 'box' },
      result: 'nothing',
      outcome: 'ok',
    });
  });
});

describe('events', () => {
  it('tell times, finish reasons and tokens of the messages', () => {
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

  it('hold what reasoning there is', () => {
    expect(turnAt(refund, 1).steps).toMatchObject([{ reasoning: 'Usual terms.' }]);
  });
});

describe('attachments', () => {
  it('are read where a text refers to one, and pointed at', () => {
    const turn = turnAt(help, 0);
    expect(turn).toMatchObject({ input: 'Where is the box?', inputPointer: '/samples/1/attachments/0a1b' });
    expect(resolve(document.value, turn.inputPointer ?? '')).toBe(turn.input);
  });

  it('that are missing leave the reference', () => {
    const messages = [{ role: 'user', content: 'attachment://gone' }];
    expect(onlySession(read(log({ messages }))).turns[0]?.input).toBe('attachment://gone');
  });
});

describe('an agent that ran as a tool', () => {
  const turn = turnAt(help, 0);
  const { name, turns, pointer } = agentIn(turn);

  it("has its turns in a step behind the call, and not among the session's", () => {
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

  it("has tools of its own, which are not the session's; those that a provider ran are", () => {
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

  it('is not read where the conversation was handed over: its messages are the own ones', () => {
    const events = [
      { ...tool, agent: 'other' },
      { ...model, span_id: 'a' },
    ];
    const [one] = onlySession(read(log({ messages, events }))).turns;
    expect(one?.steps.map(({ type }) => type)).toEqual(['model', 'tool']);
  });

  it('ends, whatever spans and histories lead in a circle', () => {
    const spans = ['a', 'b'].map((id) => ({ event: 'span_begin', id, parent_id: id === 'a' ? 'b' : 'a' }));
    const session = onlySession(read(log({ messages, events: [...spans, tool, model] })));
    const step = agentIn(turnAt(session, 0));
    expect(step.turns[0]?.steps.map(({ type }) => type)).toEqual(['model', 'tool']);
    const alone = onlySession(read(log({ messages, events: [...spans, model] })));
    expect(alone.turns[0]?.steps.map(({ type }) => type)).toEqual(['model', 'tool']);
  });
});
