import { fileURLToPath } from 'node:url';
import type { FileLocation, FilePosition } from '../../protocol/messages.ts';
import type { EvaluationResults } from '../results/evaluation-results.ts';

/** The last turn that begins at or before a position: not all formats say where a turn ends. */
export function turnAtPosition(uri: string, position: FilePosition, results: EvaluationResults) {
  let last: { readonly session: string; readonly index: number; readonly start: FilePosition } | null = null;
  for (const view of results.sessionsIn(fileURLToPath(uri))) {
    for (const [at, location] of view.turnPlaces.entries()) {
      const index = view.detail.report.turns[at]?.index;
      if (location.uri !== uri || index === undefined) continue;
      const { start } = results.currentLocation(location).range;
      if (isAfter(start, position) || (last && isAfter(last.start, start))) continue;
      last = { session: view.row.key, index, start };
    }
  }
  return last && { session: last.session, index: last.index };
}

export function turnLocation(session: string, turn: number, results: EvaluationResults): FileLocation | null {
  const view = results.session(session);
  const at = view?.detail.report.turns.findIndex(({ index }) => index === turn) ?? -1;
  const location = view?.turnPlaces[at];
  return location ? results.currentLocation(location) : null;
}

function isAfter(a: FilePosition, b: FilePosition): boolean {
  return a.line > b.line || (a.line === b.line && a.character > b.character);
}
