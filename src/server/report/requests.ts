import * as l10n from '@vscode/l10n';
import { memoizeWeak } from '../../core/cache/memoize.ts';
import { turnAt, turnLocation } from '../../protocol/cursor-sync.ts';
import { markdown, prompt } from '../../protocol/panel.ts';
import {
  explanations,
  groupOccurrences,
  problemGroups,
  reportChanges,
  sessionCalls,
  sessionFeedback,
  sessionReport,
  sessionRun,
  signals,
} from '../../protocol/report.ts';
import type { AgentPath } from '../../protocol/report-values.ts';
import { onRequest } from '../../protocol/rpc.ts';
import { timelineRows, timelineSummary } from '../../protocol/timeline.ts';
import { fullText, steps, turns } from '../../protocol/turn-rows.ts';
import { searchTurns } from '../../protocol/turn-search.ts';
import { compareSessionCalls } from '../../report-model/transcript/expected-calls.ts';
import { nestedTurns, type TurnList } from '../../report-model/transcript/nested-turns.ts';
import { textAt } from '../../report-model/transcript/turn-texts.ts';
import { findMatchingTurns } from '../../report-model/turn-search.ts';
import { toAbortSignal } from '../abort-signal.ts';
import type { Feature, ServerContext } from '../context.ts';
import type { SessionResultsView } from '../results/session-results-view.ts';
import { excerpt } from '../text/excerpt.ts';
import { comparedCallRows } from './call-comparison.ts';
import { CitationResolver } from './citations.ts';
import { buildExplanations } from './explanations/explanations.ts';
import { feedbackLookup, hasRecentFeedback, NO_FEEDBACK } from './feedback.ts';
import type { FindingContext } from './findings.ts';
import { groupRows, occurrenceRows } from './groups.ts';
import { buildHeader, headerFacts } from './header.ts';
import { exportMarkdown } from './markdown-export.ts';
import { previewPrompts } from './prompts.ts';
import { SessionRevisions } from './revisions.ts';
import { buildRunDetails } from './run-details.ts';
import { buildSignals } from './signals.ts';
import { stepRows } from './step-rows.ts';
import { summarizeTimeline, timelineEntries } from './timeline.ts';
import type { Transcript } from './transcript.ts';
import { turnLocation as placeNow, turnAtPosition } from './turn-locations.ts';
import { nestedRows, turnRows } from './turn-rows.ts';

/** Answers the requests of the report panel. Each is about a session with results; for any other the answer is empty. */
export const reportRequests: Feature = (context) => {
  const { connection, results, sessionCache, settings } = context;
  const revisions = new SessionRevisions(results.model);
  const facts = memoizeWeak(headerFacts);
  const transcriptOf = async (view: SessionResultsView): Promise<Transcript | null> => {
    const session = await sessionCache.get(view);
    return session && sessionCache.transcript(session);
  };
  const findingContext = async (view: SessionResultsView): Promise<FindingContext> => {
    const transcript = await transcriptOf(view);
    return { citations: new CitationResolver(view.file, transcript), feedback: feedbackLookup(transcript) };
  };
  const transcriptAt = async (key: string): Promise<Transcript | null> => {
    const view = results.session(key);
    return view ? await transcriptOf(view) : null;
  };
  const turnsAt = async (key: string, path: AgentPath = []): Promise<TurnList | null> => {
    const transcript = await transcriptAt(key);
    return transcript && nestedTurns(transcript.session, path);
  };

  onRequest(connection, sessionReport, async ({ session }) => {
    const view = results.session(session);
    if (!view) return { header: null };
    const { state, changed } = results.sessionRow(view);
    const revision = revisions.current(view, versionKey(view, results));
    const sessionsInFile = results.sessionsIn(view.file).filter(({ file }) => file === view.file).length;
    const parts = { revision, state, changed, sessionsInFile, feedback: NO_FEEDBACK };
    return { header: buildHeader(view, facts(results.model(view)), parts) };
  });
  onRequest(connection, sessionFeedback, async ({ session }) => {
    const transcript = await transcriptAt(session);
    return {
      feedback: feedbackLookup(transcript)(null, { type: 'turn' }),
      isCounted: !hasRecentFeedback(transcript),
      isRecorded: results.session(session)?.detail.report.outcome.source === 'recorded',
    };
  });
  onRequest(connection, sessionRun, async ({ session }) => {
    const view = results.session(session);
    const transcript = view ? await transcriptOf(view) : null;
    return { run: view ? buildRunDetails(view, results, transcript?.session ?? null) : null };
  });
  onRequest(connection, reportChanges, ({ session, since }) => {
    const view = results.session(session);
    return view ? revisions.since(view, versionKey(view, results), since) : { revision: 0, turns: null };
  });
  onRequest(connection, signals, ({ session, metrics }) => {
    const view = results.session(session);
    return view ? buildSignals(results.model(view), metrics) : { signals: [], available: [] };
  });
  onRequest(connection, explanations, async ({ session }) => {
    const view = results.session(session);
    if (!view) return { metrics: [], quadrant: null, means: [] };
    return buildExplanations(results.model(view), await findingContext(view));
  });
  onRequest(connection, problemGroups, async ({ session }) => {
    const view = results.session(session);
    if (!view) return { groups: [], groupsOmitted: 0 };
    return groupRows(results.model(view), await findingContext(view));
  });
  onRequest(connection, groupOccurrences, async ({ session, ...page }) => {
    const view = results.session(session);
    if (!view) return { total: 0, rows: [] };
    return occurrenceRows(results.model(view), page, await findingContext(view));
  });
  onRequest(connection, sessionCalls, async ({ session }) => {
    const transcript = await transcriptAt(session);
    const expected = transcript && compareSessionCalls(transcript.session);
    return { expected: expected && comparedCallRows(expected) };
  });
  onRequest(connection, turns, async ({ session, path = [], from, count }) => {
    if (path.length > 0) {
      const nested = await turnsAt(session, path);
      return { rows: nested ? nestedRows(nested, from, count) : [] };
    }
    const view = results.session(session);
    if (!view) return { rows: [] };
    const transcript = await transcriptOf(view);
    const parts = { transcript, feedback: feedbackLookup(transcript) };
    return { rows: turnRows(view.file, results.model(view), parts, from, count) };
  });
  onRequest(connection, steps, async ({ session, path = [], turn: index, from, count }) => {
    const list = await turnsAt(session, path);
    const turn = list?.turns[index];
    if (!list || !turn) return { rows: [], omitted: 0 };
    const calls = path.length === 0 ? ((await transcriptAt(session))?.calls() ?? null) : null;
    const rows = stepRows(turn, { file: turn.file ?? list.file, calls }, from, count);
    return { rows, omitted: Math.max(0, turn.steps.length - from - count) };
  });
  onRequest(connection, timelineSummary, async ({ session }) => {
    const transcript = await transcriptAt(session);
    return { summary: transcript && summarizeTimeline(transcript.timeline()) };
  });
  onRequest(connection, timelineRows, async ({ session, from, count }) => {
    const transcript = await transcriptAt(session);
    return { rows: transcript ? timelineEntries(transcript.timeline(), transcript.session, from, count) : [] };
  });
  onRequest(connection, fullText, async ({ session, path, turn: index, step, field, item, from, count }) => {
    const turn = (await turnsAt(session, path))?.turns[index];
    const text = turn ? textAt(turn, { step, field, item }) : null;
    return { excerpt: text === null ? null : excerpt(text.slice(from), count) };
  });
  onRequest(connection, searchTurns, async ({ session, query }, token) => {
    const view = results.session(session);
    if (!view) return { turns: [], occurrences: 0, hits: [] };
    const transcript = query.text ? await transcriptOf(view) : null;
    using stop = toAbortSignal(token);
    return await findMatchingTurns(results.model(view), transcript?.search ?? null, query, stop.signal);
  });
  onRequest(connection, markdown, async ({ session, ...what }) => {
    const view = results.session(session);
    const transcript = view ? await transcriptOf(view) : null;
    if (!view || !transcript) return { text: null };
    return { text: exportMarkdown(view, results.model(view), transcript.session, what) };
  });
  onRequest(connection, prompt, async ({ session: key, turn, metric }, token) => {
    const view = results.session(key);
    if (!view) return { calls: [], sentences: [SESSION_NOT_FOUND] };
    using stop = toAbortSignal(token);
    const session = await sessionCache.get(view);
    const isTrusted = settings().trusted;
    return previewPrompts(metric, turn, { file: view.file, session, isTrusted, env: process.env, signal: stop.signal });
  });
  onRequest(connection, turnAt, ({ uri, position }) => ({ turn: turnAtPosition(uri, position, results) }));
  onRequest(connection, turnLocation, ({ session, turn }) => ({ location: placeNow(session, turn, results) }));
  return {};
};

const SESSION_NOT_FOUND = l10n.t('The results of this session are no longer available. Evaluate its file again.');

/** Identifies the versions of the files in which a session was evaluated. */
function versionKey(view: SessionResultsView, results: ServerContext['results']): string {
  const texts = results.versionsOf(view);
  return JSON.stringify(view.files.map((path) => texts.get(path)?.stamp?.hash ?? null));
}
