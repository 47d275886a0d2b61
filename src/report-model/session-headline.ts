import type { AgentOutcome, Gate, Headline, SessionReport, TurnReport } from '../core/report.ts';
import type { ScoreRange } from '../core/scale.ts';
import { formatScoreWithScale } from '../core/score-text.ts';
import type { MissingResult } from '../core/session-outcome.ts';
import { isAtLeast, type Severity, severityRank } from '../core/severity.ts';
import { pluralize } from '../core/text/pluralize.ts';
import { EXPECTATIONS_GATE } from './agent-outcome.ts';
import { inSentence } from './problem-titles.ts';
import { unmetGates } from './verdict-causes.ts';

/** A finding or failure label that counts against the agent. */
export interface HeadlineProblem {
  readonly title: string;
  readonly severity: Severity;
  /** Zero-based. */
  readonly turn: number;
}

export interface HeadlineFacts {
  readonly outcome: AgentOutcome;
  readonly problems: readonly HeadlineProblem[];
  readonly report: Pick<SessionReport, 'metrics'> & {
    readonly verdict: SessionReport['verdict'];
    readonly turns: readonly Pick<TurnReport, 'index' | 'metrics'>[];
  };
  /** The session's own gates, and the thresholds of its run. */
  readonly gates: readonly Gate[];
  /** What is missing of the session because of an outage or an abort. */
  readonly missing: readonly (Pick<MissingResult, 'code' | 'count'> & { readonly isUnfit?: boolean })[];
  /** Problems of this severity or above fail the session. */
  readonly limit: Severity;
  /** Metrics whose threshold the user set apart from a gate. */
  readonly ownThresholds: ReadonlySet<string>;
  /** False where nothing of the session was recorded. */
  readonly isRecorded: boolean;
  /** Whether it only says what is expected, without a recording. */
  readonly isTestCase: boolean;
}

/**
 * What every view says of a session first. In this order: it failed, it is undecided, it has problems, the agent did its
 * job, nothing is known against it. Gates are for CI and appear only where a threshold of the user's is missed.
 */
export function sessionHeadline(facts: HeadlineFacts): Headline {
  return failure(facts) ?? undecided(facts) ?? problemsFound(facts) ?? success(facts);
}

function failure({ outcome, problems, report, gates, limit, ownThresholds }: HeadlineFacts): Headline | null {
  const worst = worstProblem(problems);
  const severe = worst && isAtLeast(worst.severity, limit) ? worst : null;
  const missed = missedThresholds({ report, gates }, ownThresholds)[0];
  const turn = severe?.turn ?? missed?.turn ?? worst?.turn ?? null;
  if (outcome.status === 'failed') return { kind: 'failed', text: `Failed: ${outcome.reason}`, turn };
  const unmet = gates.find(({ metric, met }) => metric === EXPECTATIONS_GATE && met === false);
  if (unmet) return { kind: 'failed', text: `Failed: ${unmet.reason}`, turn };
  if (severe) return { kind: 'failed', text: `Failed: ${inSentence(severe.title)} (${turnText(severe.turn)})`, turn };
  if (!missed) return null;
  return { kind: 'failed', text: `Failed: ${missed.text}`, turn };
}

/** A score that misses a threshold of the user's. It is a problem. */
interface MissedThreshold {
  readonly metric: string;
  /** `faithfulness 0.40 / 1, required 0.80 (turn 2)`. */
  readonly text: string;
  /** Zero-based; null for a score of the whole session. */
  readonly turn: number | null;
}

/** Thresholds that the user set and the session does not meet: gates, and thresholds of single metrics. */
function missedThresholds(
  { report, gates }: Pick<HeadlineFacts, 'report' | 'gates'>,
  ownThresholds: ReadonlySet<string>,
): MissedThreshold[] {
  const ofGates = unmetGates({ report, gates, hasProblems: true }).flatMap((cause): MissedThreshold[] => {
    if (cause.met !== false || cause.metric === 'outcome' || cause.metric === EXPECTATIONS_GATE) return [];
    if (cause.kind !== 'threshold')
      return [{ metric: cause.metric, text: `${cause.metric} ${cause.text}`, turn: null }];
    const { metric, score, threshold, scale } = cause;
    return [{ metric, text: missedText(metric, score, threshold, scale), turn: firstTurnBelow(report.turns, metric) }];
  });
  const gated = new Set(ofGates.map(({ metric }) => metric));
  const ofTurns = report.turns.flatMap(({ index, metrics }) =>
    [...ownThresholds].flatMap((metric): MissedThreshold[] => {
      const result = Object.hasOwn(metrics, metric) ? metrics[metric] : undefined;
      if (!result || gated.has(metric) || result.passed !== false) return [];
      if (result.score === null || result.threshold === null) return [];
      const text = missedText(metric, result.score, result.threshold, result.scale);
      return [{ metric, text: `${text} (${turnText(index)})`, turn: index }];
    }),
  );
  return [...ofGates, ...ofTurns];
}

function missedText(metric: string, score: number, threshold: number, scale: ScoreRange | null): string {
  return `${metric} ${formatScoreWithScale(score, scale)}, required ${formatScoreWithScale(threshold, null)}`;
}

/** The first turn whose own result misses the metric's threshold. */
function firstTurnBelow(turns: HeadlineFacts['report']['turns'], metric: string): number | null {
  return turns.find(({ metrics }) => metrics[metric]?.passed === false)?.index ?? null;
}

const SAYS_SUCCEEDED: Readonly<Record<NonNullable<AgentOutcome['source']>, string>> = {
  recorded: 'The trace says that it succeeded',
  user: 'The user says that it succeeded',
  expected: 'Expectations say that it succeeded',
  judge: 'The judge says that it succeeded',
};

/** What says that the agent did its job, where a problem or a threshold fails the session all the same; null elsewhere. */
export function contradictingOutcome({
  headline: { kind },
  outcome: { status, source, reason },
}: {
  readonly headline: Pick<Headline, 'kind'>;
  readonly outcome: AgentOutcome;
}): string | null {
  if (kind !== 'failed' || status !== 'succeeded' || source === null) return null;
  return `${SAYS_SUCCEEDED[source]}: ${reason}`;
}

function undecided({ report, gates, missing, isRecorded, isTestCase }: HeadlineFacts): Headline | null {
  if (isTestCase) return { kind: 'not-run', text: 'Test case without a run', turn: null };
  // An error before the first turn is why nothing was recorded.
  const ending = gates.find(({ metric, met }) => metric === ENDING_GATE && met === null);
  if (ending) return { kind: 'undecided', text: `Undecided: ${describeOpenGate(ending)}`, turn: null };
  if (!isRecorded) return { kind: 'undecided', text: 'Undecided: the trace has no content', turn: null };
  const [cause] = missing;
  if (cause) {
    const count = missing.reduce((sum, one) => sum + one.count, 0);
    return missing.every(({ isUnfit }) => isUnfit) ? unfitAnswers(count) : missingChecks(cause.code, count);
  }
  if (report.verdict !== 'undecided') return null;
  const open = gates.filter(({ met }) => met === null).sort((a, b) => undecidedRank(a) - undecidedRank(b))[0];
  return { kind: 'undecided', text: open ? `Undecided: ${describeOpenGate(open)}` : 'Undecided', turn: null };
}

/** The name of the gate on runs that ended in an error. */
export const ENDING_GATE = 'ending';

/** What the user asked for first. */
function undecidedRank({ metric }: Pick<Gate, 'metric'>): number {
  return metric === EXPECTATIONS_GATE ? 0 : 1;
}

function describeOpenGate({ metric }: Gate): string {
  if (metric === ENDING_GATE) return 'the run ended in an error';
  return metric === EXPECTATIONS_GATE ? 'expectations not checked' : `${metric} has no score`;
}

/**
 * The headline of a session of which only the rules were run before the user stopped the run.
 *
 * @param known what is said of it without a judge. @param checks how many results the judge was to give.
 */
export function stoppedHeadline(known: Headline, checks: number): Headline {
  return known.kind === 'failed' || checks === 0 ? known : missingChecks('interrupted', checks);
}

function missingChecks(code: MissingResult['code'], count: number): Headline {
  const text = `Undecided: ${MISSING[code]}, ${count} ${count === 1 ? 'check' : 'checks'} not run`;
  return { kind: 'undecided', text, turn: null };
}

/** The judge was asked, so that its checks were run. */
function unfitAnswers(count: number): Headline {
  const text = `Undecided: the judge's answers did not fit, ${pluralize(count, 'check')} without a result`;
  return { kind: 'undecided', text, turn: null };
}

const MISSING: Readonly<Record<MissingResult['code'], string>> = {
  'judge-unanswered': 'the judge gave no valid answer',
  'function-failed': 'a function of the configuration failed',
  'metric-failed': 'a metric failed',
  interrupted: 'the run was stopped',
};

function problemsFound({ problems }: HeadlineFacts): Headline | null {
  const worst = worstProblem(problems);
  if (!worst) return null;
  const count = problems.length === 1 ? '1 problem, ' : `${problems.length} problems, worst `;
  const text = `${count}${worst.severity}: ${inSentence(worst.title)} (${turnText(worst.turn)})`;
  return { kind: 'problems', text, turn: worst.turn };
}

function success({ outcome: { status, source, reason } }: HeadlineFacts): Headline {
  if (status !== 'succeeded') return { kind: 'clean', text: 'No problems found', turn: null };
  return { kind: 'succeeded', text: source === 'judge' ? 'Succeeded (judge)' : `Succeeded: ${reason}`, turn: null };
}

/** The first of the most severe. */
function worstProblem(problems: readonly HeadlineProblem[]): HeadlineProblem | null {
  return problems.reduce<HeadlineProblem | null>((worst, problem) => {
    if (!worst) return problem;
    const rank = severityRank(problem.severity) - severityRank(worst.severity);
    return rank > 0 || (rank === 0 && problem.turn < worst.turn) ? problem : worst;
  }, null);
}

function turnText(index: number): string {
  return `turn ${index + 1}`;
}
