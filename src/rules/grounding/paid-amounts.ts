/** Finds the amounts of money that a call pays, in its arguments and in its result. */

import type { IndexedCall } from '../rule-view.ts';
import { nameWords } from '../shared/tool-effect.ts';
import { parseRecords, type ResultRecord } from './result-records.ts';
import { parseValues } from './stated-values.ts';

/** The amount that a call pays, in its only argument for amounts. */
export interface PaidAmount {
  readonly call: IndexedCall;
  readonly key: string;
  /** The individual amounts in the arguments. */
  readonly parts: readonly number[];
  readonly amount: number;
}

const AMOUNT = /^(amounts?|total|price|refund|payment|sum|cost|fare|charge|deposit)$/;
/** Figures next to an amount that are not amounts. */
const NOT_AMOUNT =
  /^(id|ids|method|type|currency|count|number|quantity|items?|units?|per|max|min|maximum|minimum|limit|percent|percentage|rate|points|tax|bags?|baggages?|status|date|reason|code|old|previous|original)$/;
/** How many arguments of a call are checked. */
const MAX_VALUES = 200;

/** Returns null if no argument, or more than one, is an amount. */
export function paidAmountOf(call: IndexedCall): PaidAmount | null {
  const { step } = call;
  if (typeof step.arguments === 'string') return null;
  const amountsByKey = new Map<string, number[]>();
  const pending: { readonly key: string; readonly value: unknown }[] = [{ key: '', value: step.arguments }];
  for (let visited = 0; pending.length > 0 && visited < MAX_VALUES; visited += 1) {
    const { key, value } = pending.shift() ?? { key: '', value: null };
    if (typeof value === 'object' && value !== null) {
      const inner = Array.isArray(value) ? value.map((item) => ({ key, value: item })) : keyedValues(value);
      pending.push(...inner.slice(0, MAX_VALUES));
      continue;
    }
    const amount = isAmountKey(key) ? amountOf(value, key) : null;
    if (amount === null) continue;
    const amounts = amountsByKey.get(key);
    if (amounts) amounts.push(amount);
    else amountsByKey.set(key, [amount]);
  }
  const [[key, parts] = [], ...others] = amountsByKey;
  if (key === undefined || parts === undefined || others.length > 0) return null;
  return { call, key, parts, amount: roundToCents(parts.reduce((sum, part) => sum + part, 0)) };
}

function keyedValues(object: object): { key: string; value: unknown }[] {
  return Object.entries(object).map(([key, value]) => ({ key, value }));
}

const isAmountKey = (key: string): boolean => {
  const words = nameWords(key);
  return words.some((word) => AMOUNT.test(word)) && !words.some((word) => NOT_AMOUNT.test(word));
};

function amountOf(value: unknown, key: string): number | null {
  const text = typeof value === 'string' && /^\W{0,3}\d[\d.,]{0,15}\W{0,3}$/.test(value) ? value : null;
  const [parsed] = text === null ? [] : parseValues(text);
  const amount = typeof value === 'number' ? value : parsed?.kind === 'figure' ? parsed.amount : Number.NaN;
  if (!Number.isFinite(amount) || amount === 0) return null;
  return Math.abs(/cents?$/i.test(key) ? amount / 100 : amount);
}

/** Rounds off the noise of floating-point sums. */
export function roundToCents(amount: number): number {
  return Math.round(amount * 100) / 100;
}

/** Names of records and values that hold what was paid: `payment_history`, `exchange_price_difference`. */
const PAYMENT = /^(payments?|charges?|charged|paid|transactions?|difference)$/;
/** Names of what was paid, apart from those of amounts. */
const CHARGED = /^(charged|paid|difference)$/;
const REFUND = /^(refunds?|refunded|reimbursements?|credits?|credited)$/i;

/** What a value says was paid and paid back. */
export interface Charges {
  /** The amounts that were charged, in order. */
  readonly charged: readonly number[];
  /** The amounts that were paid back. */
  readonly refunded: readonly number[];
}

/** Finds the amounts in the payments of a result or of arguments: `{"payment_history": [{"amount": 209}]}`. */
export function chargesIn(value: unknown): Charges {
  const { entries, records } = parseRecords(value);
  const charged: number[] = [];
  const refunded: number[] = [];
  for (const { key, leaf, record } of entries) {
    if (typeof leaf !== 'number' || leaf === 0) continue;
    const words = nameWords(key);
    if (!isAmountKey(key) && !words.some((word) => CHARGED.test(word))) continue;
    const around = records[record];
    if (!words.some((word) => PAYMENT.test(word)) && !isPayment(around)) continue;
    const isRefund = leaf < 0 || [...words, ...(around?.names ?? [])].some((name) => REFUND.test(name));
    (isRefund ? refunded : charged).push(roundToCents(Math.abs(leaf)));
  }
  return { charged, refunded };
}

/** The first name of a record is the key that holds it. */
function isPayment(record: ResultRecord | undefined): boolean {
  return nameWords(record?.names[0] ?? '').some((word) => PAYMENT.test(word));
}
