import { memoize } from '../../core/cache/memoize.ts';
import { joinWithAnd } from '../../core/text/lists.ts';
import { isDerivedFigure } from '../grounding/derived-figures.ts';
import { type PaidAmount, paidAmountOf, roundToCents } from '../grounding/paid-amounts.ts';
import { parseRecords } from '../grounding/result-records.ts';
import { isStatedAsFact, parseValues, type StatedFigure } from '../grounding/stated-values.ts';
import type { Rule, RuleFinding } from '../rule.ts';
import type { IndexedCall, RuleView } from '../rule-view.ts';
import { codeSpan, endSentence, formatValue, quoteText } from '../shared/message-format.ts';
import { NOT_CODING } from '../shared/session-kind.ts';
import { changeVerb, nameWords } from '../shared/tool-effect.ts';
import { type Agreement, createAgreementLookup } from './agreements.ts';
import type { ChangeIntent } from './consent-phrases.ts';
import { changeIntentFor, headAndTail, requestsChange, splitSentences } from './user-consent.ts';

export const amountNotAgreed: Rule = {
  id: 'amount-not-agreed',
  title: 'Amount differs from agreement',
  proves:
    'The user agreed to or asked for one amount of money, and the agent executed the change with a different amount.',
  severity: 'medium',
  label: 'wrong arguments',
  affects: ['argument_correctness'],
  kinds: NOT_CODING,
  page: {
    how:
      'Checks successful calls that change state and have one argument for an amount of money (`amount`, `total`, `price`, `refund_amount`; amounts in a list, such as payments on several cards, are added up).\n\n' +
      'It compares the amount with the one the user agreed to:\n\n' +
      '- the only amount in the sentence in which the agent proposes the change ("Shall I refund 30.00 EUR?") or names its total, if the user then agreed;\n- if nothing was proposed, the amount the user asked for: "please refund 30 EUR".\n\n' +
      'Example: after "Shall I refund 30.00 EUR?" and "Yes", the call `refund_order` with `amount` 184.80 is reported.\n\n' +
      'If no amount was proposed, the rule reports an amount that was raised after the user had agreed: a first call failed, a later call in the same turn succeeded with a higher amount, and the user was not asked again.',
    silent:
      'Does not report when several amounts were proposed, when the amount was vague ("about 30 EUR"), when the user named the other amount as well, or when the amount follows from figures in the conversation: a sum, a difference, a share, a multiple, cents instead of euros, the price of one for several (two flights for each of three passengers). Nor when another call of the same tool in the turn has the expected amount, or when the call uses another currency. Like `unconfirmed-change`, it skips sub-agents, and users who do not write English.\n\n' +
      'It cannot see what a user agreed to outside the trace.',
    remedy:
      'Compare the two amounts. If a tool returned a new price in between, have the agent state that price and ask again. If the agent used the wrong figure, have the tool check the amount against the agreed one.',
  },
  check(view) {
    const { session, changes } = view;
    if (changes.length === 0 || !view.hasReadableUsers) return [];
    const agreementOf = createAgreementLookup(view);
    const intentOf = memoize((tool: string) => changeIntentFor(changeVerb(tool)));
    return groupByTurnAndTool(changes).flatMap((calls) => {
      const payments = calls.flatMap((call) => paidAmountOf(call) ?? []);
      const [first] = payments;
      if (!first || payments.length < calls.length) return [];
      const { turn, step } = first.call;
      const agreement = agreementOf(turn);
      const intent = intentOf(step.name);
      const input = headAndTail(session.turns[turn]?.input ?? '');
      const texts = agreement === null ? [input] : [...agreement.byAgent, ...agreement.byUser];
      const expected = (agreement && proposedAmount(agreement, intent)) ?? requestedAmount(input, intent);
      if (expected === null) {
        const raised = agreement && raisedAmountFinding(view, agreement, payments, texts);
        return raised === null ? [] : [raised];
      }
      if (usesOtherCurrency(first.call, expected)) return [];
      const all = payments.reduce((sum, { amount }) => sum + amount, 0);
      const isExpected = createAmountMatcher(expected.figure, texts);
      if (payments.some(({ parts }) => parts.some(isExpected)) || isExpected(all)) return [];
      if (payments.some((payment) => isExpectedForSeveral(view, payment, expected.figure))) return [];
      return payments
        .filter(({ amount }) => !isExpected(amount))
        .map((payment) => mismatchFinding(view, payment, expected, agreement));
    });
  },
};

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

function mismatchFinding(
  view: RuleView,
  payment: PaidAmount,
  expected: AgreedAmount,
  agreement: Agreement | null,
): RuleFinding {
  const { step, turn } = payment.call;
  const { turns } = view.session;
  const agreementTurn = agreement?.turn ?? turn;
  const turnOfAgreement = turns[agreementTurn];
  const proposalTurn = turns[agreementTurn - 1];
  const action = expected.by === 'agent' ? `agreed (${quoteText(turnOfAgreement?.input ?? '')}) to` : 'asked for';
  return {
    turn,
    message: endSentence(
      `The user had ${action} ${formatValue(expected.figure.text)}, but ${codeSpan(step.name)} was called with ${codeSpan(payment.key)} ${formatPaidAmount(payment)}`,
    ),
    evidence: [
      view.evidence(turn, step.pointer, 'the call with the other amount'),
      ...(turnOfAgreement
        ? [
            view.evidence(
              agreementTurn,
              turnOfAgreement.inputPointer ?? turnOfAgreement.pointer,
              'the message of the user',
            ),
          ]
        : []),
      ...(expected.by === 'agent' && proposalTurn?.outputPointer !== undefined
        ? [view.evidence(agreementTurn - 1, proposalTurn.outputPointer, 'the proposed amount')]
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
  agreement: Agreement,
  payments: readonly PaidAmount[],
  texts: readonly string[],
): RuleFinding | null {
  const [last] = payments;
  const proposal = view.session.turns[agreement.turn - 1];
  if (!last || payments.length > 1 || !proposal) return null;
  const { step, turn, index } = last.call;
  const attempts = (view.callsByTurn[turn] ?? []).filter((call) => call.index < index && call.step.name === step.name);
  const [firstAttempt] = attempts;
  const firstPayment = firstAttempt?.step.outcome === 'error' ? paidAmountOf(firstAttempt) : null;
  if (!firstAttempt || firstPayment === null || firstPayment.key !== last.key || firstPayment.amount >= last.amount)
    return null;
  const figure: StatedFigure = {
    kind: 'figure',
    unit: 'money',
    amount: firstPayment.amount,
    decimals: 2,
    text: '',
    at: 0,
    end: 0,
  };
  if (texts.some((text) => namesAmount(text, last.amount)) || createAmountMatcher(figure, texts)(last.amount))
    return null;
  const turnOfAgreement = view.session.turns[agreement.turn];
  return {
    turn,
    message: endSentence(
      `After the user had agreed (${quoteText(turnOfAgreement?.input ?? '')}), ${codeSpan(step.name)} failed with ${codeSpan(last.key)} ${formatPaidAmount(firstPayment)} and was then called with ${formatPaidAmount(last)}, without asking again`,
    ),
    evidence: [
      view.evidence(turn, step.pointer, 'the call with the higher amount'),
      view.evidence(turn, firstAttempt.step.pointer, 'the failed attempt'),
      ...(turnOfAgreement
        ? [
            view.evidence(
              agreement.turn,
              turnOfAgreement.inputPointer ?? turnOfAgreement.pointer,
              'the message of the user',
            ),
          ]
        : []),
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

/** Introduces the total of a change if the proposal itself does not state it. */
const TOTAL = /\b(total|amount|price|cost)\b/i;
/** Other amounts that a proposal may mention. */
const OTHER_AMOUNT =
  /\b(remain\w*|balance|left|sav(e|es|ing|ings)|limit|available|discount|fees?|worth|original(ly)?|previous(ly)?|instead of|per|each|every)\b/i;

/** The only amount in the sentences that name the change, or else its total. */
function proposedAmount({ byAgent, byUser }: Agreement, { pattern }: ChangeIntent): AgreedAmount | null {
  const [proposal = '', ...more] = byAgent;
  // A later text of the agent may have changed the amount.
  if (more.some((text) => moneyIn(text).length > 0)) return null;
  const byUserAmounts = byUser.flatMap(moneyIn);
  const sentences = splitSentences(proposal).filter((sentence) => moneyIn(sentence).length > 0);
  const offers = sentences.filter((sentence) => pattern.test(sentence));
  const totalSentences = offers.length > 0 ? offers : sentences.filter((sentence) => TOTAL.test(sentence));
  const amounts = distinctAmounts(totalSentences.flatMap(moneyIn));
  const [figure] = amounts;
  // A user who names another amount agreed to that one, or to both.
  if (!figure || amounts.length > 1 || byUserAmounts.some(({ amount }) => amount !== figure.amount)) return null;
  return totalSentences.every((sentence) => isFirmAmount(sentence, figure))
    ? { figure, text: proposal, by: 'agent' }
    : null;
}

/** Between the verb and its amount: `refund me the full amount of 30 EUR`. */
const DIRECT_OBJECT =
  /^[a-z]{0,5}(\s(me|us|him|her|them|back|the|a|an|exactly|only|just|full|amount|sum|total|of)){0,5}\s$/i;

/** The amount that a user explicitly asks for: `refund 30 EUR`. */
function requestedAmount(input: string, intent: ChangeIntent): AgreedAmount | null {
  const all = distinctAmounts(moneyIn(input));
  const [figure] = all;
  if (!figure || all.length > 1 || requestsChange(input, intent) !== true) return null;
  const text = splitSentences(input).find((sentence) => sentence.includes(figure.text)) ?? '';
  const verb = intent.pattern.exec(text);
  const amountStart = text.indexOf(figure.text);
  if (!verb || !DIRECT_OBJECT.test(text.slice(verb.index + verb[0].length, amountStart)) || !isFirmAmount(text, figure))
    return null;
  return /\?[^\w?]*$|\b(if|up to|or)\b/i.test(text) ? null : { figure, text: input, by: 'user' };
}

function isFirmAmount(text: string, { text: written }: StatedFigure): boolean {
  const stated = moneyIn(text).find((candidate) => candidate.text === written);
  return stated === undefined || (isStatedAsFact(text, stated) && !OTHER_AMOUNT.test(text));
}

function moneyIn(text: string): StatedFigure[] {
  return figuresIn(text).filter(({ unit }) => unit === 'money');
}

function figuresIn(text: string): StatedFigure[] {
  return parseValues(text).flatMap((value) => (value.kind === 'figure' ? [value] : []));
}

function namesAmount(text: string, amount: number): boolean {
  return figuresIn(text).some((figure) => figure.amount === amount);
}

function distinctAmounts(figures: readonly StatedFigure[]): StatedFigure[] {
  return [...new Map(figures.map((figure) => [figure.amount, figure])).values()];
}

/** How many amounts of a conversation are compared. */
const MAX_AMOUNTS = 200;
/** Larger numbers are not counts of items. */
const MAX_COUNT = 20;

/** Creates a test of whether an amount equals the agreed one or follows from the conversation. */
function createAmountMatcher(figure: StatedFigure, texts: readonly string[]): (amount: number) => boolean {
  const figures = texts.flatMap(figuresIn);
  const amounts = [...new Set(figures.filter(({ unit }) => unit === 'money').map(({ amount }) => amount))];
  const operands = {
    own: [],
    before: amounts.slice(0, MAX_AMOUNTS),
    groups: [],
    shares: figures.filter(({ unit }) => unit === 'percent').map(({ amount }) => amount),
    counts: figures
      .filter(({ unit, amount }) => unit === 'count' && Number.isInteger(amount) && amount > 1 && amount <= MAX_COUNT)
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

/** Arguments that may have the price of one of several. */
const UNIT_PRICE = /^(price|fare|cost)$/;
/** How many results before a call are searched for the number of passengers or items. */
const MAX_RESULTS = 20;

/** Whether the agreed amount is that of some parts for several people or things: two flights for each of 3 passengers. */
function isExpectedForSeveral(
  { calls }: RuleView,
  { call, key, parts }: PaidAmount,
  { amount }: StatedFigure,
): boolean {
  if (!nameWords(key).some((word) => UNIT_PRICE.test(word))) return false;
  const seen = calls.slice(Math.max(0, call.index - MAX_RESULTS), call.index).map(({ step }) => step.result);
  const counts = new Set([call.step.arguments, ...seen].flatMap((value) => parseRecords(value).counts));
  return parts.some((_, from) => {
    let sum = 0;
    return parts.slice(from).some((part) => {
      sum += part;
      return [...counts].some((count) => count <= MAX_COUNT && roundToCents(sum * count) === roundToCents(amount));
    });
  });
}

const CURRENCY_SIGNS: Readonly<Record<string, string>> = { USD: '$', EUR: '€', GBP: '£', JPY: '¥', INR: '₹' };

/** Whether a call names a currency that the agreement does not. */
function usesOtherCurrency({ step }: IndexedCall, { text }: AgreedAmount): boolean {
  if (typeof step.arguments === 'string') return false;
  const [, currency] = Object.entries(step.arguments).find(([key]) => nameWords(key).includes('currency')) ?? [];
  if (typeof currency !== 'string') return false;
  const code = currency.toUpperCase();
  return !text.toUpperCase().includes(code) && !text.includes(CURRENCY_SIGNS[code] ?? code);
}
