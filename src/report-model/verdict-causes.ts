import type { Gate, ProblemOccurrence, SessionReport } from '../core/report.ts';
import type { ScoreRange } from '../core/scale.ts';
import { meetsThreshold } from '../core/scoring.ts';
import { metricByName } from '../metrics/index.ts';
import { EXPECTATIONS_GATE } from './agent-outcome.ts';
import { metricResult } from './metric-results.ts';
import { bySeverity, type SessionFindings } from './session-findings.ts';

/** Why a session did not pass, besides the problems found in it. Views turn it into a sentence. */
export type VerdictCause =
  /** What leaves it undecided, as a sentence. */
  | { readonly kind: 'undecided'; readonly text: string }
  /** One of its own gates; `met` is null where the gate is undecided. */
  | { readonly kind: 'gate'; readonly metric: string; readonly met: false | null; readonly text: string }
  /** A threshold of the run that the session's own score does not meet. */
  | {
      readonly kind: 'threshold';
      readonly metric: string;
      readonly met: false;
      readonly score: number;
      readonly threshold: number;
      readonly scale: ScoreRange | null;
    }
  /** A threshold of the run for which the session has no score; the reason is that of the result. */
  | { readonly kind: 'no-score'; readonly metric: string; readonly met: null; readonly text: string | null };

export interface VerdictFacts {
  readonly report: Pick<SessionReport, 'verdict' | 'undecided' | 'metrics'>;
  /** The session's own gates and those of its run; others are ignored. */
  readonly gates: readonly Pick<Gate, 'scope' | 'metric' | 'threshold' | 'met' | 'reason'>[];
  /** Problems say more than the gates that count them. */
  readonly hasProblems: boolean;
}

/** Why a session failed or is undecided; nothing for one that passed. */
export function verdictCauses(facts: VerdictFacts): VerdictCause[] {
  const { verdict, undecided = [] } = facts.report;
  if (verdict === 'passed') return [];
  if (verdict === 'undecided' && undecided.length > 0) return undecided.map((text) => ({ kind: 'undecided', text }));
  return unmetGates(facts);
}

/**
 * What a view says first of a session that did not pass: what decides its verdict or leaves it undecided, and its problems,
 * the most severe first.
 */
export function verdictReasons(
  facts: Omit<VerdictFacts, 'hasProblems'>,
  { groups }: Pick<SessionFindings, 'groups'>,
): { readonly causes: readonly VerdictCause[]; readonly problems: readonly ProblemOccurrence[] } {
  const problems = groups.flatMap(({ occurrences }) => occurrences).sort((a, b) => bySeverity(a, b) || a.turn - b.turn);
  const causes = verdictCauses({ ...facts, hasProblems: problems.length > 0 });
  // A gate that is undecided did not fail the session.
  const decisive = causes.filter(
    (cause) => facts.report.verdict !== 'failed' || ('met' in cause && cause.met === false),
  );
  return { causes: decisive, problems };
}

/**
 * The gates that a session does not meet: its own, and the thresholds of the run applied to its own scores, since both
 * decide its verdict.
 */
export function unmetGates({
  report,
  gates,
  hasProblems,
}: VerdictFacts): Exclude<VerdictCause, { kind: 'undecided' }>[] {
  return gates.flatMap((gate): Exclude<VerdictCause, { kind: 'undecided' }>[] => {
    const { scope, metric, met } = gate;
    if (scope === 'run') return runThreshold(gate, report);
    if (scope !== 'session' || met === true || ((metric === 'severity' || metric === EXPECTATIONS_GATE) && hasProblems))
      return [];
    return [{ kind: 'gate', metric, met, text: gate.reason }];
  });
}

function runThreshold(
  { metric, threshold }: Pick<Gate, 'metric' | 'threshold'>,
  { metrics }: Pick<SessionReport, 'metrics'>,
): Exclude<VerdictCause, { kind: 'undecided' | 'gate' }>[] {
  const result = metricResult(metrics, metric);
  if (!result || typeof threshold !== 'number' || result.status === 'not_applicable') return [];
  const { score, status, scale, reason } = result;
  if (score === null || status !== 'scored') return [{ kind: 'no-score', metric, met: null, text: reason }];
  if (meetsThreshold(score, threshold, metricByName(metric)?.lowerIsBetter)) return [];
  return [{ kind: 'threshold', metric, met: false, score, threshold, scale }];
}
