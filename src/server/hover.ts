import type { Hover } from 'vscode-languageserver/node';
import type { Position, Range, RelatedPlace } from '../protocol/messages.ts';
import type { Feature } from './context.ts';
import { type FileView, type SessionInFile, type TurnInFile, viewOf } from './file-view.ts';
import { sessionTitle } from './inline-text.ts';
import { escaped, linkTo, paragraph } from './markdown.ts';
import { scoreLines, unscoredLine } from './score-lines.ts';

/** What was found where the pointer is: on the line of a turn its scores, on what proves a failure the failure. */
export const hover: Feature = ({ connection, results }) => {
  connection.onHover(({ textDocument: { uri }, position }) => {
    const view = uri.startsWith('file:') ? viewOf(uri, results) : null;
    return view && hoverAt(view, position);
  });
  return { hoverProvider: true };
};

export function hoverAt(view: FileView, position: Position): Hover | null {
  const failures = view.sessions
    .flatMap((session) => [...session.failures, ...session.observations])
    .filter(({ place }) => contains(place.range, position));
  // Of places within places, the innermost is meant.
  const smallest = failures.toSorted((a, b) => size(a.place.range) - size(b.place.range))[0];
  const turn = turnAt(view, position);
  const parts = [
    ...failures.filter(({ place }) => size(place.range) === (smallest ? size(smallest.place.range) : 0)).map(foundText),
    ...(turn ? [turnText(turn.session, turn.turn, view)] : []),
  ];
  if (parts.length === 0) return null;
  const range = smallest?.place.range ?? turn?.turn.lineEnd;
  return { contents: { kind: 'markdown', value: parts.join('\n\n---\n\n') }, ...(range ? { range } : {}) };
}

type Found = SessionInFile['failures'][number] | SessionInFile['observations'][number];

function foundText(found: Found): string {
  const head = 'label' in found ? `**${escaped(found.label)}** (${found.severity})` : `**${escaped(found.title)}**`;
  return [`${head}: ${paragraph(found.reason)}`, ...evidence(found.related)].join('\n\n');
}

function evidence(related: readonly RelatedPlace[]): string[] {
  if (related.length === 0) return [];
  return [`Also: ${related.map(({ note, ...place }) => linkTo(place, note)).join(', ')}`];
}

function turnText({ row }: SessionInFile, turn: TurnInFile, { state }: FileView): string {
  const stale = state === 'stale' ? ['*The file has changed since it was evaluated.*'] : [];
  const scored = scoreLines(turn.metrics);
  const silent = unscoredLine(turn.metrics);
  return [
    `**Turn ${turn.index + 1}** of ${escaped(row.id)}: ${escaped(sessionTitle(row))}`,
    ...stale,
    ...turn.failures.map(({ label, severity, reason, place }) => {
      return `✗ ${linkTo(place, label)} (${severity}): ${paragraph(reason)}`;
    }),
    ...(scored.length > 0 ? [scored.join('\n')] : []),
    ...(silent === null ? [] : [silent]),
  ].join('\n\n');
}

/** The turn on whose first line the position is. */
function turnAt(view: FileView, { line }: Position): { session: SessionInFile; turn: TurnInFile } | null {
  for (const session of view.sessions) {
    const turn = session.turns.find(({ range }) => range.start.line === line);
    if (turn) return { session, turn };
  }
  return null;
}

function contains({ start, end }: Range, { line, character }: Position): boolean {
  const isBehindStart = line > start.line || (line === start.line && character >= start.character);
  return isBehindStart && (line < end.line || (line === end.line && character <= end.character));
}

/** Only compared: a line is longer than any number of characters. */
function size({ start, end }: Range): number {
  return (end.line - start.line) * 1e9 + (end.character - start.character);
}
