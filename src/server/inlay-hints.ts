import { type InlayHint, InlayHintKind } from 'vscode-languageserver/node';
import type { Range } from '../protocol/messages.ts';
import type { Feature } from './context.ts';
import { type TurnInFile, viewOf } from './file-view.ts';
import { turnTitle } from './inline-text.ts';

/** What is wrong with a turn, at the end of the line on which it begins. */
export const inlayHints: Feature = ({ connection, results, settings }) => {
  connection.languages.inlayHint.on(({ textDocument: { uri }, range }) => {
    if (!settings().inlayHints || !uri.startsWith('file:')) return [];
    const turns = (viewOf(uri, results)?.sessions ?? []).flatMap((session) => session.turns);
    const wrong = turns.filter(({ failures, worst }) => failures.length > 0 || worst !== null);
    return wrong.filter(({ lineEnd }) => isWithin(lineEnd, range)).map(hintOf);
  });
  return { inlayHintProvider: true };
};

function hintOf(turn: TurnInFile): InlayHint {
  return { position: turn.lineEnd.start, label: turnTitle(turn), kind: InlayHintKind.Type, paddingLeft: true };
}

function isWithin({ start }: Range, { start: from, end: to }: Range): boolean {
  return start.line >= from.line && start.line <= to.line;
}
