import { fileURLToPath } from 'node:url';
import type { Place, Position } from '../../protocol/messages.ts';
import type { EvaluationResults } from '../results/evaluation-results.ts';

/** The last turn that begins at a position or before: formats say where a turn begins, and not always where it ends. */
export function turnAtPosition(uri: string, position: Position, results: EvaluationResults) {
  let last: { readonly session: string; readonly index: number; readonly start: Position } | null = null;
  for (const held of results.sessionsIn(fileURLToPath(uri))) {
    for (const [at, place] of held.turnPlaces.entries()) {
      const index = held.detail.report.turns[at]?.index;
      if (place.uri !== uri || index === undefined) continue;
      const { start } = results.currentLocation(place).range;
      if (isAfter(start, position) || (last && isAfter(last.start, start))) continue;
      last = { session: held.row.key, index, start };
    }
  }
  return last && { session: last.session, index: last.index };
}

export function turnLocation(session: string, turn: number, results: EvaluationResults): Place | null {
  const held = results.session(session);
  const at = held?.detail.report.turns.findIndex(({ index }) => index === turn) ?? -1;
  const place = held?.turnPlaces[at];
  return place ? results.currentLocation(place) : null;
}

function isAfter(a: Position, b: Position): boolean {
  return a.line > b.line || (a.line === b.line && a.character > b.character);
}
