import type { JudgeNoise } from '../../core/run-comparison.ts';
import type { RecordedSession } from '../../core/run-record.ts';
import { toPairedSession } from './paired-session.ts';
import type { SessionPair, TaskPair } from './pairing.ts';

/** Differences of the last bits are none. */
const EPSILON = 1e-9;

/**
 * Separates what the judge changed from what the agent changed. In a session whose content is the same in both runs the agent
 * changed nothing: there, the judged scores of the first run count on both sides, and so do verdict and outcome if one of the
 * scores changed.
 *
 * @param isCompared whether a metric can be compared: the scores of another judge are no noise.
 */
export function separateNoise(
  tasks: readonly TaskPair[],
  isCompared: (metric: string) => boolean,
): { readonly tasks: readonly TaskPair[]; readonly noise: JudgeNoise } {
  const metrics = new Map<string, number[]>();
  const sessions: JudgeNoise['sessions'][number][] = [];
  const sizes = new Map<JudgeNoise['sessions'][number], number>();
  let unchanged = 0;
  const settle = (pair: SessionPair): SessionPair => {
    const { before, after } = pair;
    if (before.content === '' || before.content !== after.content) return pair;
    unchanged += 1;
    const scores: Record<string, [number, number]> = {};
    let largest = 0;
    for (const name of after.judged) {
      const [old, score] = [before.scores[name], after.scores[name]];
      if (old === undefined || score === undefined || !before.judged.includes(name) || !isCompared(name)) continue;
      const change = Math.abs(score - old);
      const changes = metrics.get(name);
      if (changes) changes.push(change);
      else metrics.set(name, [change]);
      if (change <= EPSILON) continue;
      scores[name] = [old, score];
      largest = Math.max(largest, change);
    }
    if (Object.keys(scores).length === 0) return pair;
    const entry = { before: toPairedSession(before), after: toPairedSession(after), scores };
    sessions.push(entry);
    sizes.set(entry, largest);
    return { before, after: withResultsOf(before, after, Object.keys(scores)) };
  };
  const settled = tasks.map((task): TaskPair => {
    const pairs = task.pairs.map(settle);
    const replaced = new Map(pairs.map((pair, index) => [task.pairs[index]?.after, pair.after]));
    return { ...task, pairs, after: task.after.map((row) => replaced.get(row) ?? row) };
  });
  const isFlipped = ({ before, after }: JudgeNoise['sessions'][number]) => Number(before.verdict !== after.verdict);
  sessions.sort((a, b) => isFlipped(b) - isFlipped(a) || (sizes.get(b) ?? 0) - (sizes.get(a) ?? 0));
  return {
    tasks: settled,
    noise: {
      unchanged,
      metrics: Object.fromEntries(Array.from(metrics, ([name, changes]) => [name, summarize(changes)])),
      sessions,
    },
  };
}

function withResultsOf(before: RecordedSession, after: RecordedSession, metrics: readonly string[]): RecordedSession {
  const { verdict, outcome, correct } = before;
  const scores = { ...after.scores };
  for (const name of metrics) scores[name] = before.scores[name] ?? 0;
  return { ...after, scores, verdict, outcome, correct };
}

function summarize(changes: readonly number[]): JudgeNoise['metrics'][string] {
  return {
    sessions: changes.length,
    changed: changes.filter((change) => change > EPSILON).length,
    meanChange: changes.reduce((sum, change) => sum + change, 0) / changes.length,
    largestChange: changes.reduce((largest, change) => Math.max(largest, change), 0),
  };
}
