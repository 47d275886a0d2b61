import type { Question } from './question.ts';

/** The questions of one call. */
export interface QuestionBatch {
  /** Each after those that it depends on. */
  readonly facts: readonly Question[];
  readonly questions: readonly Question[];
}

/**
 * Distributes questions about one turn, and the facts they need, over calls of at most `perCall` of both. Each fact is asked
 * once: in its dependents' call if there is room, else in an earlier one. Names are unique in a call.
 *
 * @param isAsked whether a fact, or a question, is asked already.
 */
export function packQuestions(
  questions: readonly Question[],
  perCall: number,
  isAsked: (question: Question) => boolean = () => false,
): QuestionBatch[] {
  const calls: Question[][] = [];
  const callIndexes = new Map<Question, number>();
  const facts = new Set<Question>();

  const isOpen = (question: Question) => !callIndexes.has(question) && !isAsked(question);
  const place = (group: readonly Question[]) => {
    const earliest = Math.max(0, ...group.flatMap(({ facts = [] }) => facts.map((fact) => callIndexes.get(fact) ?? 0)));
    let index = earliest;
    while (!hasRoom(calls[index] ?? [], group, perCall)) index += 1;
    for (const question of group) {
      callIndexes.set(question, index);
      calls[index] = [...(calls[index] ?? []), question];
    }
  };
  for (const question of questions) {
    const group = withFacts(question, isOpen);
    for (const { facts: needed = [] } of group) for (const fact of needed) facts.add(fact);
    const fitsOneCall = group.length <= perCall && new Set(group.map(({ name }) => name)).size === group.length;
    if (fitsOneCall) place(group);
    else for (const question of group) place([question]);
  }
  return calls.map((call) => ({
    facts: call.filter((question) => facts.has(question)),
    questions: call.filter((question) => !facts.has(question)),
  }));
}

/** A question after everything that it depends on, without what is not open. */
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
  // Every group fits into an empty call: a question is never larger than a call.
  if (call.length === 0) return true;
  return (
    call.length + group.length <= perCall && !group.some(({ name }) => call.some((question) => question.name === name))
  );
}
