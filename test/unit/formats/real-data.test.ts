import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { getArray } from '../../../src/core/json.ts';
import { agentToolCalls, type Session } from '../../../src/core/session.ts';
import { sharedData } from '../../support/shared-data.ts';
import { documentAt, onlySession, pointersOf, read, resolve } from './read-fixture.ts';

const root = sharedData('.');

function real(path: string) {
  const document = documentAt(`${root}/${path}`, path);
  const reading = read(document);
  for (const pointer of pointersOf(reading)) resolve(document.value, pointer);
  return { document, reading };
}

function counts(sessions: readonly Session[]) {
  const turns = sessions.flatMap((session) => session.turns);
  const calls = turns.flatMap(agentToolCalls);
  return {
    sessions: sessions.length,
    turns: turns.length,
    answered: turns.filter(({ output }) => output !== null).length,
    calls: calls.length,
    errors: calls.filter(({ outcome }) => outcome === 'error').length,
    missing: calls.filter(({ outcome }) => outcome === 'missing').length,
  };
}

interface ChatMessage {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: readonly unknown[];
}

/** The same, counted straight from chats in which no user speaks twice in a row and every call has its result. */
function countsOfChats(chats: readonly (readonly ChatMessage[])[]) {
  const messages = chats.flat();
  const ofRole = (role: string) => messages.filter((message) => message.role === role);
  const answers = chats.flatMap((chat) => {
    const answered = chat
      .map(({ role, content }) => (role === 'user' ? 'U' : role === 'assistant' && content ? 'A' : ''))
      .join('');
    return answered.match(/UA/g) ?? [];
  });
  return {
    sessions: chats.length,
    turns: ofRole('user').length,
    answered: answers.length,
    calls: messages.flatMap(({ tool_calls: calls }) => calls ?? []).length,
    errors: ofRole('tool').filter(({ content }) => content?.startsWith('Error')).length,
    missing: 0,
  };
}

function parsed<T>(path: string): T {
  return JSON.parse(readFileSync(`${root}/${path}`, 'utf8'));
}

describe.skipIf(root === null)('real files (needs ../shared/data)', () => {
  it.each([
    ['tau-bench/gpt-4o-airline.tasks00-12.json', 52],
    ['tau-bench/gpt-4o-airline.tasks13-24.json', 48],
    ['agentrx-tau-retail/failed-runs.json', 15],
  ])('%s', (path, sessions) => {
    const { reading } = real(path);
    const runs = parsed<{ traj: ChatMessage[]; reward: number; task_id: number; trial: number }[]>(path);
    expect(reading.problems).toEqual([]);
    expect(counts(reading.sessions)).toEqual(countsOfChats(runs.map(({ traj }) => traj)));
    expect(reading.sessions).toHaveLength(sessions);
    expect(reading.sessions.map(({ task, scores }) => [task?.id, task?.trial, scores?.reward])).toEqual(
      runs.map((run) => [String(run.task_id), String(run.trial), run.reward]),
    );
    expect(reading.sessions.every(({ goal, system, reference }) => goal && system && reference?.toolCalls)).toBe(true);
  });

  it.each([
    'openai-chat/messages-array.task01-trial0.json',
    'openai-chat/messages-array.task05-trial1.json',
    'openai-chat/messages-array.task09-trial2.json',
  ])('%s', (path) => {
    const { reading } = real(path);
    expect(reading.problems).toEqual([]);
    expect(counts(reading.sessions)).toEqual(countsOfChats([parsed<ChatMessage[]>(path)]));
  });

  it('openai-chat/request-body.task02.json', () => {
    const { reading } = real('openai-chat/request-body.task02.json');
    const body = parsed<{ messages: ChatMessage[]; tools: unknown[] }>('openai-chat/request-body.task02.json');
    expect(reading.problems).toEqual([]);
    expect(counts(reading.sessions)).toEqual(countsOfChats([body.messages]));
    expect(onlySession(reading).tools).toHaveLength(body.tools.length);
  });

  it('openai-chat/finetune-with-tools.jsonl', () => {
    const { reading } = real('openai-chat/finetune-with-tools.jsonl');
    const lines = readFileSync(`${root}/openai-chat/finetune-with-tools.jsonl`, 'utf8').trim().split('\n');
    expect(reading.problems).toEqual([]);
    expect(counts(reading.sessions)).toEqual(countsOfChats(lines.map((line) => JSON.parse(line).messages)));
    expect(reading.sessions.map(({ id }) => id)).toEqual(lines.map((_, index) => `line-${index + 1}`));
  });

  it('has the 762 answered customer-service turns on which scores were measured', () => {
    const parts = ['00-12', '13-24'].map((tasks) => real(`tau-bench/gpt-4o-airline.tasks${tasks}.json`).reading);
    expect(parts.map(({ sessions }) => counts(sessions).answered).reduce((a, b) => a + b)).toBe(762);
  });

  it('google-adk/text_search_floral_dress.session.json', () => {
    const { reading, document } = real('google-adk/text_search_floral_dress.session.json');
    const { turns } = onlySession(reading);
    expect(reading.problems).toEqual([]);
    expect(getArray(document.value, 'events')).toHaveLength(50);
    expect(counts(reading.sessions)).toEqual({ sessions: 1, turns: 8, answered: 8, calls: 12, errors: 0, missing: 0 });
    expect(turns.slice(0, 2).map((turn) => agentToolCalls(turn).map(({ name }) => name))).toEqual([
      ['search'],
      ['click', 'click', 'click', 'click', 'click', 'click'],
    ]);
    expect(turns.every(({ input }) => input)).toBe(true);
  });

  it('google-adk/123.session.json', () => {
    const { reading } = real('google-adk/123.session.json');
    expect(reading.problems).toEqual([]);
    expect(counts(reading.sessions)).toEqual({ sessions: 1, turns: 11, answered: 11, calls: 6, errors: 0, missing: 0 });
  });

  it.each([
    ['google-adk/inspire.test.json', [2]],
    ['google-adk/roll_die.test.json', [0, 0, 1]],
    ['google-adk/simple_multi_turn_conversation.test.json', [1, 1]],
    ['agentevals-otel/eval_set_helm.json', [1]],
  ])('%s', (path, calls) => {
    const { reading } = real(path);
    expect([reading.sessions, reading.problems]).toEqual([[], []]);
    const [only, ...others] = reading.expectations ?? [];
    expect(others).toEqual([]);
    expect(only?.turns.slice(0, calls.length).map(({ reference }) => reference.toolCalls?.length)).toEqual(calls);
    expect(only?.turns.every(({ input }) => input)).toBe(true);
  });

  it('pandaprobe/*: two turns of one session, and a trace that failed', () => {
    const [one, two, failed] = ['01_chatbot_support_turn1', '05_chatbot_support_turn2', '04_error_trace'].map(
      (name) => real(`pandaprobe/${name}.json`).reading,
    );
    expect([one, two, failed].flatMap((reading) => reading?.problems)).toEqual([]);
    expect(one?.sessions[0]?.id).toBe(two?.sessions[0]?.id);
    expect([one, two, failed].map((reading) => counts(reading?.sessions ?? []).calls)).toEqual([2, 3, 2]);
    expect(one?.sessions[0]?.turns[0]).toMatchObject({
      input: expect.stringMatching(/^Hi, I placed an order yesterday/),
      output: expect.stringMatching(/^I found your order #ORD-78432/),
      outputPointer: '/output/messages/0/content',
      startedAt: '2026-02-23T10:00:00.000Z',
    });
    const turn = failed?.sessions[0]?.turns[0];
    expect(turn?.output).toBeNull();
    expect(turn?.steps.filter((step) => step.type === 'model' && step.error?.includes('503'))).toHaveLength(3);
  });
});

/** A file of `test/fixtures`. */
function repositoryFile(path: string) {
  const document = documentAt(join(import.meta.dirname, '..', '..', 'fixtures', path));
  return { reading: read(document) };
}

it('sdk-generated/agentest_results.json matches its ground truth', () => {
  const { reading } = repositoryFile('sdk-generated/agentest_results.json');
  expect(reading.problems).toEqual([]);
  expect(counts(reading.sessions)).toEqual({ sessions: 1, turns: 2, answered: 2, calls: 3, errors: 0, missing: 0 });
});

it('edge/*: a byte order mark, and arguments that are not JSON', () => {
  const { reading } = repositoryFile('edge/bom.json');
  expect(reading.problems).toEqual([]);
  const [turn] = onlySession(reading).turns;
  expect(turn && agentToolCalls(turn).map((call) => [call.arguments, call.result])).toEqual([['{"a": 1', 'ok']]);
  expect(counts(repositoryFile('edge/crlf-one-bad-line.jsonl').reading.sessions)).toMatchObject({
    sessions: 1,
    turns: 1,
    answered: 1,
  });
});
