import type { Question } from './question.ts';

/** What travels in one call. */
export interface QuestionBatch {
  /** In an order in which each stands behind those it rests on. */
  readonly facts: readonly Question[];
  readonly questions: readonly Question[];
}

/**
 * Distributes questions about one turn, and the facts they need, over calls of at most `perCall` of both. A fact is in one
 * call, whoever needs it: in the same as what rests on it where there is room, else in an earlier one. Names are unique in
 * a call.
 *
 * @param isKnown whether a fact, or a question, is asked already.
 */
export function packQuestions(
  questions: readonly Question[],
  perCall: number,
  isKnown: (question: Question) => boolean = () => false,
): QuestionBatch[] {
  const calls: Question[][] = [];
  const placed = new Map<Question, number>();
  const facts = new Set<Question>();

  const isOpen = (question: Question) => !placed.has(question) && !isKnown(question);
  const put = (group: readonly Question[]) => {
    const earliest = Math.max(0, ...group.flatMap(({ facts = [] }) => facts.map((fact) => placed.get(fact) ?? 0)));
    let index = earliest;
    while (!hasRoom(calls[index] ?? [], group, perCall)) index += 1;
    for (const question of group) {
      placed.set(question, index);
      calls[index] = [...(calls[index] ?? []), question];
    }
  };
  for (const question of questions) {
    const group = withFacts(question, isOpen);
    for (const { facts: needed = [] } of group) for (const fact of needed) facts.add(fact);
    const isOneCall = group.length <= perCall && new Set(group.map(({ name }) => name)).size === group.length;
    if (isOneCall) put(group);
    else for (const one of group) put([one]);
  }
  return calls.map((call) => ({
    facts: call.filter((one) => facts.has(one)),
    questions: call.filter((one) => !facts.has(one)),
  }));
}

/** A question behind all that it rests on, without what is not open. */
function withFacts(
  question: Question,
  isOpen: (question: Question) => boolean,
  seen: Set<Question> = new Set(),
): Question[] {
  if (seen.has(question) || !isOpen(question)) return [];
  seen.add(question);
  return [...(question.facts ?? []).flatMap((fact) => withFacts(fact, isOpen, seen)), question];
}

function hasRoom(call: readonly Question[], group: readonly Question[], perCall: number): boolean {
  // Each group has room in an empty call: a question is never larger than a call.
  if (call.length === 0) return true;
  return call.length + group.length <= perCall && !group.some(({ name }) => call.some((one) => one.name === name));
}
