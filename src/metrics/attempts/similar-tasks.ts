import { wordSimilarity } from '../shared/task-words.ts';
import type { Attempt, TaskGroup } from './task-attempts.ts';

/** A word that more tasks have says little, and would make every task a candidate for every other. */
const MAX_TASKS_OF_WORD = 100;
/** The most similar ones; more would make the work grow with the square of the tasks. */
const MAX_SIMILAR = 20;

/** Looks up the attempts of other tasks of the same agent whose texts share at least this part of their words. */
type SimilarTasks = (group: TaskGroup, least: number) => readonly Attempt[];

/** Indexes the tasks of a run by the words of their first attempts. */
export function createSimilarTasks(groups: readonly TaskGroup[]): SimilarTasks {
  const byWord = new Map<number, TaskGroup[]>();
  for (const group of groups) {
    for (const word of wordsOf(group)) {
      const tasks = byWord.get(word);
      if (tasks) tasks.push(group);
      else byWord.set(word, [group]);
    }
  }
  return (group, least) => {
    const words = wordsOf(group);
    const candidates = new Set(
      words.flatMap((word) => {
        const tasks = byWord.get(word) ?? [];
        return tasks.length > MAX_TASKS_OF_WORD ? [] : tasks;
      }),
    );
    candidates.delete(group);
    return [...candidates]
      .filter((other) => agentOf(other) === agentOf(group))
      .map((other) => ({ attempts: other.attempts, similarity: wordSimilarity(words, wordsOf(other)) }))
      .filter(({ similarity }) => similarity >= least)
      .sort((a, b) => b.similarity - a.similarity)
      .slice(0, MAX_SIMILAR)
      .flatMap(({ attempts }) => attempts);
  };
}

function wordsOf({ attempts: [first] }: TaskGroup): readonly number[] {
  return first?.facts.taskWords ?? [];
}

function agentOf({ attempts: [first] }: TaskGroup): string | undefined {
  return first?.evaluated.task?.agent;
}
