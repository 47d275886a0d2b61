import { canonicalJson } from './json.ts';
import type { JudgeLabel } from './judge-labels.ts';
import { hashOf } from './session-hashes.ts';

/** Identifies a judged result wherever its session stands. The letter keeps spreadsheets from reading it as a number. */
export function labelId({
  metric,
  judge,
  question,
  content,
  turn,
}: Pick<JudgeLabel, 'metric' | 'judge' | 'question' | 'content' | 'turn'>): string {
  return `r${hashOf([metric, judge, question, content, turn]).slice(0, 15)}`;
}

/** Of three sessions, one is for tuning. All attempts of a task are in one part, so that nothing is tuned on what is tested. */
export function labelPart(
  task: { readonly id: string; readonly dataset?: string | null | undefined } | null | undefined,
  content: string,
): JudgeLabel['part'] {
  const family = task ? canonicalJson([task.dataset ?? null, task.id]) : content;
  return Number.parseInt(hashOf(family).slice(0, 8), 16) % 3 === 0 ? 'tuning' : 'held-out';
}

/** Where a held-out result stands in the order in which labels are asked for: random, and the same each time. */
export function labelOrder(id: string): string {
  return hashOf(id);
}
