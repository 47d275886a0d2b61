import type { Gate as FoundGate } from '../core/report.ts';
import { baseName } from '../input/paths.ts';
import type { FileState, StaleCause } from '../protocol/messages.ts';
import type { Facets, HeaderProblem, ReportGate, ReportHeader, ReportRun } from '../protocol/report.ts';
import { SESSION_RISK } from '../report-model/metric-results.ts';
import { bySeverity } from '../report-model/session-findings.ts';
import { contradictingOutcome } from '../report-model/session-headline.ts';
import type { SessionModel } from '../report-model/session-model.ts';
import { countTurnFilters, type FilterChoice, type TurnFilters } from '../report-model/turn-filters.ts';
import { problemsInTurn } from '../report-model/turn-overview.ts';
import { missedCallText } from './call-comparison.ts';
import { CitationResolver } from './citations.ts';
import type { FeedbackLookup } from './feedback.ts';
import { MAX_ROWS } from './limits.ts';
import type { PanelSession } from './panel-session.ts';
import { buildStrip } from './problem-strip.ts';
import { scoreRows, unscoredRows } from './scores.ts';
import { toTarget, toUri } from './targets.ts';
import { finiteOrNull, limitName, limitSentence } from './values.ts';

/** Limit of problems that the header names. */
const MAX_WORST = 3;

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
  view: PanelSession,
  facts: HeaderFacts,
  { revision, state, changed, sessionsInFile, feedback }: HeaderContext,
): ReportHeader {
  const { row, file, detail } = view;
  const { report, gates } = detail;
  const contradiction = contradictingOutcome({ headline: row.headline, outcome: report.outcome });
  const parts = { turn: null, citations: new CitationResolver(file, null), feedback };
  return {
    revision,
    key: row.key,
    id: limitName(row.id),
    file: { name: limitName(baseName(file)), uri: toUri(file) },
    format: report.source.format,
    target: toTarget(file, report.source.pointer),
    state,
    changed,
    headline: { ...row.headline, text: limitSentence(row.headline.text) },
    outcome: row.outcome,
    ...(contradiction === null ? {} : { contradiction: limitSentence(contradiction) }),
    verdict: row.verdict,
    risk: row.risk,
    riskLevel: row.riskLevel,
    riskReason: row.riskReason === null ? null : limitSentence(row.riskReason),
    worst: facts.worst,
    ...missedCallsOf(view),
    problems: row.problems,
    gates: gates.slice(0, MAX_ROWS).map(gateRow),
    coverage: facts.coverage,
    unscored: facts.unscored,
    scores: scoreRows(
      facts.sessionResults.filter(([metric]) => metric !== SESSION_RISK),
      parts,
    ),
    judges: facts.judges,
    judgedTasks: facts.judgedTasks,
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
  const { coverage, missing, judges, judgedTasks, sessionResults } = model.totals();
  return {
    sessionResults,
    coverage,
    unscored: unscoredRows(missing),
    judges: judges.slice(0, MAX_ROWS).map(limitName),
    judgedTasks,
    strip: buildStrip(model),
    facets: buildFacets(countTurnFilters(model)),
    worst: worstProblems(model),
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

/** The most severe problems, with their positions in the rows of their turns. */
function worstProblems(model: SessionModel): HeaderProblem[] {
  const titles = model.problemTitles();
  return [...model.findingsByTurn().failures.keys()]
    .flatMap((turn) =>
      problemsInTurn(model, turn).map((problem, position) => {
        const { severity, label } = problem;
        return { turn, position, severity, title: limitSentence(titles.get(problem) ?? label) };
      }),
    )
    .sort((a, b) => bySeverity(a, b) || a.turn - b.turn)
    .slice(0, MAX_WORST);
}

function missedCallsOf({ detail: { facts } }: PanelSession): Pick<ReportHeader, 'missedCalls'> {
  const missed = facts?.missedCalls ?? [];
  return missed.length === 0 ? {} : { missedCalls: missed.slice(0, MAX_WORST).map(missedCallText) };
}

export function gateRow({ scope, metric, threshold, actual, met, reason }: FoundGate): ReportGate {
  return {
    scope,
    metric: limitName(metric),
    threshold,
    actual: typeof actual === 'number' ? finiteOrNull(actual) : actual,
    met,
    reason: limitSentence(reason),
  };
}

function runFacts({ detail: { run, report, undecided = [] } }: PanelSession): ReportRun {
  const reasons = [...new Set([...(report.undecided ?? []), ...undecided])];
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
    ...(reasons.length === 0 ? {} : { undecided: reasons.slice(0, MAX_ROWS).map(limitSentence) }),
  };
}
