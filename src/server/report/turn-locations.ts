import { fileURLToPath } from 'node:url';
import type { FileLocation, FilePosition } from '../../protocol/messages.ts';
import type { EvaluationResults } from '../results/evaluation-results.ts';

interface TurnStart {
  readonly session: string;
  readonly index: number;
  readonly start: FilePosition;
}

/**
 * The last turn that begins at or before a position: not all formats say where a turn ends. A position before the first turn
 * that begins on its line, such as in the indentation, is in that turn.
 */
export function turnAtPosition(uri: string, position: FilePosition, results: EvaluationResults) {
  let last: TurnStart | null = null;
  let nextOnLine: TurnStart | null = null;
  for (const view of results.sessionsIn(fileURLToPath(uri))) {
    for (const [at, location] of view.turnPlaces.entries()) {
      const index = view.detail.report.turns[at]?.index;
      if (location.uri !== uri || index === undefined) continue;
      const { start } = results.currentLocation(location).range;
      const turn = { session: view.row.key, index, start };
      if (!isAfter(start, position)) {
        if (!last || !isAfter(last.start, start)) last = turn;
      } else if (start.line === position.line && (!nextOnLine || isAfter(nextOnLine.start, start))) {
        nextOnLine = turn;
      }
    }
  }
  const found = last?.start.line === position.line ? last : (nextOnLine ?? last);
  return found && { session: found.session, index: found.index };
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
