import type { Gate, ProblemOccurrence, Report, SessionReport } from '../../core/report.ts';
import { severityRank } from '../../core/severity.ts';
import type { UserMessages } from '../report-writer.ts';

/** A session of a report, with everything that the report says about it. */
export interface SessionSummary {
  readonly report: SessionReport;
  /** Messages of the user by index of the turn; undefined if unknown. */
  readonly inputs: readonly (string | null)[];
  /** The most severe first. */
  readonly failures: readonly ProblemOccurrence[];
  /** Its own gates. */
  readonly gates: readonly Gate[];
  /** Gates of the run. Their thresholds also apply to the session's mean. */
  readonly runGates: readonly Gate[];
  /** Why it is undecided, one sentence each, without causes that are printed for the run. */
  readonly undecided: readonly string[];
  /** Whether a judge answered a question about it. */
  readonly judged: boolean;
}

export function sessionSummaries(report: Report, userMessages: UserMessages = new Map()): SessionSummary[] {
  const failures = new Map<string, ProblemOccurrence[]>();
  const allOccurrences = report.failures.flatMap(({ occurrences }) => occurrences);
  const ranked = allOccurrences.toSorted((a, b) => severityRank(b.severity) - severityRank(a.severity));
  for (const failure of ranked) append(failures, failure.session, failure);
  const gates = new Map<string, Gate[]>();
  for (const gate of report.gates) {
    if (gate.scope === 'session' && gate.subject !== null) append(gates, gate.subject, gate);
  }
  const runGates = report.gates.filter(({ scope, metric }) => scope === 'run' && metric !== 'severity');
  const usesJudge = usedJudge(report);
  const causes = report.undecided.flatMap(({ cause }) => cause ?? []);
  return report.sessions.map((session) => ({
    report: session,
    inputs: userMessages.get(session.id) ?? [],
    failures: failures.get(session.id) ?? [],
    gates: gates.get(session.id) ?? [],
    runGates,
    undecided: (session.undecided ?? []).map((sentence) => withoutCause(sentence, causes)),
    judged: usesJudge && isJudged(session),
  }));
}

/** `9 questions got no answer: relevance (5), helpfulness (4)`, from a sentence that ends with one of the causes. */
function withoutCause(sentence: string, causes: readonly string[]): string {
  const ends = causes.flatMap((cause) => {
    const at = sentence.indexOf(`: ${cause}`);
    return at < 0 ? [] : at;
  });
  return ends.length === 0 ? sentence : sentence.slice(0, Math.min(...ends));
}

/** Whether the run called a judge. */
function usedJudge({ run: { usage } }: Report): boolean {
  return usage.judgeCalls + usage.judgeCallsCached > 0;
}

function isJudged({ metrics, turns }: SessionReport): boolean {
  return [metrics, ...turns.map((turn) => turn.metrics)].some((results) =>
    Object.values(results).some(({ judge }) => judge !== undefined),
  );
}

function append<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
}
