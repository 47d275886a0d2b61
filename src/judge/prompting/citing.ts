import type { Evidence } from '../../core/result.ts';
import type { Session } from '../../core/session.ts';
import type { FindingPassages } from './finding-passages.ts';
import type { Passage } from './passage.ts';
import { everyPassage, type TurnPassages } from './turn-passages.ts';

/** `t4`, `t4-t6`, `t4.result2`. */
const OF_TURN = /^t([1-9]\d{0,8})(?:-t([1-9]\d{0,8}))?(?:\.|$)/;

/**
 * The places that ids stand for, each once and in the order in which they are cited; ids that mean nothing are left out.
 * An id means the same in all prompts of a session, so that what rests on facts alone can cite what the facts cite.
 */
export function citing(
  session: Session,
  shared: readonly Passage[],
  passagesOf: (index: number) => TurnPassages | null,
  proven: Pick<FindingPassages, 'get'>,
): (ids: readonly string[]) => Evidence[] {
  const ofSession = new Map(shared.map(({ id, evidence }) => [id, evidence]));
  const evidenceOf = (id: string): Evidence | undefined => {
    const [whole, number, lastNumber] = OF_TURN.exec(id) ?? [];
    if (whole === undefined) return ofSession.get(id);
    const index = Number(number) - 1;
    const turn = session.turns[index];
    if (!turn) return undefined;
    if (whole !== id) {
      const finding = proven.get(id);
      if (finding) return finding.evidence;
      const passages = passagesOf(index);
      return passages ? everyPassage(passages).find((passage) => passage.id === id)?.evidence : undefined;
    }
    const note = lastNumber === undefined ? `turn ${number}` : `turns ${number} to ${lastNumber}`;
    const elsewhere = turn.file === undefined || turn.file === session.source.file ? {} : { file: turn.file };
    return { pointer: turn.pointer, note, ...elsewhere };
  };
  return (ids) => [...new Set(ids)].flatMap((id) => evidenceOf(id) ?? []);
}
