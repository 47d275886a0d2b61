import * as l10n from '@vscode/l10n';
import { memoizeWeak } from '../../core/cache/memoize.ts';
import { NO_FEEDBACK } from '../../panel/feedback.ts';
import { buildHeader, headerFacts } from '../../panel/header.ts';
import { buildRunDetails, type RunSources } from '../../panel/run-details.ts';
import { buildSignals } from '../../panel/signals.ts';
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
import { onRequest, type RequestType } from '../../protocol/rpc.ts';
import { timelineRows, timelineSummary } from '../../protocol/timeline.ts';
import { fullText, steps, turns } from '../../protocol/turn-rows.ts';
import { searchTurns } from '../../protocol/turn-search.ts';
import type { Feature, ServerContext } from '../context.ts';
import type { SessionResultsView } from '../results/session-results-view.ts';
import type { ContentAnswer, ContentParams, ContentRequest } from './content-requests.ts';
import { SessionRevisions } from './revisions.ts';
import { turnLocation as placeNow, turnAtPosition } from './turn-locations.ts';

/** Answers the requests of the report panel. Each is about a session with results; for any other the answer is empty. */
export const reportRequests: Feature = (context) => {
  const { connection, results, contents } = context;
  const revisions = new SessionRevisions(results.model);
  const facts = memoizeWeak(headerFacts);
  /** Answers a request about the content of a session; with `none` where it has no results. */
  const onContent = <Params extends { readonly session: string }, Result, Name extends ContentRequest>(
    type: RequestType<Params, Result>,
    name: Name,
    none: NoInfer<Result>,
    toParams: (params: Params) => ContentParams<Name>,
    toResult: (answer: ContentAnswer<Name>, view: SessionResultsView) => NoInfer<Result>,
  ) =>
    onRequest(connection, type, async (params, token) => {
      const view = results.session(params.session);
      return view ? toResult(await contents.ask(name, view, toParams(params), token), view) : none;
    });

  onRequest(connection, sessionReport, async ({ session }) => {
    const view = results.session(session);
    if (!view) return { header: null };
    const { state, changed } = results.sessionRow(view);
    const revision = revisions.current(view, versionKey(view, results));
    const sessionsInFile = results.sessionsIn(view.file).filter(({ file }) => file === view.file).length;
    const parts = { revision, state, changed, sessionsInFile, feedback: NO_FEEDBACK };
    return { header: buildHeader(view, facts(results.model(view)), parts) };
  });
  onRequest(connection, reportChanges, ({ session, since }) => {
    const view = results.session(session);
    return view ? revisions.since(view, versionKey(view, results), since) : { revision: 0, turns: null };
  });
  onRequest(connection, signals, ({ session, metrics }) => {
    const view = results.session(session);
    return view ? buildSignals(results.model(view), metrics) : { signals: [], available: [] };
  });
  onRequest(connection, turnAt, ({ uri, position }) => ({ turn: turnAtPosition(uri, position, results) }));
  onRequest(connection, turnLocation, ({ session, turn }) => ({ location: placeNow(session, turn, results) }));

  const same = <T>(value: T): T => value;
  const NO_ROWS = { rows: [] };
  onContent(
    sessionFeedback,
    'feedback',
    { feedback: null, isCounted: true, isRecorded: false },
    same,
    (answer, { detail }) => ({ ...answer, isRecorded: detail.report.outcome.source === 'recorded' }),
  );
  onContent(sessionRun, 'tools', { run: null }, same, (tools, view) => ({
    run: buildRunDetails(view, { ...runSources(view, results), tools }),
  }));
  onContent(explanations, 'explanations', { metrics: [], quadrant: null, means: [] }, same, same);
  onContent(problemGroups, 'groups', { groups: [], groupsOmitted: 0 }, same, same);
  onContent(groupOccurrences, 'occurrences', { total: 0, rows: [] }, same, same);
  onContent(sessionCalls, 'calls', { expected: null }, same, same);
  onContent(turns, 'turns', NO_ROWS, same, same);
  onContent(steps, 'steps', { rows: [], omitted: 0 }, same, same);
  onContent(timelineSummary, 'timelineSummary', { summary: null }, same, same);
  onContent(timelineRows, 'timelineRows', NO_ROWS, same, same);
  onContent(fullText, 'fullText', { excerpt: null }, same, same);
  onContent(searchTurns, 'search', { turns: [], occurrences: 0, hits: [] }, same, same);
  onContent(markdown, 'markdown', { text: null }, same, same);
  onContent(prompt, 'prompts', { calls: [], sentences: [SESSION_NOT_FOUND] }, same, same);
  return {};
};

const SESSION_NOT_FOUND = l10n.t('The results of this session are no longer available. Evaluate its file again.');

/** What a session was evaluated with, as far as it is in files. */
function runSources(view: SessionResultsView, results: ServerContext['results']): Omit<RunSources, 'tools'> {
  const inputs = [...results.versionsOf(view).values()].map((version) => version.inputs);
  const own = new Set(view.files);
  return {
    configurations: inputs.flatMap(({ above }) => [...above.keys()]),
    companions: inputs.flatMap(({ beside }) => [...beside.keys()]),
    warnings: results.problems
      .filter(({ file }) => own.has(file))
      .map(({ row: { severity, message, location } }) => ({
        severity,
        message,
        line: location.range.start.line + 1,
      })),
  };
}

/** Identifies the versions of the files in which a session was evaluated. */
function versionKey(view: SessionResultsView, results: ServerContext['results']): string {
  const texts = results.versionsOf(view);
  return JSON.stringify(view.files.map((path) => texts.get(path)?.stamp?.hash ?? null));
}
