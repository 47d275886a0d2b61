import { type InlayHint, InlayHintKind } from 'vscode-languageserver/node';
import type { Context, Feature } from '../context.ts';
import { type TurnInFile, viewOf } from '../held/file-view.ts';
import { turnTitle } from '../wording/inline-text.ts';

/** What is wrong with a turn, at the end of the line on which it begins. */
export const inlayHints: Feature = ({ connection, results, settings }) => {
  connection.languages.inlayHint.on(({ textDocument: { uri }, range: { start, end } }) =>
    settings().inlayHints ? hintsOf(uri, results, start.line, end.line) : [],
  );
  return { inlayHintProvider: true };
};

/** @param from the first line that is looked at. @param to the last one. */
export function hintsOf(uri: string, results: Context['results'], from: number, to: number): InlayHint[] {
  const sessions = uri.startsWith('file:') ? (viewOf(uri, results)?.sessions ?? []) : [];
  const turns = sessions.flatMap((session) => session.turns);
  const seen = turns.filter(({ lineEnd: { start } }) => start.line >= from && start.line <= to);
  const lines = Map.groupBy(seen, ({ lineEnd }) => lineEnd.start.line);
  // A line with several turns would end in a heap of hints: the lens above it says how many there are.
  return Array.from(lines.values(), (onLine) => (onLine.length === 1 ? onLine.filter(isWrong).map(hintOf) : [])).flat();
}

function isWrong({ facts: { failures, worst } }: TurnInFile): boolean {
  return failures.length > 0 || worst !== null;
}

function hintOf({ facts, lineEnd }: TurnInFile): InlayHint {
  return { position: lineEnd.start, label: turnTitle(facts), kind: InlayHintKind.Type, paddingLeft: true };
}
