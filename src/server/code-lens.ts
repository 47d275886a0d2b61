import type { CodeLens, Command } from 'vscode-languageserver/node';
import type { Range } from '../protocol/messages.ts';
import type { Initialization } from '../protocol/settings.ts';
import type { Context, Feature } from './context.ts';
import { type FileView, type SessionInFile, viewOf } from './file-view.ts';
import { sessionTitle, turnTitle } from './inline-text.ts';
import { isTraceByName } from './trace-names.ts';

/** Above each session its verdict, above each turn what is wrong with it. */
export const codeLens: Feature = ({ connection, results, settings }) => {
  connection.onCodeLens(({ textDocument: { uri } }) => lensesOf(uri, results, settings()));
  return { codeLensProvider: {} };
};

const TOP: Range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

export function lensesOf(
  uri: string,
  results: Context['results'],
  { lenses, traces, client }: Pick<Initialization, 'lenses' | 'traces' | 'client'>,
): CodeLens[] {
  if (!lenses || !uri.startsWith('file:')) return [];
  const view = viewOf(uri, results);
  if (!view) return isTraceByName(uri, traces) ? [lens(TOP, evaluation(uri, 'Evaluate with Turnwise'))] : [];
  const groups = view.sessions.flatMap((session) => [ofSession(view, session, client), ...ofTurns(session, client)]);
  const shown = firstOnEachLine(groups);
  return isOneLine(view) ? [...shown, ...formatting(uri, client)] : shown;
}

/** What stands above a session: its verdict, and a way to have it judged again where it has changed. */
function ofSession(view: FileView, { row, range }: SessionInFile, client: Initialization['client']): CodeLens[] {
  if (!range) return [];
  const verdict = lens(range, opening(sessionTitle(row), client, row.key, null));
  return view.state === 'stale' ? [verdict, lens(range, evaluation(view.uri, 'Evaluate again'))] : [verdict];
}

function ofTurns({ row, turns }: SessionInFile, client: Initialization['client']): CodeLens[][] {
  return turns.map((turn) => [lens(turn.range, opening(turnTitle(turn), client, row.key, turn.index))]);
}

/** Several sessions or turns may begin on one line: the first of them speaks for it. */
function firstOnEachLine(groups: readonly (readonly CodeLens[])[]): CodeLens[] {
  const lines = new Map<number, readonly CodeLens[]>();
  for (const group of groups) {
    const line = group[0]?.range.start.line;
    if (line !== undefined && !lines.has(line)) lines.set(line, group);
  }
  return [...lines.values()].flat();
}

/** A file of one line can only be read in a copy that has more. */
function formatting(uri: string, client: Initialization['client']): CodeLens[] {
  const command = { title: 'Format copy', command: 'turnwise.formatCopy', arguments: [uri] };
  return client === 'vscode' ? [lens(TOP, command)] : [];
}

function lens({ start }: Range, command: Command): CodeLens {
  return { range: { start, end: start }, command };
}

function evaluation(uri: string, title: string): Command {
  return { title, command: 'turnwise.evaluate', arguments: [uri] };
}

/** Only an editor with the extension has reports to open. */
function opening(title: string, client: Initialization['client'], session: string, turn: number | null): Command {
  if (client === 'other') return { title, command: '' };
  return { title, command: 'turnwise.openReport', arguments: [{ session, turn }] };
}

function isOneLine({ sessions }: FileView): boolean {
  const ends = sessions.flatMap(({ turns }) => turns.map(({ range }) => range.end.line));
  return ends.length > 1 && ends.every((line) => line === 0);
}
