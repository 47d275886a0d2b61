import type { Session } from '../../core/session.ts';
import { turnAt, turnLocation } from '../../protocol/cursor-sync.ts';
import { markdown, prompt } from '../../protocol/panel.ts';
import {
  explanations,
  fileSessions,
  groupOccurrences,
  problemGroups,
  reportChanges,
  sessionReport,
  signals,
} from '../../protocol/report.ts';
import { type CancellationToken, onRequest } from '../../protocol/rpc.ts';
import { fullText, steps, turns } from '../../protocol/turn-rows.ts';
import { searchTurns } from '../../protocol/turn-search.ts';
import type { Feature, ServerContext } from '../context.ts';
import type { SessionResultsView } from '../results/session-view.ts';
import { excerpt } from '../text/excerpt.ts';
import { CitationResolver } from './citations.ts';
import { buildExplanations } from './explanations/explanations.ts';
import { feedbackLookup, NO_FEEDBACK } from './feedback.ts';
import { fileSessionRow, listFileSessions } from './file-sessions.ts';
import type { FindingContext } from './findings.ts';
import { groupRows, occurrenceRows } from './groups.ts';
import { buildHeader } from './header.ts';
import { exportMarkdown } from './markdown-export.ts';
import { nestedTurns } from './nested-turns.ts';
import { previewPrompts } from './prompts.ts';
import { SessionRevisions } from './revisions.ts';
import { findMatchingTurns } from './search.ts';
import { buildSignals } from './signals.ts';
import { stepRows } from './step-rows.ts';
import { textAt } from './step-texts.ts';
import { turnLocation as placeNow, turnAtPosition } from './turn-locations.ts';
import { nestedRows, turnRows } from './turn-rows.ts';

/** What the report panel asks, each question about a session that is held; of others the answer is that nothing is there. */
export const reportRequests: Feature = (context) => {
  const { connection, results, sessionCache: transcripts, settings } = context;
  const editions = new SessionRevisions();
  const textsOf = (held: SessionResultsView) => versionKey(held, results);
  const read = async (held: SessionResultsView): Promise<Session | null> => transcripts.get(held);
  const findingParts = (held: SessionResultsView, session: Session | null): FindingContext => ({
    citations: new CitationResolver(held.file, session),
    feedback: feedbackLookup(session),
  });

  onRequest(connection, sessionReport, async ({ session }) => {
    const held = results.session(session);
    if (!held) return { header: null };
    const { state, changed } = results.sessionRow(held);
    const edition = editions.current(held, textsOf(held));
    const all = listFileSessions(held, results);
    return { header: buildHeader(held, { edition, state, changed, siblings: all.length, feedback: NO_FEEDBACK }) };
  });
  onRequest(connection, reportChanges, ({ session, since }) => {
    const held = results.session(session);
    return held ? editions.since(held, textsOf(held), since) : { edition: 0, turns: null };
  });
  onRequest(connection, fileSessions, ({ session, offset, limit }) => {
    const held = results.session(session);
    const all = held ? listFileSessions(held, results) : [];
    const at = held ? Math.max(0, all.indexOf(held)) : 0;
    return { total: all.length, at, rows: all.slice(offset, offset + limit).map(fileSessionRow) };
  });
  onRequest(connection, signals, ({ session, metrics }) => {
    const held = results.session(session);
    return held ? buildSignals(held, metrics) : { signals: [], available: [] };
  });
  onRequest(connection, explanations, async ({ session }) => {
    const held = results.session(session);
    if (!held) return { metrics: [], quadrant: null, means: [] };
    return buildExplanations(held, findingParts(held, await read(held)));
  });
  onRequest(connection, problemGroups, async ({ session }) => {
    const held = results.session(session);
    if (!held) return { groups: [], groupsOmitted: 0 };
    return groupRows(held, findingParts(held, await read(held)));
  });
  onRequest(connection, groupOccurrences, async ({ session, ...wanted }) => {
    const held = results.session(session);
    if (!held) return { total: 0, rows: [] };
    return occurrenceRows(held, wanted, findingParts(held, await read(held)));
  });
  onRequest(connection, turns, async ({ session, path = [], from, count }) => {
    const held = results.session(session);
    if (!held) return { rows: [] };
    const transcript = await read(held);
    if (path.length === 0) {
      const parts = { session: transcript, feedback: feedbackLookup(transcript) };
      return { rows: turnRows(held, parts, from, count) };
    }
    const level = transcript && nestedTurns(transcript, path);
    return { rows: level ? nestedRows(level, from, count) : [] };
  });
  onRequest(connection, steps, async ({ session, path = [], turn: index, from, count }) => {
    const held = results.session(session);
    const transcript = held ? await read(held) : null;
    const level = transcript && nestedTurns(transcript, path);
    const turn = level?.turns[index];
    if (!level || !turn) return { rows: [], omitted: 0 };
    const rows = stepRows(turn, turn.file ?? level.file, from, count);
    return { rows, omitted: Math.max(0, turn.steps.length - from - count) };
  });
  onRequest(connection, fullText, async ({ session, path = [], turn, step, field, item, from, count }) => {
    const held = results.session(session);
    const transcript = held ? await read(held) : null;
    const there = transcript && nestedTurns(transcript, path)?.turns[turn];
    const whole = there ? textAt(there, { step, field, item }) : null;
    return { excerpt: whole === null ? null : excerpt(whole.slice(from), count) };
  });
  onRequest(connection, searchTurns, async ({ session, wanted }, token) => {
    const held = results.session(session);
    if (!held) return { turns: [], occurrences: 0, hits: [] };
    return findMatchingTurns(held, wanted.text ? await read(held) : null, wanted, token);
  });
  onRequest(connection, markdown, async ({ session, turn }) => {
    const held = results.session(session);
    const transcript = held ? await read(held) : null;
    return { text: held && transcript ? exportMarkdown(held, transcript, turn) : null };
  });
  onRequest(connection, prompt, async ({ session: key, turn, metric }, token) => {
    const held = results.session(key);
    if (!held) return { calls: [], sentences: ['The results of this session are not there any more.'] };
    using stop = toAbortSignal(token);
    const session = await read(held);
    const isTrusted = settings().trusted;
    return previewPrompts(metric, turn, { file: held.file, session, isTrusted, env: process.env, signal: stop.signal });
  });
  onRequest(connection, turnAt, ({ uri, position }) => ({ turn: turnAtPosition(uri, position, results) }));
  onRequest(connection, turnLocation, ({ session, turn }) => ({ place: placeNow(session, turn, results) }));
  return {};
};

/** Tells the texts in which a session was found from others of the same files. */
function versionKey(held: SessionResultsView, results: ServerContext['results']): string {
  const texts = results.versionsOf(held);
  return JSON.stringify(held.files.map((path) => texts.get(path)?.stamp?.hash ?? null));
}

function toAbortSignal(token: CancellationToken): { readonly signal: AbortSignal } & Disposable {
  const stop = new AbortController();
  const listener = token.onCancellationRequested(() => stop.abort());
  return { signal: stop.signal, [Symbol.dispose]: () => listener.dispose() };
}
