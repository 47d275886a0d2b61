import { pathToFileURL } from 'node:url';
import { sessionKey } from '../../protocol/panel.ts';
import { readKept, writeKept } from './kept.ts';
import type { Rows } from './rows.ts';

/** What was found, as if its file had always had its new name. */
export function renamed({ sessions, problems }: Rows, from: string, to: string): Rows {
  const uris = { from: pathToFileURL(from).href, to: pathToFileURL(to).href };
  const renaming = (key: string, value: unknown): unknown => {
    if (key === 'file' && value === from) return to;
    if (key === 'uri' && value === uris.from) return uris.to;
    return value;
  };
  // Wherever a file is named in what is held, it is under one of these names, and in the list of a session's files.
  const copy = readKept(writeKept({ sessions, problems, texts: [], beside: [], above: [] }, renaming));
  if (!copy) return { sessions: [], problems: [] };
  return {
    problems: copy.problems,
    sessions: copy.sessions.map((session) => ({
      ...session,
      row: { ...session.row, key: sessionKey(session.row.place.uri, session.row.id) },
      files: session.files.map((path) => (path === from ? to : path)),
    })),
  };
}
