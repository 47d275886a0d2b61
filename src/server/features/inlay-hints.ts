import { type InlayHint, InlayHintKind } from 'vscode-languageserver/node';
import type { Feature, ServerContext } from '../context.ts';
import { buildFileView, type TurnInFile } from '../results/file-view.ts';
import { hasProblem, turnTitle } from '../text/inline-text.ts';

/** The problems of a turn, at the end of the line on which it begins. */
export const inlayHints: Feature = ({ connection, results, settings }) => {
  connection.languages.inlayHint.on(({ textDocument: { uri }, range: { start, end } }) =>
    settings().inlayHints ? buildInlayHints(uri, results, start.line, end.line) : [],
  );
  return { inlayHintProvider: true };
};

/** @param from the first line. @param to the last line. */
export function buildInlayHints(uri: string, results: ServerContext['results'], from: number, to: number): InlayHint[] {
  const sessions = uri.startsWith('file:') ? (buildFileView(uri, results)?.sessions ?? []) : [];
  const turns = sessions.flatMap((session) => session.turns);
  const seen = turns.filter(({ lineEnd: { start } }) => start.line >= from && start.line <= to);
  const lines = Map.groupBy(seen, ({ lineEnd }) => lineEnd.start.line);
  // A line with several turns gets no hints: the lens above it says how many there are.
  return Array.from(lines.values(), (onLine) =>
    onLine.length === 1 ? onLine.filter(({ summary }) => hasProblem(summary)).map(toInlayHint) : [],
  ).flat();
}

function toInlayHint({ summary: facts, lineEnd }: TurnInFile): InlayHint {
  return { position: lineEnd.start, label: turnTitle(facts), kind: InlayHintKind.Type, paddingLeft: true };
}
