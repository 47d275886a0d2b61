import { pathToFileURL } from 'node:url';
import { sessionKey } from '../../protocol/panel.ts';
import { parsePersistedResults, serializePersistedResults } from './persisted-results.ts';
import type { ResultRows } from './session-results-view.ts';

/** Results as if their file had always had its new path. */
export function rewritePaths({ sessions, problems }: ResultRows, from: string, to: string): ResultRows {
  const uris = { from: pathToFileURL(from).href, to: pathToFileURL(to).href };
  const renaming = (key: string, value: unknown): unknown => {
    if (key === 'file' && value === from) return to;
    if (key === 'uri' && value === uris.from) return uris.to;
    return value;
  };
  // Wherever results name a file, it is under one of these keys, or in a session's list of files.
  const copy = parsePersistedResults(
    serializePersistedResults({ sessions, problems, texts: [], beside: [], above: [] }, renaming),
  );
  if (!copy) return { sessions: [], problems: [] };
  return {
    problems: copy.problems,
    sessions: copy.sessions.map((session) => ({
      ...session,
      row: { ...session.row, key: sessionKey(session.row.location.uri, session.row.id) },
      files: session.files.map((path) => (path === from ? to : path)),
    })),
  };
}
