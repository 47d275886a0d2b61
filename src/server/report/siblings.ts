import type { Sibling } from '../../protocol/report.ts';
import type { Results } from '../held/results.ts';
import type { HeldSession } from '../held/rows.ts';
import { name } from './values.ts';

/** The sessions that begin in the file of one, as they stand in it. */
export function siblingsOf(held: HeldSession, results: Results): readonly HeldSession[] {
  const there = results.sessionsIn(held.file).filter(({ file }) => file === held.file);
  return there.toSorted(byPlace);
}

function byPlace({ row: { place: a } }: HeldSession, { row: { place: b } }: HeldSession): number {
  return a.range.start.line - b.range.start.line || a.range.start.character - b.range.start.character;
}

export function siblingRow({ row }: HeldSession): Sibling {
  const { key, id, verdict, risk, turns, failures, headline } = row;
  return { key, id: name(id), verdict, risk, turns, failures, headline: headline === null ? null : name(headline) };
}
