import type { SessionReport } from '../../core/report.ts';
import type { Evidence, Result } from '../../core/result.ts';
import { judgedShortfalls } from '../../report-model/shortfall.ts';
import type { PointerLineLocator } from '../report-writer.ts';
import { sanitizeLine } from '../terminal-text.ts';

/** `path:line`, which terminals turn into links. */
export function formatLocation(file: string, line: number | null): string {
  const path = file === '-' ? 'standard input' : sanitizeLine(file);
  return line === null ? path : `${path}:${line}`;
}

/** The location of a score's first evidence; null if it has none. */
export type EvidenceLocation = (result: Result) => string | null;

/** Locations of a judge's scores below their thresholds, by session. Lines are found in one pass over each file. */
export function locateEvidence(
  sessions: readonly SessionReport[],
  locator: PointerLineLocator | undefined,
): (session: SessionReport) => EvidenceLocation {
  const proofs = sessions.flatMap((session) =>
    [session, ...session.turns]
      .flatMap(({ metrics }) => judgedShortfalls(metrics))
      .flatMap(({ result: { evidence } }) =>
        evidence[0] ? [{ evidence: evidence[0], file: evidenceFile(evidence[0], session) }] : [],
      ),
  );
  const keyOf = (file: string, pointer: string) => JSON.stringify([file, pointer]);
  const places = new Map<string, string>();
  for (const [file, fileProofs] of Map.groupBy(proofs, (proof) => proof.file)) {
    const lines = locator?.locate(
      file,
      fileProofs.map(({ evidence }) => evidence.pointer),
    );
    for (const { evidence } of fileProofs)
      places.set(keyOf(file, evidence.pointer), formatLocation(file, lines?.get(evidence.pointer)?.line ?? null));
  }
  return (session) =>
    ({ evidence: [first] }) =>
      (first && places.get(keyOf(evidenceFile(first, session), first.pointer))) ?? null;
}

function evidenceFile({ file }: Evidence, { source }: SessionReport): string {
  return file ?? source.file;
}

/** Whether a path contains an id as a whole word. */
export function containsId(path: string, id: string): boolean {
  for (let at = path.indexOf(id); at >= 0; at = path.indexOf(id, at + 1)) {
    const around = `${path[at - 1] ?? ''}${path[at + id.length] ?? ''}`;
    if (!/[\p{L}\p{N}]/u.test(around)) return true;
  }
  return false;
}
