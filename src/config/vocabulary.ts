import { FORMATS } from '../formats/index.ts';
import { metricsWith } from '../metrics/custom/table.ts';
import { METRICS } from '../metrics/index.ts';
import { RULES } from '../rules/index.ts';
import type { Vocabulary } from './check.ts';
import type { Configuration } from './schema.ts';

/** The names of this version. */
export const VOCABULARY: Vocabulary = { metrics: METRICS, rules: RULES, formats: FORMATS };

/** With the names that a configuration adds. */
export function vocabularyOf({ custom }: Pick<Configuration, 'custom'>): Vocabulary {
  return { ...VOCABULARY, metrics: metricsWith(custom) };
}
