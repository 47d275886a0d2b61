import type { Session } from '../../core/session.ts';
import { COUNT_BEFORE_UNIT, parseCount } from './number-words.ts';

/** A calendar period. */
export interface Period {
  readonly months: number;
  readonly days: number;
}

export const ONE_DAY: Period = { months: 0, days: 1 };

const PERIOD = new RegExp(
  `\\b(${COUNT_BEFORE_UNIT})[- ](?:(?:business|calendar|working|full)[- ])?(day|week|month|year)s?\\b`,
  'gi',
);
const MAX_TEXT_LENGTH = 20_000;
const MAX_PERIODS = 20;

const LENGTHS: Readonly<Record<string, Period>> = {
  day: ONE_DAY,
  week: { months: 0, days: 7 },
  month: { months: 1, days: 0 },
  year: { months: 12, days: 0 },
};

/** Finds the periods in texts: 14 days in `within 14 days after delivery`, 7 in `a week`. */
export function parsePeriods(texts: readonly string[]): Period[] {
  return texts
    .flatMap((text) => [...text.slice(0, MAX_TEXT_LENGTH).matchAll(PERIOD)])
    .slice(0, MAX_PERIODS)
    .map(([, written = '', unit = '']) => {
      const { months, days } = LENGTHS[unit.toLowerCase()] ?? ONE_DAY;
      const count = parseCount(written);
      return { months: months * count, days: days * count };
    });
}

/** The periods in the instructions of a session. */
export function periodsInInstructions({ system, knowledge = [] }: Session): Period[] {
  return parsePeriods([system ?? '', ...knowledge]);
}
