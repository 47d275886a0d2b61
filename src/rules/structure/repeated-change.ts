import { saysAlreadyDone } from '../dialogue-en/phrases.ts';
import { classifyAgreement, headAndTail, verbStem } from '../dialogue-en/user-consent.ts';
import type { Rule, RuleFinding } from '../rule.ts';
import { hasSameResult, type IndexedCall, type RuleView } from '../rule-view.ts';
import { stringsIn } from '../shared/json-strings.ts';
import { codeSpan, formatArguments, turnLabel } from '../shared/message-format.ts';
import { NOT_CODING } from '../shared/session-kind.ts';
import { changeVerb, nameWords } from '../shared/tool-effect.ts';

/** Verbs of changes that add up. Setting or cancelling something twice has no further effect. */
const ADDITIVE_VERBS = new Set(
  'refund pay charge transfer wire withdraw deposit donate redeem book buy purchase order sell trade issue'.split(' '),
);

/** Verbs that reverse an earlier change, so that it may be repeated. */
const REVERSAL_VERBS = /^(cancel|void|refund|return|reverse|revert|undo|delete|remove|reject|release)$/;

export const repeatedChange: Rule = {
  id: 'repeated-change',
  title: 'Change made twice',
  proves: 'The agent made the same payment, refund, booking or purchase twice, and the user had asked for it once.',
  severity: 'medium',
  label: 'repeated tool call',
  affects: ['step_efficiency'],
  kinds: NOT_CODING,
  page: {
    how:
      'Checks successful calls that pay, refund, book, buy, issue or transfer something, with the arguments of an earlier successful call. Their results must differ, as two receipts do: "RF-1" and "RF-2". The user must not have mentioned it again in between, nor the agent have reversed the first change.\n\n' +
      'Two consecutive calls of `refund_order` with `order_id` "NO-58213" and `amount` 30 are reported if each returns a refund of its own.',
    silent:
      'Ignores changes that have no effect when repeated, such as updates and cancellations, and messages and files. Does not report when a user speaks of two, both or each, when the call carries an idempotency key, when a result says that the change was already made, or when the results are equal or unknown: the tool may have recognized the repetition.\n\n' +
      'Skips sub-agents and users who do not write English.',
    remedy:
      'Check the account, and reverse one of the two changes. Give the tool a key to detect repetitions (`idempotency_key`), and have the agent read the result of the first call before it calls again.',
  },
  check(view) {
    if (view.changes.length < 2 || !view.hasReadableUsers) return [];
    const findings: RuleFinding[] = [];
    let earlier = new Map<string, IndexedCall>();
    for (const call of view.changes) {
      if (nameWords(call.step.name).some((word) => REVERSAL_VERBS.test(word)) && !isAdditive(call)) earlier = new Map();
      if (!isAdditive(call)) continue;
      const before = earlier.get(call.key);
      earlier.set(call.key, call);
      if (before && isSeparateChange(call, before) && !isRequestedAgain(view, call, before))
        findings.push(toFinding(view, call, before));
    }
    return findings;
  },
};

function toFinding(view: RuleView, { step, turn }: IndexedCall, before: IndexedCall): RuleFinding {
  const when = before.turn === turn ? '' : ` after ${turnLabel(before.turn)}`;
  return {
    turn,
    message: `${codeSpan(step.name)} was executed again${when} ${formatArguments(step.arguments)}, with a result of its own; nobody had asked for it twice.`,
    evidence: [
      view.evidence(turn, step.pointer, 'the second change'),
      view.evidence(before.turn, before.step.pointer, 'the first change'),
      ...[step, before.step].flatMap(({ resultPointer }, i) =>
        resultPointer === undefined ? [] : [view.evidence(i === 0 ? turn : before.turn, resultPointer, 'its result')],
      ),
    ],
    calls: [step.pointer],
  };
}

function isAdditive({ step }: IndexedCall): boolean {
  return ADDITIVE_VERBS.has(changeVerb(step.name) ?? '') && !hasIdempotencyKey(step.arguments);
}

function hasIdempotencyKey(args: IndexedCall['step']['arguments']): boolean {
  return typeof args === 'string' || Object.keys(args).some((key) => /idempot|nonce|request_?id|dedup/i.test(key));
}

/** Whether a result reports a separate change, not the first one again. */
function isSeparateChange({ step }: IndexedCall, { step: before }: IndexedCall): boolean {
  if (step.result === undefined || before.result === undefined || hasSameResult(step, before)) return false;
  for (const text of stringsIn(step.result)) if (saysAlreadyDone(text)) return false;
  return true;
}

/** Phrases that request a change several times. */
const SEVERAL_TIMES =
  /\b(two|twice|both|each|another|again|one more|double(?!.?check)|three|four|five|couple|several|separate(ly)?|for (every|all)|times|[2-9]\s?(x|tickets?|rooms?|seats?|copies|units?|orders?|bookings?|reservations?|vouchers?|certificates?|payments?|refunds?|items?|pieces))\b/i;

function isRequestedAgain({ session: { turns } }: RuleView, call: IndexedCall, before: IndexedCall): boolean {
  const stem = verbStem(changeVerb(call.step.name) ?? '');
  const proposal = turns[before.turn - 1]?.output ?? '';
  const [first = '', ...later] = turns.slice(before.turn, call.turn + 1).map(({ input }) => headAndTail(input ?? ''));
  return (
    [headAndTail(proposal), first, ...later].some((text) => SEVERAL_TIMES.test(text)) ||
    later.some((text, i) => {
      const answer = turns[before.turn + i]?.output ?? null;
      return text.toLowerCase().includes(stem) || classifyAgreement(text, answer) !== null;
    })
  );
}
