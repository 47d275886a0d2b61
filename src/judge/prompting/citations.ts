import type { Evidence } from '../../core/result.ts';
import type { Session } from '../../core/session.ts';
import type { PromptExcerpt } from './excerpt.ts';
import type { FindingExcerpts } from './finding-excerpts.ts';
import { allExcerpts, type TurnExcerpts } from './turn-excerpts.ts';

/** `t4`, `t4-t6`, `t4.result2`. */
const TURN_ID = /^t([1-9]\d{0,8})(?:-t([1-9]\d{0,8}))?(?:\.|$)/;

/**
 * Resolves ids to locations, each once and in the order in which they are cited; unknown ids are left out. An id means the same in
 * all prompts of a session, so that a question that sees facts alone can cite what the facts cite.
 */
export function createCitationResolver(
  session: Session,
  shared: readonly PromptExcerpt[],
  excerptsOf: (index: number) => TurnExcerpts | null,
  findings: Pick<FindingExcerpts, 'get'>,
): (ids: readonly string[]) => Evidence[] {
  const sessionEvidence = new Map(shared.map(({ id, evidence }) => [id, evidence]));
  const evidenceOf = (id: string): Evidence | undefined => {
    const [turnPart, number, lastNumber] = TURN_ID.exec(id) ?? [];
    if (turnPart === undefined) return sessionEvidence.get(id);
    const index = Number(number) - 1;
    const turn = session.turns[index];
    if (!turn) return undefined;
    if (turnPart !== id) {
      const finding = findings.get(id);
      if (finding) return finding.evidence;
      const excerpts = excerptsOf(index);
      return excerpts ? allExcerpts(excerpts).find((excerpt) => excerpt.id === id)?.evidence : undefined;
    }
    const note = lastNumber === undefined ? `turn ${number}` : `turns ${number} to ${lastNumber}`;
    const otherFile = turn.file === undefined || turn.file === session.source.file ? {} : { file: turn.file };
    return { pointer: turn.pointer, note, ...otherFile };
  };
  return (ids) => [...new Set(ids)].flatMap((id) => evidenceOf(id) ?? []);
}
