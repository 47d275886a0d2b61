import { expect, it } from 'vitest';
import { createSimilarTasks } from '../../../../src/metrics/attempts/similar-tasks.ts';
import type { TaskGroup } from '../../../../src/metrics/attempts/task-attempts.ts';
import { sessionFacts } from '../../../../src/metrics/shared/session-facts.ts';
import { taskWords, wordSimilarity } from '../../../../src/metrics/shared/task-words.ts';
import { UNKNOWN_OUTCOME } from '../../../../src/report-model/agent-outcome.ts';
import { sessionOf } from '../views.ts';

const wordsOf = (input: string) => taskWords(sessionOf([{ input }]));

function task(id: string, input: string): TaskGroup {
  const session = sessionOf([{ input }], { id });
  const attempt = {
    evaluated: { ...session, task: { id }, turns: [], metrics: {} },
    facts: { ...sessionFacts(session), taskWords: taskWords(session) },
    outcome: UNKNOWN_OUTCOME,
    verdict: 'passed' as const,
    hasThreshold: false,
    result: () => undefined,
  };
  return { name: id, attempts: [attempt] };
}

function similarTo(tasks: readonly TaskGroup[], index = 0): string[] {
  const [similar, group] = [createSimilarTasks(tasks), tasks[index]];
  return group ? similar(group, 0.5).map(({ evaluated }) => evaluated.id) : [];
}

it('estimates the share of common words', () => {
  expect(wordSimilarity(wordsOf('Return the lamp'), wordsOf('return THE lamp!'))).toBe(1);
  expect(wordSimilarity(wordsOf('Return lamps, chairs'), wordsOf('Return lamps, tables'))).toBe(0.5);
  expect(wordSimilarity(wordsOf(''), wordsOf(''))).toBe(0);
  const words = (from: number, to: number) =>
    wordsOf(Array.from({ length: to - from }, (_, index) => `word${from + index}`).join(' '));
  expect(wordsOf('a'.repeat(10_000))).toHaveLength(1);
  expect(words(0, 300)).toHaveLength(64);
  expect(Math.abs(wordSimilarity(words(0, 300), words(100, 300)) - 2 / 3)).toBeLessThan(0.2);
});

it('reads the goal, else the first message of the user', () => {
  const session = sessionOf([{ input: null }, { input: 'Return the lamp' }]);
  expect(taskWords(session)).toEqual(wordsOf('Return the lamp'));
  expect(taskWords({ ...session, goal: 'Buy a chair' })).toEqual(wordsOf('Buy a chair'));
});

it('finds the most similar tasks first, and no more than 20', () => {
  const texts = ['Return lamps, chairs', 'Return lamps, tables', 'Return lamps, chairs!', 'Fly to Boston'];
  expect(similarTo(texts.map((text, index) => task(String(index), text)))).toEqual(['2', '1']);
  expect(similarTo(Array.from({ length: 50 }, (_, index) => task(String(index), 'Return the lamp')))).toHaveLength(20);
});

it('finds nothing by words that most of many tasks have, so that the work stays linear', () => {
  const tasks = Array.from({ length: 101 }, (_, index) => task(String(index), 'Return the lamp'));
  expect(similarTo(tasks)).toEqual([]);
});
