import type { Evidence } from '../../core/result.ts';
import type { Session } from '../../core/session.ts';
import type { PromptExcerpt } from './excerpt.ts';
import type { FindingExcerpts } from './finding-excerpts.ts';
import { allExcerpts, type TurnExcerpts } from './turn-excerpts.ts';

/** `t4`, `t4-t6`, `t4.result2`. */
const TURN_ID = /^t([1-9]\d{0,8})(?:-t([1-9]\d{0,8}))?(?:\.|$)/;

/**
 * The places that ids stand for, each once and in the order in which they are cited; ids that mean nothing are left out.
 * An id means the same in all prompts of a session, so that what rests on facts alone can cite what the facts cite.
 */
export function createCitationResolver(
  session: Session,
  shared: readonly PromptExcerpt[],
  passagesOf: (index: number) => TurnExcerpts | null,
  proven: Pick<FindingExcerpts, 'get'>,
): (ids: readonly string[]) => Evidence[] {
  const ofSession = new Map(shared.map(({ id, evidence }) => [id, evidence]));
  const evidenceOf = (id: string): Evidence | undefined => {
    const [whole, number, lastNumber] = TURN_ID.exec(id) ?? [];
    if (whole === undefined) return ofSession.get(id);
    const index = Number(number) - 1;
    const turn = session.turns[index];
    if (!turn) return undefined;
    if (whole !== id) {
      const finding = proven.get(id);
      if (finding) return finding.evidence;
      const passages = passagesOf(index);
      return passages ? allExcerpts(passages).find((passage) => passage.id === id)?.evidence : undefined;
    }
    const note = lastNumber === undefined ? `turn ${number}` : `turns ${number} to ${lastNumber}`;
    const elsewhere = turn.file === undefined || turn.file === session.source.file ? {} : { file: turn.file };
    return { pointer: turn.pointer, note, ...elsewhere };
  };
  return (ids) => [...new Set(ids)].flatMap((id) => evidenceOf(id) ?? []);
}
