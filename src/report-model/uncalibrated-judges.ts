import { lazy } from '../core/cache/memoize.ts';
import type { Gate, ProblemOccurrence, Report, ResultsByMetric, SessionReport } from '../core/report.ts';
import { isAtLeast, SEVERITIES } from '../core/severity.ts';
import { listSome } from '../core/text/lists.ts';
import { metricByName } from '../metrics/index.ts';

type JudgedReport = Pick<Report, 'run' | 'gates' | 'sessions' | 'failures'>;

/**
 * Says which judges failed the run though nobody has measured them, with what to do; null where none did. A gate on problems failed
 * by a judge where all problems that fail it are a judge's alone.
 */
export function uncalibratedText(report: JudgedReport): string | null {
  const failed = report.gates.filter(({ met }) => met === false);
  if (failed.length === 0) return null;
  const judges = new JudgesOfReport(report);
  const metrics = new Map<string, string>();
  let count = 0;
  for (const gate of failed) {
    const found = gate.metric === 'severity' ? judges.ofProblems(gate) : judges.ofMetric(gate);
    if (found.length > 0) count += 1;
    for (const [metric, judge] of found) metrics.set(metric, judge);
  }
  if (metrics.size === 0) return null;
  const names = [...metrics.keys()];
  const option = names.length === 1 ? ` --metric ${names[0]}` : '';
  const which = listSome([...new Set(metrics.values())], MAX_NAMES);
  const verb = new Set(metrics.values()).size === 1 ? 'is' : 'are';
  const gates = count === 1 ? 'a gate' : `${count} gates`;
  return `${which} ${verb} not calibrated for ${listSome(names, MAX_NAMES)}, which failed ${gates}: how often it is right is not known. Measure it with \`turnwise calibrate judge${option}\`, or let only calibrated judges gate (\`gates.judge: calibrated\`).`;
}

const MAX_NAMES = 3;

type MetricJudge = readonly [metric: string, judge: string];

/** The judges that are not calibrated, by what they decided. */
class JudgesOfReport {
  readonly #report: JudgedReport;
  readonly #sessions: ReadonlyMap<string, SessionReport>;
  readonly #problems: () => ReadonlyMap<string, readonly ProblemOccurrence[]>;
  readonly #known = new Map<string, readonly MetricJudge[]>();

  constructor(report: JudgedReport) {
    this.#report = report;
    this.#sessions = new Map(report.sessions.map((session) => [session.id, session]));
    this.#problems = lazy(() =>
      Map.groupBy(
        report.failures.flatMap(({ occurrences }) => occurrences),
        ({ session }) => session,
      ),
    );
  }

  /** Of the metric of a gate and those that it is made of. */
  ofMetric({ metric, scope, subject }: Gate): readonly MetricJudge[] {
    const own = scope === 'session' ? this.#sessions.get(subject ?? '') : undefined;
    const key = JSON.stringify([metric, own?.id ?? null]);
    const known = this.#known.get(key) ?? this.#judgesOf(metric, own ? [own] : this.#report.sessions);
    this.#known.set(key, known);
    return known;
  }

  /** Of the problems that failed a session, if no rule found one of them. */
  ofProblems({ subject, threshold }: Gate): readonly MetricJudge[] {
    const session = this.#sessions.get(subject ?? '');
    const level = SEVERITIES.find((severity) => severity === threshold);
    if (!session || !level) return [];
    const failing = (this.#problems().get(session.id) ?? []).filter(({ severity }) => isAtLeast(severity, level));
    const judged = failing.map(({ rule, metric, turn }) => {
      if (rule !== null || metric === null) return null;
      const result = session.turns.find(({ index }) => index === turn)?.metrics[metric] ?? session.metrics[metric];
      return this.#uncalibrated(metric, result);
    });
    return judged.every((one) => one !== null) ? judged : [];
  }

  #judgesOf(metric: string, sessions: readonly SessionReport[]): MetricJudge[] {
    return judgedNames(metric.split('.')[0] ?? metric).flatMap((name) => {
      for (const { turns, metrics } of sessions) {
        for (const results of [metrics, ...turns.map((turn) => turn.metrics)]) {
          const found = this.#uncalibrated(name, results[name]);
          if (found) return [found];
        }
      }
      return [];
    });
  }

  #uncalibrated(metric: string, result: ResultsByMetric[string] | undefined): MetricJudge | null {
    if (result?.status !== 'scored' || result.source !== 'judge' || result.judge === undefined) return null;
    return this.#report.run.calibrated?.[metric] === result.judge ? null : [metric, result.judge];
  }
}

/** A metric and those that it reads, as far as a judge may answer them. Only a result tells that of the user's own metrics. */
function judgedNames(metric: string, seen = new Set<string>()): string[] {
  if (seen.has(metric)) return [];
  seen.add(metric);
  const definition = metricByName(metric);
  const own = definition && !definition.usesJudge ? [] : [metric];
  return [...own, ...(definition?.uses ?? []).flatMap((name) => judgedNames(name, seen))];
}
