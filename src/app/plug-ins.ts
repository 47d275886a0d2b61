import type { Registry } from '../config/check.ts';
import type { Configuration } from '../config/schema.ts';
import type { Format } from '../formats/format.ts';
import { FORMATS } from '../formats/index.ts';
import { formatsWithMappings } from '../formats/mapped/mapped-format.ts';
import type { AnswerCache } from '../llm/answer-cache.ts';
import type { ModelProvider } from '../llm/providers/provider.ts';
import { allMetrics } from '../metrics/custom/metric-table.ts';
import { METRICS } from '../metrics/index.ts';
import type { Metric } from '../metrics/metric.ts';
import { RULES } from '../rules/index.ts';
import type { Rule } from '../rules/rule.ts';
import { type FunctionRunner, NO_FUNCTIONS } from '../sandbox/function-runner.ts';

/** What a program adds to the built-in tables. Configurations may use the names. */
export interface PlugIns {
  /** Tried before the built-in formats. */
  readonly formats?: readonly Format[];
  /** Run after the built-in rules. */
  readonly rules?: readonly Rule[];
  readonly metrics?: readonly Metric[];
  /** Asked instead of the judge that the configuration names, with the configuration's other settings of the judge. */
  readonly judge?: PluggedJudge;
  /** Where answers of judges and embedders are cached, instead of the database in the data folder. */
  readonly store?: AnswerCache;
}

export interface PluggedJudge {
  readonly provider: ModelProvider;
  readonly model: string;
}

/** The names that a configuration may use. */
export function registryWith({ formats = [], rules = [], metrics = [] }: PlugIns): Registry {
  return {
    formats: [...formats, ...FORMATS],
    rules: [...RULES, ...rules],
    metrics: [...METRICS, ...metrics],
  };
}

/** All metrics of a run. The built-in ones and the configuration's own, and those of the program. */
export function metricsWith(
  { custom }: Pick<Configuration, 'custom'>,
  { metrics = [] }: PlugIns,
  functions: FunctionRunner = NO_FUNCTIONS,
): readonly Metric[] {
  return [...allMetrics(custom, functions), ...metrics];
}

/** All formats of a run, in the order of detection. */
export function formatsWith({ map }: Pick<Configuration, 'map'>, { formats = [] }: PlugIns): readonly Format[] {
  return [...formats, ...formatsWithMappings(map)];
}
