import * as z from 'zod';
import type { MetricOutcome } from '../../core/result.ts';
import { notApplicable } from '../judged-metric.ts';
import { taskMetric } from '../metric.ts';
import { editDistance } from '../shared/sequences.ts';

/**
 * 1 - the mean edit distance between the tool sequences of two attempts, each divided by the longer of the two. By task, of
 * two attempts of one task; by similarity, of an attempt and one of a similar task.
 */
export const strategyConsistency = taskMetric({
  name: 'strategy_consistency',
  question: 'Does the agent solve the same task in the same way each time?',
  source: 'ADK, metrics and scoring',
  scale: 'unit',
  threshold: null,
  needs: ['attempts'],
  options: z.strictObject({
    by: z.enum(['task', 'similar']).default('task'),
    similarity: z.number().min(0).max(1).default(0.5),
  }),

  evaluate({ attempts, similar }, { by, similarity }): MetricOutcome {
    const others = by === 'similar' ? similar(similarity) : [];
    if (by === 'similar' && others.length === 0) return NOTHING_SIMILAR;
    if (by === 'task' && attempts.length < 2) return ONE_ATTEMPT;
    const strategies = countStrategies(attempts.map(({ facts }) => facts.toolSequence));
    const compared = by === 'similar' ? countStrategies(others.map(({ facts }) => facts.toolSequence)) : strategies;
    if ([...strategies, ...compared].every(({ tools }) => tools.length === 0)) return NO_TOOLS;

    const pairs = by === 'similar' ? attempts.length * others.length : (attempts.length * (attempts.length - 1)) / 2;
    const meanDistance = (by === 'similar' ? sumBetween(strategies, compared) : sumWithin(strategies)) / pairs;
    return {
      status: 'scored',
      score: 1 - meanDistance,
      source: 'aggregate',
      reason: describeStrategies(strategies, attempts.length, others.length, meanDistance),
      metadata: {
        attempts: attempts.length,
        meanDistance,
        strategies,
        ...(by === 'similar' && { similarAttempts: others.length, similarStrategies: compared }),
      },
    };
  },
});

const ONE_ATTEMPT = notApplicable('Consistency needs at least two attempts of the task.');
const NOTHING_SIMILAR = notApplicable('No other task of this agent in the run has a similar text.');
const NO_TOOLS: MetricOutcome = Object.freeze({
  status: 'vacuous',
  score: 1,
  source: 'aggregate',
  reason: 'No attempt calls a tool.',
});

function describeStrategies(own: readonly Strategy[], attempts: number, similar: number, distance: number): string {
  if (similar > 0) {
    const apart = distance === 0 ? 'call the same tools in the same order' : 'call tools in different ways';
    return `Its attempts and ${similar} of similar tasks ${apart}.`;
  }
  return own.length === 1
    ? `All ${attempts} attempts call the same tools in the same order.`
    : `${attempts} attempts use ${own.length} different tool sequences.`;
}

interface Strategy {
  /** Names of the tools, as they are called. */
  readonly tools: readonly string[];
  readonly attempts: number;
}

/** Attempts of one strategy have distance 0, so only different strategies are compared. */
function sumWithin(strategies: readonly Strategy[]): number {
  return strategies.reduce((sum, strategy, index) => sum + sumBetween([strategy], strategies.slice(index + 1)), 0);
}

/** The sum of the distances of all pairs of an attempt of one side and one of the other. */
function sumBetween(some: readonly Strategy[], others: readonly Strategy[]): number {
  let sum = 0;
  for (const { tools, attempts } of some) {
    for (const other of others) {
      const longer = Math.max(tools.length, other.tools.length);
      if (longer > 0) sum += (attempts * other.attempts * editDistance(tools, other.tools)) / longer;
    }
  }
  return sum;
}

/** The different tool sequences, and how many attempts have each. */
function countStrategies(sequences: readonly (readonly string[])[]): Strategy[] {
  return [...Map.groupBy(sequences, (tools) => JSON.stringify(tools)).values()].flatMap((group) =>
    group[0] ? { tools: group[0], attempts: group.length } : [],
  );
}
