/** One value of a series, and the variance that it has because it is a mean of few. */
export interface SeriesValue {
  readonly value: number;
  readonly variance: number;
}

export interface Drift {
  /** Where the drift seems to have begun: the first value since the sum was last zero. */
  readonly since: number;
  /** The mean of the values before that. */
  readonly reference: number;
}

/** Half the shift that is found fastest, in standard deviations: the usual choice for shifts of about one. */
const ALLOWANCE = 0.5;
/**
 * The sum that alarms. Chosen by simulation (test/bench/trend): at most one of 100 unchanged values is in an alarm, for
 * normal values, shares near 0, 1/2 and 1, skewed values, and values that vary more than their variance says.
 */
const LIMIT = 4.25;
/** What one value adds at most, so that one stray value alone is no drift. */
const MAX_STEP = 2;
/** Values before the first that can alarm. */
const WARM_UP = 5;
/** An alarm that lasts so long is the new level. */
const LONGEST_ALARM = 10;

/**
 * Whether the end of a series has drifted away, upwards or downwards: a cumulative sum of how far each value lies from all
 * that came before it (E. S. Page, 1954), self-starting, because what is usual is not known in advance (D. M. Hawkins,
 * 1987). The spread is that of the earlier values, and no less than what few measurements alone explain. An alarm lasts until a
 * value is as good as the reference again.
 *
 * @param rises whether to look for a rise; else for a fall. @returns null unless the last value is in an alarm.
 */
export function findDrift(series: readonly SeriesValue[], rises: boolean): Drift | null {
  const sign = rises ? 1 : -1;
  /** Indices of the values that say what is usual: drifted ones do not. */
  let history: number[] = [];
  let sum = 0;
  /** How many of the history came before the sum was last zero. */
  let usual = 0;
  let alarm: (Drift & { readonly at: number }) | null = null;
  for (const [index, item] of series.entries()) {
    if (alarm) {
      const isBack = sign * (item.value - alarm.reference) <= 0;
      if (!isBack && index - alarm.at < LONGEST_ALARM) continue;
      const { since } = alarm;
      history = isBack
        ? history.filter((earlier) => earlier < since)
        : Array.from({ length: index - since }, (_, i) => since + i);
      alarm = null;
      sum = 0;
    }
    const values = history.flatMap((earlier) => series[earlier] ?? []);
    if (sum === 0) usual = history.length;
    history.push(index);
    if (values.length < WARM_UP) continue;
    const step = sign * standardized(item, values);
    sum = Math.max(0, sum + Math.min(step, MAX_STEP) - ALLOWANCE);
    if (sum > LIMIT) alarm = { since: history[usual] ?? index, reference: meanOf(values.slice(0, usual)), at: index };
  }
  return alarm && { since: alarm.since, reference: alarm.reference };
}

/**
 * How far a value lies from earlier ones, as a standard normal variable if all are alike: Student's t of a further value,
 * transformed by D. L. Wallace (1959).
 */
function standardized({ value, variance: own }: SeriesValue, history: readonly SeriesValue[]): number {
  const n = history.length;
  const mean = meanOf(history);
  const between = history.reduce((sum, earlier) => sum + (earlier.value - mean) ** 2, 0) / (n - 1);
  const within = history.reduce((sum, { variance }) => sum + variance, own) / (n + 1);
  const variance = Math.max(between, within);
  if (variance === 0) return value === mean ? 0 : Math.sign(value - mean) * Number.MAX_SAFE_INTEGER;
  const t = (value - mean) / Math.sqrt(variance * (1 + 1 / n));
  const degrees = n - 1;
  return Math.sign(t) * ((8 * degrees + 1) / (8 * degrees + 3)) * Math.sqrt(degrees * Math.log1p(t ** 2 / degrees));
}

function meanOf(values: readonly SeriesValue[]): number {
  return values.reduce((sum, { value }) => sum + value, 0) / values.length;
}
