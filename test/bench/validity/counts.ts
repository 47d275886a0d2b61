import { isObject } from '../../../src/core/json.ts';
import type { Session } from '../../../src/core/session.ts';
import { createRuleView, type IndexedCall } from '../../../src/rules/rule-view.ts';
import { bareAuroc, type CrossValidationFold, type HeldOutSession } from './cross-validation.ts';
import { datasets } from './labelled-sessions.ts';
import { figure, table } from './markdown.ts';

const MONEY = /[$€£]\s?\d/;

/** What can be counted in a session and is no finding of a rule. */
const COUNTS: Readonly<Record<string, (calls: readonly IndexedCall[], session: Session) => number>> = {
  'changes that succeeded': (calls) => calls.filter((call) => changes(call) && call.step.outcome === 'ok').length,
  'changes that name a payment or an amount': (calls) => calls.filter((call) => changes(call) && isPaid(call)).length,
  'kinds of changes': (calls) => new Set(calls.filter(changes).map(({ step }) => step.name)).size,
  'turns with a change': (calls) => new Set(calls.filter(changes).map(({ turn }) => turn)).size,
  'look-ups before the first change': (calls) => Math.max(0, calls.findIndex(changes)),
  'changes after a search': (calls) => {
    const searched = calls.findIndex(({ step }) => /search|list|find/.test(step.name));
    return searched < 0
      ? 0
      : calls.slice(searched).filter((call) => changes(call) && call.step.outcome === 'ok').length;
  },
  'look-ups where nothing was changed': (calls) => (calls.some(changes) ? 0 : calls.length),
  'turns after the first change': (calls, { turns }) => {
    const first = calls.find(changes);
    return first ? turns.length - 1 - first.turn : 0;
  },
  'calls that failed': (calls) => calls.filter(({ step }) => step.outcome === 'error').length,
  'answers that state an amount of money': (_, { turns }) =>
    turns.filter(({ output }) => MONEY.test(output ?? '')).length,
  'questions of the user after the first turn': (_, { turns }) =>
    turns.slice(1).filter(({ input }) => input?.includes('?')).length,
  'apologies and refusals': (_, { turns }) =>
    turns.filter(({ output }) => /\b(sorry|apolog|unfortunately|unable|cannot)/i.test(output ?? '')).length,
  'hand-overs to a person': (calls) => calls.filter(({ step }) => /^transfer_to_human/.test(step.name)).length,
};

function changes({ effect }: IndexedCall): boolean {
  return effect === 'changes';
}

/** By the names of its arguments, or of what stands in them. */
function isPaid({ step }: IndexedCall): boolean {
  return isObject(step.arguments) && /"(payment|amount|price)\w*":/.test(JSON.stringify(step.arguments));
}

/** How well bare counts tell sessions that failed. */
export function countTable(sessions: readonly CrossValidationFold[]): string {
  const calls = new Map(
    sessions.flatMap(([session]) =>
      session ? [[session.session, createRuleView(session.session).calls] as const] : [],
    ),
  );
  const groups = datasets().slice(0, 2);
  return table(
    ['count', 'all sessions', 'within each data set', ...groups],
    ...Object.entries(COUNTS).map(([name, count]) => {
      const score = ({ session }: HeldOutSession) => count(calls.get(session) ?? [], session);
      const inGroup = (group: string) => sessions.filter(([session]) => session?.dataset === group);
      return [
        name,
        figure(bareAuroc(sessions, score)),
        figure(bareAuroc(sessions, score, 'within')),
        ...groups.map((group) => figure(bareAuroc(inGroup(group), score))),
      ];
    }),
  );
}
