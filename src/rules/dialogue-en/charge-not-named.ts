import type { Step } from '../../core/session.ts';
import { joinWithAnd } from '../../core/text/lists.ts';
import { isDerivedFigure } from '../grounding/derived-figures.ts';
import { ObservedValues } from '../grounding/observed-values.ts';
import { chargesIn, paidAmountOf, roundToCents } from '../grounding/paid-amounts.ts';
import { parseValues } from '../grounding/stated-values.ts';
import type { Rule, RuleFinding } from '../rule.ts';
import type { IndexedCall, RuleView } from '../rule-view.ts';
import { codeSpan, endSentence, formatValue, quoteText } from '../shared/message-format.ts';
import { changeVerb } from '../shared/tool-effect.ts';
import { wordSet } from '../shared/tool-words.ts';
import { type Agreement, createAgreementLookup } from './agreements.ts';
import { headAndTail, splitSentences } from './user-consent.ts';

export const chargeNotNamed: Rule = {
  id: 'charge-not-named',
  title: 'Charge not named before',
  proves: 'A change charged an amount of money that neither the agent nor the user had named before.',
  severity: 'info',
  label: 'false information',
  affects: [],
  kinds: ['dialogue'],
  page: {
    how:
      'Checks successful calls that change state for what they charged:\n\n' +
      '- the amounts of payments in their arguments (`payments: [{ amount: 60 }]`; any amount if the tool pays, buys or books);\n- the amounts that the result shows under payments, charges or a price difference, and that an earlier result about the same object did not show.\n\n' +
      'It reports the call if an earlier answer gave the agent the opportunity to name the amount, and no text of the agent or the user up to the call has it, in figures or in words: neither each amount nor their sum.\n\n' +
      'A finding is `medium` if the agent had said what the only change of the turn costs in all, in another amount than was charged, and the user had agreed to that.\n\n' +
      'Example: the agent asks “Shall I upgrade you to economy class?”, the user says yes, and the result shows a payment of 209 that the reservation did not have before.',
    silent:
      'Does not report an amount that follows from amounts in the conversation: a sum, a difference, a share, a multiple. Nor a change that paid back at least as much as it charged, as when a payment moves to another card; a charge in a result, if no earlier result showed the payments of that object; or a change in the first exchange of a session. Skips sub-agents, and users who do not write English.\n\n' +
      'It does not know whether the user cared: some say that any price is fine. [amount-not-agreed](amount-not-agreed.md) reports a charge that differs from the named one.',
    remedy:
      'Have the agent calculate the price before the change, state it, and wait for a yes. If no tool returns the price in advance, add one.',
  },
  check(view) {
    const { session, changes } = view;
    if (changes.length === 0 || !view.hasReadableUsers) return [];
    const callOf = new Map<Step, IndexedCall>(view.calls.map((call) => [call.step, call]));
    const conversation = new NamedAmounts();
    const payments = new KnownPayments(changes);
    const agreementOf = createAgreementLookup(view);
    const charges: Charge[] = [];
    let mayHaveNamed = false;
    for (const { input, steps, output } of session.turns) {
      conversation.add(input);
      for (const step of steps) {
        if (step.type === 'model') conversation.add(step.text);
        const call = callOf.get(step);
        if (!call) continue;
        const amounts = payments.chargedBy(call);
        if (amounts.length > 0) charges.push({ call, amounts, isNamed: !mayHaveNamed || conversation.names(amounts) });
      }
      conversation.add(output);
      if (input !== null && output !== null) mayHaveNamed = true;
    }
    const perTurn = Map.groupBy(changes, ({ turn }) => turn);
    return charges.flatMap((charge) => {
      if (charge.isNamed) return [];
      const { turn } = charge.call;
      // What the agent said that it costs may be about another change of the turn.
      const agreement = perTurn.get(turn)?.length === 1 ? agreementOf(turn) : null;
      return toFinding(view, charge, agreement && statedTotal(agreement));
    });
  },
};

interface Charge {
  readonly call: IndexedCall;
  readonly amounts: readonly number[];
  readonly isNamed: boolean;
}

function toFinding(
  view: RuleView,
  { call: { step, turn }, amounts: charged }: Charge,
  total: StatedTotal | null,
): RuleFinding {
  const { inputPointer, pointer = '' } = view.session.turns[turn] ?? {};
  const all = charged.length > 1 ? `, ${formatValue(sum(charged))} in all` : '';
  const these = charged.length > 1 ? 'these amounts' : 'this amount';
  const proposal = total === null ? undefined : view.session.turns[total.turn];
  return {
    turn,
    message: endSentence(
      `${codeSpan(step.name)} charged ${joinWithAnd(charged.map(formatValue))}${all}, and ${total === null ? `nobody had named ${these} before` : `the user had agreed to ${quoteText(total.text)}`}`,
    ),
    evidence: [
      view.evidence(turn, step.pointer, 'the call that charged it'),
      ...(step.resultPointer === undefined ? [] : [view.evidence(turn, step.resultPointer, 'its result')]),
      view.evidence(turn, inputPointer ?? pointer, "the user's last message before it"),
      ...(total === null || proposal?.outputPointer === undefined
        ? []
        : [view.evidence(total.turn, proposal.outputPointer, 'the answer with another amount')]),
    ],
    calls: [step.pointer],
    ...(total !== null && { severity: 'medium' }),
  };
}

/** What the agent said that a change costs. */
interface StatedTotal {
  readonly turn: number;
  readonly text: string;
}

/** A total, other than the price of one thing. */
const TOTAL =
  /\b(?:total|difference|additional|extra)\b[^.!?\n]{0,160}?(?:[$€£¥₹]\s?\d|\d\s?(?:[€£¥₹]|USD|EUR|GBP|dollars|euros|pounds))/i;

/** What the agent last said that a change costs, before the user agreed to it; null if it named several amounts there. */
function statedTotal({ turn, byAgent }: Agreement): StatedTotal | null {
  // The first text is the answer before the agreement.
  for (const [index, answer] of [...byAgent.entries()].reverse()) {
    const text = splitSentences(answer).findLast((sentence) => TOTAL.test(sentence));
    if (text === undefined) continue;
    const amounts = parseValues(text).filter((value) => value.kind === 'figure' && value.unit === 'money');
    return amounts.length === 1 ? { turn: turn - 1 + index, text: text.trim() } : null;
  }
  return null;
}

/** Tools with these verbs charge what their arguments name. */
const PAYING_VERBS = wordSet('pay charge buy purchase book rebook reserve order checkout');

/** The payments of each object that results have shown so far. */
class KnownPayments {
  readonly #changes: ReadonlySet<IndexedCall>;
  readonly #changedIds: ReadonlySet<string>;
  readonly #byId = new Map<string, { readonly charged: readonly number[]; readonly refunded: readonly number[] }>();

  constructor(changes: readonly IndexedCall[]) {
    this.#changes = new Set(changes);
    this.#changedIds = new Set(changes.flatMap(idsOf));
  }

  /** The amounts that a call charged, as far as they are known. Calls must be requested in order. */
  chargedBy(call: IndexedCall): readonly number[] {
    const { step } = call;
    const ids = idsOf(call).filter((id) => this.#changedIds.has(id));
    if (call.failed || step.outcome !== 'ok' || (ids.length === 0 && !this.#changes.has(call))) return [];
    const shown = chargesIn(step.result);
    const known = ids.map((id) => this.#byId.get(id)).filter((before) => before !== undefined);
    for (const id of ids) if (shown.charged.length > 0) this.#byId.set(id, shown);
    if (!this.#changes.has(call)) return [];
    const paid = paidByArguments(call);
    if (paid.length > 0) return paid;
    // A history of payments only grows, so another object's payments are recognized by what is missing.
    const before = known
      .filter(({ charged }) => withoutKnown(charged, shown.charged).length === 0)
      .sort((a, b) => b.charged.length - a.charged.length)[0];
    if (!before) return [];
    const charged = withoutKnown(shown.charged, before.charged);
    const refunded = withoutKnown(shown.refunded, before.refunded);
    return sum(charged) > sum(refunded) ? charged : [];
  }
}

function paidByArguments(call: IndexedCall): readonly number[] {
  const { charged } = chargesIn(call.step.arguments);
  if (charged.length > 0) return charged;
  return PAYING_VERBS.has(changeVerb(call.step.name) ?? '') ? (paidAmountOf(call)?.parts ?? []) : [];
}

const MAX_ID_LENGTH = 64;

/** The identifiers in the arguments of a call. */
function idsOf({ step }: IndexedCall): string[] {
  if (typeof step.arguments === 'string') return [];
  return Object.values(step.arguments).flatMap((value) =>
    typeof value === 'string' && value.length <= MAX_ID_LENGTH && /[\d_]|^[A-Z]+$/.test(value)
      ? value.toLowerCase()
      : [],
  );
}

/** The amounts without those that were known, each as often as it was known. */
function withoutKnown(amounts: readonly number[], known: readonly number[]): number[] {
  const left = new Map<number, number>();
  for (const amount of known) left.set(amount, (left.get(amount) ?? 0) + 1);
  return amounts.filter((amount) => {
    const count = left.get(amount) ?? 0;
    left.set(amount, count - 1);
    return count <= 0;
  });
}

function sum(amounts: readonly number[]): number {
  return roundToCents(amounts.reduce((total, amount) => total + amount, 0));
}

/** How many amounts of a conversation others are calculated from. */
const MAX_AMOUNTS = 100;
/** Larger numbers are not counts of items. */
const MAX_COUNT = 20;

/** The amounts that a conversation has named so far. */
class NamedAmounts {
  readonly #observed = new ObservedValues();
  readonly #amounts = new Set<number>();
  readonly #shares = new Set<number>();
  readonly #counts = new Set<number>();
  /** Read on demand, since most sessions charge nothing. */
  #unread: string[] = [];

  add(text: string | null | undefined): void {
    if (text) this.#unread.push(text);
  }

  #read(text: string): void {
    const part = headAndTail(text);
    this.#observed.readWords(part);
    for (const value of parseValues(part)) {
      if (value.kind !== 'figure') continue;
      const { unit, amount, decimals } = value;
      if (unit === 'percent') addUpTo(MAX_COUNT, this.#shares, amount);
      else if (unit === 'money' || decimals === 2) addUpTo(MAX_AMOUNTS, this.#amounts, amount);
      else if (Number.isInteger(amount) && amount > 1 && amount <= MAX_COUNT) this.#counts.add(amount);
    }
  }

  /** Whether each amount was named, or their sum. */
  names(charged: readonly number[]): boolean {
    for (const text of this.#unread) this.#read(text);
    this.#unread = [];
    return this.#has(sum(charged)) || charged.every((amount) => this.#has(amount));
  }

  #has(amount: number): boolean {
    if (this.#observed.hasFigure(amount, 'money')) return true;
    const operands = {
      own: [],
      before: [...this.#amounts],
      groups: [],
      shares: [...this.#shares],
      counts: [...this.#counts],
    };
    return isDerivedFigure({ kind: 'figure', unit: 'money', amount, decimals: 2, text: '', at: 0, end: 0 }, operands);
  }
}

function addUpTo(most: number, amounts: Set<number>, amount: number): void {
  if (amounts.size < most) amounts.add(amount);
}
