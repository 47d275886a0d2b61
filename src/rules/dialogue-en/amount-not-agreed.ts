import { memoize } from '../../core/cache/memoize.ts';
import { isDerivedFigure } from '../grounding/derived-figures.ts';
import { isStatedAsFact, parseValues, type StatedFigure } from '../grounding/stated-values.ts';
import type { Rule, RuleFinding } from '../rule.ts';
import type { IndexedCall, RuleView } from '../rule-view.ts';
import { codeSpan, endSentence, formatValue, joinWithAnd, quoteText } from '../shared/message-format.ts';
import { changeVerb, nameWords } from '../shared/tool-effect.ts';
import { type Agreement, canReadUserMessages, createAgreementLookup } from './agreements.ts';
import { type ChangeIntent, changeIntentFor, headAndTail, requestsChange, splitSentences } from './user-consent.ts';

export const amountNotAgreed: Rule = {
  id: 'amount-not-agreed',
  title: 'Amount differs from agreement',
  proves:
    'The user agreed to or asked for one amount of money, and the agent executed the change with a different amount.',
  severity: 'medium',
  label: 'wrong arguments',
  affects: ['argument_correctness'],
  page: {
    how:
      'Checks successful calls that change state and have one argument for an amount of money (`amount`, `total`, `price`, `refund_amount`; amounts in a list, such as payments on several cards, are added up).\n\n' +
      'It compares the amount with the one the user agreed to:\n\n' +
      '- the only amount in the sentence in which the agent proposes the change ("Shall I refund 30.00 EUR?") or names its total, if the user then agreed;\n- if nothing was proposed, the amount the user asked for: "please refund 30 EUR".\n\n' +
      'Example: after "Shall I refund 30.00 EUR?" and "Yes", the call `refund_order` with `amount` 184.80 is reported.\n\n' +
      'If no amount was proposed, the rule reports an amount that was raised after the user had agreed: a first call failed, a later call in the same turn succeeded with a higher amount, and the user was not asked again.',
    silent:
      'Does not report when several amounts were proposed, when the amount was vague ("about 30 EUR"), when the user named the other amount as well, or when the amount follows from figures in the conversation: a sum, a difference, a share, a multiple, cents instead of euros. Nor when another call of the same tool in the turn has the expected amount, or when the call uses another currency. Like `unconfirmed-change`, it skips coding agents, sub-agents, and users who do not write English.\n\n' +
      'It cannot see what a user agreed to outside the trace.',
    remedy:
      'Compare the two amounts. If a tool returned a new price in between, have the agent state that price and ask again. If the agent used the wrong figure, have the tool check the amount against the agreed one.',
  },
  check(view) {
    const { session, changes, coding } = view;
    if (coding || changes.length === 0 || !canReadUserMessages(view)) return [];
    const agreedIn = createAgreementLookup(view);
    const wishOf = memoize((tool: string) => changeIntentFor(changeVerb(tool)));
    return groupByTurnAndTool(changes).flatMap((calls) => {
      const paid = calls.flatMap((call) => paidAmountOf(call) ?? []);
      const [first] = paid;
      if (!first || paid.length < calls.length) return [];
      const { turn, step } = first.call;
      const agreed = agreedIn(turn);
      const wish = wishOf(step.name);
      const input = headAndTail(session.turns[turn]?.input ?? '');
      const texts = agreed === null ? [input] : [...agreed.byAgent, ...agreed.byUser];
      const wanted = (agreed && proposedAmount(agreed, wish)) ?? requestedAmount(input, wish);
      if (wanted === null) {
        const raised = agreed && raisedAmountFinding(view, agreed, paid, texts);
        return raised === null ? [] : [raised];
      }
      if (usesOtherCurrency(first.call, wanted)) return [];
      const all = paid.reduce((sum, { amount }) => sum + amount, 0);
      const isWanted = createAmountMatcher(wanted.figure, texts);
      if (paid.some(({ parts }) => parts.some(isWanted)) || isWanted(all)) return [];
      return paid.filter(({ amount }) => !isWanted(amount)).map((one) => mismatchFinding(view, one, wanted, agreed));
    });
  },
};

/** The amount that a call pays, in its only argument for amounts. */
interface PaidAmount {
  readonly call: IndexedCall;
  readonly key: string;
  /** The individual amounts in the arguments. */
  readonly parts: readonly number[];
  readonly amount: number;
}

/** The amount that a user agreed to or asked for. */
interface AgreedAmount {
  readonly figure: StatedFigure;
  /** The text that names the amount. */
  readonly text: string;
  readonly by: 'agent' | 'user';
}

function formatPaidAmount({ parts, amount }: PaidAmount): string {
  return parts.length > 1
    ? `${joinWithAnd(parts.map(formatValue))}, ${formatValue(amount)} in all`
    : formatValue(amount);
}

function mismatchFinding(view: RuleView, one: PaidAmount, wanted: AgreedAmount, agreed: Agreement | null): RuleFinding {
  const { step, turn } = one.call;
  const { turns } = view.session;
  const at = agreed?.turn ?? turn;
  const said = turns[at];
  const before = turns[at - 1];
  const what = wanted.by === 'agent' ? `agreed (${quoteText(said?.input ?? '')}) to` : 'asked for';
  return {
    turn,
    message: endSentence(
      `The user had ${what} ${formatValue(wanted.figure.text)}, but ${codeSpan(step.name)} was called with ${codeSpan(one.key)} ${formatPaidAmount(one)}`,
    ),
    evidence: [
      view.evidence(turn, step.pointer, 'the call with the other amount'),
      ...(said ? [view.evidence(at, said.inputPointer ?? said.pointer, 'the message of the user')] : []),
      ...(wanted.by === 'agent' && before?.outputPointer !== undefined
        ? [view.evidence(at - 1, before.outputPointer, 'the proposed amount')]
        : []),
    ],
    calls: [step.pointer],
  };
}

/**
 * Reports an amount that was raised after a failed attempt, if the user had agreed to a proposal without a price and
 * was not asked again.
 */
function raisedAmountFinding(
  view: RuleView,
  agreed: Agreement,
  paid: readonly PaidAmount[],
  texts: readonly string[],
): RuleFinding | null {
  const [last] = paid;
  const proposal = view.session.turns[agreed.turn - 1];
  if (!last || paid.length > 1 || !proposal) return null;
  const { step, turn, index: at } = last.call;
  const tries = (view.callsByTurn[turn] ?? []).filter((call) => call.index < at && call.step.name === step.name);
  const [tried] = tries;
  const before = tried?.step.outcome === 'error' ? paidAmountOf(tried) : null;
  if (!tried || before === null || before.key !== last.key || before.amount >= last.amount) return null;
  const figure: StatedFigure = {
    kind: 'figure',
    unit: 'money',
    amount: before.amount,
    decimals: 2,
    text: '',
    at: 0,
    end: 0,
  };
  if (texts.some((text) => namesAmount(text, last.amount)) || createAmountMatcher(figure, texts)(last.amount))
    return null;
  const said = view.session.turns[agreed.turn];
  return {
    turn,
    message: endSentence(
      `After the user had agreed (${quoteText(said?.input ?? '')}), ${codeSpan(step.name)} failed with ${codeSpan(last.key)} ${formatPaidAmount(before)} and was then called with ${formatPaidAmount(last)}, without asking again`,
    ),
    evidence: [
      view.evidence(turn, step.pointer, 'the call with the higher amount'),
      view.evidence(turn, tried.step.pointer, 'the failed attempt'),
      ...(said ? [view.evidence(agreed.turn, said.inputPointer ?? said.pointer, 'the message of the user')] : []),
    ],
    calls: [step.pointer],
  };
}

/** Groups the calls of one tool in one turn, since an amount may be paid in parts. */
function groupByTurnAndTool(changes: readonly IndexedCall[]): IndexedCall[][] {
  const groups = new Map<string, IndexedCall[]>();
  for (const call of changes) {
    const key = `${call.turn} ${call.step.name}`;
    const group = groups.get(key);
    if (group) group.push(call);
    else groups.set(key, [call]);
  }
  return [...groups.values()];
}

const AMOUNT = /^(amounts?|total|price|refund|payment|sum|cost|fare|charge|deposit)$/;
/** Figures next to an amount that are not amounts. */
const NOT_AMOUNT =
  /^(id|ids|method|type|currency|count|number|quantity|items?|units?|per|max|min|maximum|minimum|limit|percent|percentage|rate|points|tax|bags?|baggages?|status|date|reason|code|old|previous|original)$/;
/** How many arguments of a call are checked. */
const MOST_LOOKED_AT = 200;

function paidAmountOf(call: IndexedCall): PaidAmount | null {
  const { step } = call;
  if (typeof step.arguments === 'string') return null;
  const found = new Map<string, number[]>();
  const waiting: { readonly key: string; readonly given: unknown }[] = [{ key: '', given: step.arguments }];
  for (let looked = 0; waiting.length > 0 && looked < MOST_LOOKED_AT; looked += 1) {
    const { key, given } = waiting.shift() ?? { key: '', given: null };
    if (typeof given === 'object' && given !== null) {
      const inner = Array.isArray(given) ? given.map((one) => ({ key, given: one })) : keyedValues(given);
      waiting.push(...inner.slice(0, MOST_LOOKED_AT));
      continue;
    }
    const amount = isAmountKey(key) ? amountOf(given, key) : null;
    if (amount === null) continue;
    const known = found.get(key);
    if (known) known.push(amount);
    else found.set(key, [amount]);
  }
  const [[key, parts] = [], ...others] = found;
  if (key === undefined || parts === undefined || others.length > 0) return null;
  return { call, key, parts, amount: roundToCents(parts.reduce((sum, part) => sum + part, 0)) };
}

function keyedValues(given: object): { key: string; given: unknown }[] {
  return Object.entries(given).map(([key, one]) => ({ key, given: one }));
}

const isAmountKey = (key: string): boolean => {
  const words = nameWords(key);
  return words.some((word) => AMOUNT.test(word)) && !words.some((word) => NOT_AMOUNT.test(word));
};

function amountOf(given: unknown, key: string): number | null {
  const written = typeof given === 'string' && /^\W{0,3}\d[\d.,]{0,15}\W{0,3}$/.test(given) ? given : null;
  const [read] = written === null ? [] : parseValues(written);
  const amount = typeof given === 'number' ? given : read?.kind === 'figure' ? read.amount : Number.NaN;
  if (!Number.isFinite(amount) || amount === 0) return null;
  return Math.abs(/cents?$/i.test(key) ? amount / 100 : amount);
}

function roundToCents(amount: number): number {
  return Math.round(amount * 100) / 100;
}

/** Introduces the total of a change if the proposal itself does not state it. */
const TOTAL = /\b(total|amount|price|cost)\b/i;
/** Other amounts that a proposal may mention. */
const OTHER_AMOUNT =
  /\b(remain\w*|balance|left|sav(e|es|ing|ings)|limit|available|discount|fees?|worth|original(ly)?|previous(ly)?|instead of|per|each|every)\b/i;

/** The only amount in the sentences that name the change, or else its total. */
function proposedAmount({ byAgent, byUser }: Agreement, { said }: ChangeIntent): AgreedAmount | null {
  const [proposal = '', ...more] = byAgent;
  // A later text of the agent may have changed the amount.
  if (more.some((text) => moneyIn(text).length > 0)) return null;
  const own = byUser.flatMap(moneyIn);
  const sentences = splitSentences(proposal).filter((one) => moneyIn(one).length > 0);
  const offers = sentences.filter((one) => said.test(one));
  const named = offers.length > 0 ? offers : sentences.filter((one) => TOTAL.test(one));
  const found = distinctAmounts(named.flatMap(moneyIn));
  const [figure] = found;
  // A user who names another amount agreed to that one, or to both.
  if (!figure || found.length > 1 || own.some(({ amount }) => amount !== figure.amount)) return null;
  return named.every((one) => isFirmAmount(one, figure)) ? { figure, text: proposal, by: 'agent' } : null;
}

/** Between the verb and its amount: `refund me the full amount of 30 EUR`. */
const DIRECT_OBJECT =
  /^[a-z]{0,5}(\s(me|us|him|her|them|back|the|a|an|exactly|only|just|full|amount|sum|total|of)){0,5}\s$/i;

/** The amount that a user explicitly asks for: `refund 30 EUR`. */
function requestedAmount(input: string, wish: ChangeIntent): AgreedAmount | null {
  const all = distinctAmounts(moneyIn(input));
  const [figure] = all;
  if (!figure || all.length > 1 || requestsChange(input, wish) !== true) return null;
  const text = splitSentences(input).find((one) => one.includes(figure.text)) ?? '';
  const deed = wish.said.exec(text);
  const at = text.indexOf(figure.text);
  if (!deed || !DIRECT_OBJECT.test(text.slice(deed.index + deed[0].length, at)) || !isFirmAmount(text, figure))
    return null;
  return /\?\W*$|\b(if|up to|or)\b/i.test(text) ? null : { figure, text: input, by: 'user' };
}

function isFirmAmount(text: string, { text: written }: StatedFigure): boolean {
  const stated = moneyIn(text).find((one) => one.text === written);
  return stated === undefined || (isStatedAsFact(text, stated) && !OTHER_AMOUNT.test(text));
}

function moneyIn(text: string): StatedFigure[] {
  return figuresIn(text).filter(({ unit }) => unit === 'money');
}

function figuresIn(text: string): StatedFigure[] {
  return parseValues(text).flatMap((one) => (one.kind === 'figure' ? [one] : []));
}

function namesAmount(text: string, amount: number): boolean {
  return figuresIn(text).some((one) => one.amount === amount);
}

function distinctAmounts(figures: readonly StatedFigure[]): StatedFigure[] {
  return [...new Map(figures.map((figure) => [figure.amount, figure])).values()];
}

/** Larger numbers are not counts of items. */
const LARGEST_COUNT = 20;

/** Creates a test of whether an amount equals the agreed one or follows from the conversation. */
function createAmountMatcher(figure: StatedFigure, texts: readonly string[]): (amount: number) => boolean {
  const said = texts.flatMap(figuresIn);
  const amounts = [...new Set(said.filter(({ unit }) => unit === 'money').map(({ amount }) => amount))];
  const operands = {
    own: [],
    before: amounts.slice(0, MOST_LOOKED_AT),
    groups: [],
    shares: said.filter(({ unit }) => unit === 'percent').map(({ amount }) => amount),
    counts: said
      .filter(
        ({ unit, amount }) => unit === 'count' && Number.isInteger(amount) && amount > 1 && amount <= LARGEST_COUNT,
      )
      .map(({ amount }) => amount),
  };
  return memoize(
    (amount: number) =>
      [1, 100, 0.01].some((factor) => roundToCents(amount * factor) === roundToCents(figure.amount)) ||
      // The user may have named it without a currency.
      texts.slice(-1).some((text) => namesAmount(text, amount)) ||
      isDerivedFigure({ ...figure, amount, decimals: 2 }, operands),
  );
}

const CURRENCY_SIGNS: Readonly<Record<string, string>> = { USD: '$', EUR: '€', GBP: '£', JPY: '¥', INR: '₹' };

/** Whether a call names a currency that the agreement does not. */
function usesOtherCurrency({ step }: IndexedCall, { text }: AgreedAmount): boolean {
  if (typeof step.arguments === 'string') return false;
  const [, currency] = Object.entries(step.arguments).find(([key]) => nameWords(key).includes('currency')) ?? [];
  if (typeof currency !== 'string') return false;
  const written = currency.toUpperCase();
  return !text.toUpperCase().includes(written) && !text.includes(CURRENCY_SIGNS[written] ?? written);
}
