import { pathToFileURL } from 'node:url';
import type { Gate as FoundGate, ProblemOccurrence } from '../../core/report.ts';
import { baseName } from '../../input/paths.ts';
import type { FileState, StaleCause } from '../../protocol/messages.ts';
import type { Facets, ReportGate, ReportHeader, ReportRun, VerdictReason } from '../../protocol/report.ts';
import { SESSION_RISK } from '../../report-model/metric-results.ts';
import type { SessionModel } from '../../report-model/session-model.ts';
import { countTurnFilters, type FilterChoice, type TurnFilters } from '../../report-model/turn-filters.ts';
import { verdictReasons } from '../../report-model/verdict-causes.ts';
import type { SessionResultsView } from '../results/session-results-view.ts';
import { causeText } from '../text/cause-text.ts';
import { CitationResolver } from './citations.ts';
import type { FeedbackLookup } from './feedback.ts';
import { MAX_ROWS } from './limits.ts';
import { buildStrip } from './problem-strip.ts';
import { scoreRows, unscoredRows } from './scores.ts';
import { finiteOrNull, limitName, limitSentence, toTarget } from './values.ts';

/** Limits of the header: problems, sentences about gates or missing results, and both together. */
const MAX_FAILURE_REASONS = 3;
const MAX_REASONS = 4;

/** What a header needs besides the session's results. */
export interface HeaderContext {
  readonly revision: number;
  readonly state: FileState;
  readonly changed?: StaleCause;
  /** How many sessions begin in its file. */
  readonly sessionsInFile: number;
  readonly feedback: FeedbackLookup;
}

/** What the panel shows of a session before any turn is loaded. */
export function buildHeader(
  view: SessionResultsView,
  facts: HeaderFacts,
  { revision, state, changed, sessionsInFile, feedback }: HeaderContext,
): ReportHeader {
  const { row, file, detail } = view;
  const { report, gates } = detail;
  const parts = { turn: null, citations: new CitationResolver(file, null), feedback };
  return {
    revision,
    key: row.key,
    id: limitName(row.id),
    file: { name: limitName(baseName(file)), uri: pathToFileURL(file).href },
    format: report.source.format,
    target: toTarget(file, report.source.pointer),
    state,
    changed,
    verdict: row.verdict,
    risk: row.risk,
    riskReason: row.riskReason === null ? null : limitSentence(row.riskReason),
    why: headerReasons(view),
    problems: row.problems,
    gates: gates.slice(0, MAX_ROWS).map(gateRow),
    coverage: facts.coverage,
    unscored: facts.unscored,
    scores: scoreRows(
      facts.sessionResults.filter(([metric]) => metric !== SESSION_RISK),
      parts,
    ),
    judges: facts.judges,
    run: runFacts(view),
    turnsDone: row.turnsDone,
    strip: facts.strip,
    facets: facts.facets,
    sessionsInFile,
  };
}

/** The parts of a header that need a pass over all turns. */
export type HeaderFacts = ReturnType<typeof headerFacts>;

export function headerFacts(model: SessionModel) {
  const { coverage, missing, judges, sessionResults } = model.totals();
  return {
    sessionResults,
    coverage,
    unscored: unscoredRows(missing),
    judges: judges.slice(0, MAX_ROWS).map(limitName),
    strip: buildStrip(model),
    facets: buildFacets(countTurnFilters(model)),
  };
}

function buildFacets({ metrics, labels, severities, statuses, belowThreshold }: TurnFilters): Facets {
  const limit = (choices: readonly FilterChoice[]) =>
    choices.slice(0, MAX_ROWS).map(({ name, turns }) => ({ name: limitName(name), turns }));
  return {
    metrics: limit(metrics),
    labels: limit(labels),
    severities: limit(severities),
    statuses: limit(statuses),
    belowThreshold,
  };
}

/** What decides the verdict or leaves it undecided, then the worst problems. */
function headerReasons({ detail: { report, gates, found } }: SessionResultsView): VerdictReason[] {
  const { causes, problems } = verdictReasons({ report, gates }, found);
  const listedCauses = causes.slice(0, MAX_FAILURE_REASONS);
  const room = Math.min(MAX_FAILURE_REASONS, MAX_REASONS - listedCauses.length);
  return [
    ...listedCauses.map((cause) => ({
      sentence: limitSentence(causeText(cause)),
      turn: null,
      severity: null,
      target: null,
    })),
    ...problems.slice(0, room).map(failureReason),
  ];
}

function failureReason({ severity, reason, turn, file, pointer }: ProblemOccurrence): VerdictReason {
  return { sentence: limitSentence(reason), turn, severity, target: toTarget(file, pointer) };
}

function gateRow({ scope, metric, threshold, actual, met, reason }: FoundGate): ReportGate {
  return {
    scope,
    metric: limitName(metric),
    threshold,
    actual: typeof actual === 'number' ? finiteOrNull(actual) : actual,
    met,
    reason: limitSentence(reason),
  };
}

function runFacts({ detail: { run, undecided = [] } }: SessionResultsView): ReportRun {
  const { startedAt, durationMs, complete, usage } = run;
  return {
    // Unknown while the evaluation runs.
    startedAt: startedAt === '' ? null : startedAt,
    durationMs: startedAt === '' ? null : durationMs,
    complete,
    judgeCalls: usage.judgeCalls,
    judgeCallsCached: usage.judgeCallsCached,
    promptTokens: usage.promptTokens,
    completionTokens: usage.completionTokens,
    cost: usage.cost ?? null,
    ...(undecided.length === 0 ? {} : { undecided: undecided.slice(0, MAX_ROWS).map(limitSentence) }),
  };
}
