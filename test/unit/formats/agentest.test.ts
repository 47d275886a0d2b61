import { describe, expect, it } from 'vitest';
import { evaluateFiles } from '../../../src/app/evaluate-files.ts';
import { agentest } from '../../../src/formats/agentest.ts';
import { memoryFileSystem } from '../input/memory-file-system.ts';
import { callAt, codes, fixture, json, onlySession, read, turnAt } from './read-fixture.ts';

describe('a plain run', () => {
  it('gives a session per conversation, an attempt of its scenario', () => {
    const session = onlySession(read(fixture('agentest-results.json')));
    expect(session).toMatchObject({
      id: 'conv-1-18112720',
      source: { pointer: '/scenarios/0/conversations/0' },
      task: { id: 'refund an order', trial: 'conv-1-18112720', agent: undefined },
      metadata: { trajectory: { matched: false, failureLabel: 'strict match failed' } },
    });
    expect(session.scores).toBeUndefined();
    expect(session.turns.map(({ scores }) => scores)).toEqual([undefined, undefined]);
    expect(callAt(turnAt(session, 0), 1).pointer).toBe('/scenarios/0/conversations/0/turns/0/toolCalls/1');
  });
});

describe('a comparison', () => {
  const reading = read(fixture('agentest-comparison.json'));
  const [small, large] = reading.sessions;

  it('names the agent of each session', () => {
    expect(reading.sessions.map(({ task }) => [task?.id, task?.agent])).toEqual([
      ['refund an order', 'small'],
      ['refund an order', 'large'],
    ]);
    expect(small?.turns[0]?.pointer).toBe('/scenarios/0/agents/0/conversations/0/turns/0');
  });

  it("maps the file's scores to metric names, without failed metrics", () => {
    expect(small?.scores).toEqual({ goal_completion: 1 });
    expect(small?.turns.map(({ scores }) => scores)).toEqual([
      { conversation_coherence: 3, tool_call_behavior_failure: 'wrong tool' },
      { helpfulness: 5, conversation_coherence: 4, agent_behavior_failure: 'no failure' },
    ]);
    expect(large?.scores).toBeUndefined();
  });

  it('warns of a conversation that ended early', () => {
    expect(large?.metadata).toMatchObject({ error: 'The agent did not answer within 60 s.' });
    expect(codes(reading)).toEqual(['warning run-failed']);
    expect(reading.problems[0]?.pointer).toBe('/scenarios/0/agents/1/conversations/0/error');
  });
});

describe('invalid content', () => {
  const report = (...conversations: unknown[]) =>
    json({ summary: { totalScenarios: 1 }, scenarios: [{ name: 'a', conversations }] });
  const turn = (more: object) => ({ turnIndex: 0, userMessage: 'hi', agentMessage: 'hello', toolCalls: [], ...more });
  const turns = (...list: unknown[]) => agentest.read(report({ conversationId: 'c', turns: list }));

  it.each<[string, unknown[], string[]]>([
    ['a turn that is none', [5, turn({})], ['warning not-a-turn']],
    ['a call without a name', [turn({ toolCalls: [{ args: {} }] })], ['warning call-without-name']],
    ['two turns with one number', [turn({}), turn({})], ['warning duplicate-turn-id']],
  ])('%s', (_, list, expected) => {
    const reading = turns(...list);
    expect(onlySession(reading).turns.length).toBeGreaterThan(0);
    expect(codes(reading)).toEqual(expected);
  });

  it('an empty answer is not an answer', () => {
    expect(turnAt(onlySession(turns(turn({ agentMessage: '' }))), 0)).toMatchObject({
      output: null,
      outputPointer: undefined,
    });
  });

  it('a call without a result was executed', () => {
    const call = callAt(turnAt(onlySession(turns(turn({ toolCalls: [{ name: 'f', args: {} }] }))), 0), 0);
    expect([call.outcome, call.resultPointer]).toEqual(['ok', undefined]);
  });

  it('a conversation without turns does not affect the others', () => {
    const reading = agentest.read(report({ conversationId: 'a' }, { conversationId: 'b', turns: [] }));
    expect(reading.sessions.map(({ id }) => id)).toEqual(['b']);
    expect(codes(reading)).toEqual(['error not-a-conversation']);
  });

  it('a file without conversations is an error', () => {
    expect(codes(agentest.read(json({})))).toEqual(['error no-session']);
    expect(codes(agentest.read(json({ scenarios: [null] })))).toEqual(['error not-a-scenario', 'error no-session']);
  });
});

describe('the evaluation of a run', () => {
  const failure = (value: string, reason: string) => ({ value, reason });
  const report = json({
    summary: { totalScenarios: 1 },
    scenarios: [
      {
        name: 'a',
        conversations: [
          {
            conversationId: 'c',
            turns: [{ turnIndex: 0, userMessage: 'hi', agentMessage: 'hello', toolCalls: [] }],
            evaluation: {
              turnEvaluations: [
                {
                  turnIndex: 0,
                  metrics: {
                    coherence: { value: 4, reason: 'It hangs together.' },
                    helpfulness: failure('error: timeout', 'Metric evaluation failed: timeout'),
                    agent_behavior_failure: failure('false information', 'It invents a date.'),
                  },
                },
              ],
              goalCompletion: { value: 0, reason: 'Nothing was booked.' },
            },
          },
        ],
        errors: [
          { label: 'Invents dates', severity: 'critical', occurrences: ['c-F2'], explanation: 'It has no calendar.' },
        ],
      },
    ],
  });

  it('keeps the reasons of scores, and the group of a failure', () => {
    const session = onlySession(agentest.read(report));
    expect(session.scoreReasons).toEqual({ goal_completion: 'Nothing was booked.' });
    expect(turnAt(session, 0)).toMatchObject({
      scores: { conversation_coherence: 4, agent_behavior_failure: 'false information' },
      scoreReasons: { conversation_coherence: 'It hangs together.', agent_behavior_failure: 'It invents a date.' },
      importedFailures: {
        agent_behavior_failure: {
          group: '/scenarios/0/errors/0',
          title: 'Invents dates',
          explanation: 'It has no calendar.',
          severity: 'critical',
        },
      },
    });
  });

  it('gives the report its reasons and its failure groups', async () => {
    const file = memoryFileSystem({ '/results.json': JSON.stringify(report.value) });
    const { report: evaluated } = await evaluateFiles(['/results.json'], {}, { files: file });
    expect(evaluated.sessions[0]?.metrics.goal_completion).toMatchObject({ score: 0, reason: 'Nothing was booked.' });
    expect(evaluated.failures).toContainEqual(
      expect.objectContaining({
        title: 'Invents dates',
        explanation: 'It has no calendar.',
        severity: 'critical',
        count: 1,
        occurrences: [expect.objectContaining({ label: 'false information', reason: 'It invents a date.' })],
      }),
    );
  });
});
