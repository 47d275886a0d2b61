import type { MetricOutcome } from '../../core/result.ts';
import { notApplicable } from '../judged-metric.ts';
import { taskMetric } from '../metric.ts';
import { editDistance } from '../shared/sequences.ts';

/** 1 - the mean edit distance between the tool sequences of two attempts, each divided by the longer of the two. */
export const strategyConsistency = taskMetric({
  name: 'strategy_consistency',
  question: 'Does the agent solve the same task in the same way each time?',
  source: 'ADK, metrics and scoring',
  scale: 'unit',
  threshold: null,
  needs: ['attempts'],

  evaluate({ attempts }): MetricOutcome {
    if (attempts.length < 2) return ONE_ATTEMPT;
    const strategies = countStrategies(attempts.map(({ facts }) => facts.toolSequence));
    if (strategies.every(({ tools }) => tools.length === 0)) return NO_TOOLS;

    // Attempts of one strategy have distance 0, so only different strategies are compared.
    let sum = 0;
    for (const [index, strategy] of strategies.entries()) {
      for (const other of strategies.slice(index + 1)) {
        const distance =
          editDistance(strategy.tools, other.tools) / Math.max(strategy.tools.length, other.tools.length);
        sum += strategy.attempts * other.attempts * distance;
      }
    }
    const meanDistance = sum / ((attempts.length * (attempts.length - 1)) / 2);
    return {
      status: 'scored',
      score: 1 - meanDistance,
      source: 'aggregate',
      reason:
        strategies.length === 1
          ? `All ${attempts.length} attempts call the same tools in the same order.`
          : `${attempts.length} attempts use ${strategies.length} different tool sequences.`,
      metadata: { attempts: attempts.length, meanDistance, strategies },
    };
  },
});

const ONE_ATTEMPT = notApplicable('Consistency needs at least two attempts of the task.');
const NO_TOOLS: MetricOutcome = Object.freeze({
  status: 'vacuous',
  score: 1,
  source: 'aggregate',
  reason: 'No attempt calls a tool.',
});

interface Strategy {
  /** Names of the tools, as they are called. */
  readonly tools: readonly string[];
  readonly attempts: number;
}

/** The different tool sequences, and how many attempts have each. */
function countStrategies(sequences: readonly (readonly string[])[]): Strategy[] {
  return [...Map.groupBy(sequences, (tools) => JSON.stringify(tools)).values()].flatMap((group) =>
    group[0] ? { tools: group[0], attempts: group.length } : [],
  );
}
