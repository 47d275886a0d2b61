import { pathToFileURL } from 'node:url';
import type { Gate as FoundGate, ProblemOccurrence } from '../../core/report.ts';
import { type Coverage, coverage, type Result } from '../../core/result.ts';
import { severityRank } from '../../core/severity.ts';
import { baseName } from '../../input/paths.ts';
import type { FileState, StaleCause } from '../../protocol/messages.ts';
import type { ReportGate, ReportHeader, ReportRun, VerdictReason } from '../../protocol/report.ts';
import type { SessionResultsView } from '../results/session-view.ts';
import { CitationResolver } from './citations.ts';
import { countFacets } from './facets.ts';
import type { FeedbackLookup } from './feedback.ts';
import { MAX_ROWS } from './limits.ts';
import { buildStrip } from './problem-strip.ts';
import { type NamedResult, ownResults, SESSION_RISK, scoreRows, UnscoredCollector } from './scores.ts';
import { finiteOrNull, limitName, limitSentence, toTarget } from './values.ts';

/** How many failures say why, and how many sentences about gates, or about what is missing; and how many of both. */
const MAX_FAILURE_REASONS = 3;
const MAX_REASONS = 4;

/** What is known of a session beside what is held of it. */
export interface HeaderContext {
  readonly edition: number;
  readonly state: FileState;
  readonly changed?: StaleCause;
  /** How many sessions begin in its file. */
  readonly siblings: number;
  readonly feedback: FeedbackLookup;
}

/** What is said of a session before any of its turns is looked at. */
export function buildHeader(
  held: SessionResultsView,
  { edition, state, changed, siblings, feedback: opinionIn }: HeaderContext,
): ReportHeader {
  const { row, file, detail } = held;
  const { report, gates } = detail;
  const facts = sessionTotals(held);
  const parts = { turn: null, citations: new CitationResolver(file, null), feedback: opinionIn };
  return {
    edition,
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
    why: verdictReasons(held),
    failures: row.failures,
    gates: gates.slice(0, MAX_ROWS).map(gateRow),
    coverage: facts.coverage,
    unscored: facts.unscored,
    scores: scoreRows(
      facts.ofSession.filter(([metric]) => metric !== SESSION_RISK),
      parts,
    ),
    judges: facts.judges,
    run: runFacts(held),
    turnsDone: row.turnsDone,
    strip: facts.strip,
    facets: facts.facets,
    siblings,
  };
}

/** What takes a look at all turns. */
interface SessionTotals extends Pick<ReportHeader, 'unscored' | 'judges' | 'strip' | 'facets'> {
  readonly coverage: Coverage;
  readonly ofSession: readonly NamedResult[];
}

/** What is held of a session never changes. */
const KNOWN = new WeakMap<SessionResultsView, SessionTotals>();

function sessionTotals(held: SessionResultsView): SessionTotals {
  const known = KNOWN.get(held) ?? computeTotals(held);
  KNOWN.set(held, known);
  return known;
}

/** In one pass: there may be a million results. */
function computeTotals(held: SessionResultsView): SessionTotals {
  const { report, run } = held.detail;
  const unscored = new UnscoredCollector();
  const judges = new Set(run.judge ? [`${run.judge.provider}/${run.judge.model}`] : []);
  const names = new Set<string>();
  const applied = new Set<string>();
  const counts = { scored: 0, of: 0 };
  const add = (metric: string, result: Result): void => {
    const counted = coverage([result]);
    counts.scored += counted.scored;
    counts.of += counted.of;
    if (result.status !== 'not_applicable') applied.add(metric);
    if (result.judge !== undefined) judges.add(result.judge);
    unscored.add(metric, result);
  };
  for (const { metrics } of report.turns) {
    for (const metric in metrics) {
      const result = metrics[metric];
      if (!result || result.implied) continue;
      names.add(metric);
      add(metric, result);
    }
  }
  // A session's result of a turn metric is the mean of its turns, which are counted.
  const ofSession = ownResults(report.metrics).filter(([metric]) => !names.has(metric));
  for (const [metric, result] of ofSession) add(metric, result);
  return {
    ofSession,
    coverage: counts,
    unscored: unscored.rows(applied),
    judges: [...judges].slice(0, MAX_ROWS).map(limitName),
    strip: buildStrip(held),
    facets: countFacets(held),
  };
}

/** What decides the verdict, or leaves it open, then the worst failures. */
function verdictReasons(held: SessionResultsView): VerdictReason[] {
  const failures = held.detail.found.groups.flatMap(({ occurrences }) => occurrences).sort(bySeverity);
  const decisive = decisiveReasons(held, failures.length > 0).slice(0, MAX_FAILURE_REASONS);
  const room = Math.min(MAX_FAILURE_REASONS, MAX_REASONS - decisive.length);
  return [
    ...decisive.map((text) => ({ sentence: limitSentence(text), turn: null, severity: null, target: null })),
    ...failures.slice(0, room).map(failureReason),
  ];
}

/**
 * Its own gates: those of the run decide of the run.
 *
 * @param hasFailures whether failures are told of: they say more than a gate of severity does.
 */
function decisiveReasons({ row, detail: { gates } }: SessionResultsView, hasFailures: boolean): readonly string[] {
  if (row.verdict === 'undecided') return row.why;
  return gates
    .filter(({ scope, met, metric }) => scope === 'session' && met === false && !(hasFailures && metric === 'severity'))
    .map(({ metric, reason }) => (metric === 'severity' ? reason : `${metric}: ${reason}`));
}

function bySeverity(a: ProblemOccurrence, b: ProblemOccurrence): number {
  return severityRank(b.severity) - severityRank(a.severity) || a.turn - b.turn;
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
    // Of one that goes on it is not known.
    startedAt: startedAt === '' ? null : startedAt,
    durationMs: startedAt === '' ? null : durationMs,
    complete,
    calls: usage.judgeCalls,
    callsCached: usage.judgeCallsCached,
    promptTokens: usage.promptTokens,
    completionTokens: usage.completionTokens,
    cost: usage.cost ?? null,
    ...(undecided.length === 0 ? {} : { undecided: undecided.slice(0, MAX_ROWS).map(limitSentence) }),
  };
}
