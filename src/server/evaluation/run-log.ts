import { fileURLToPath } from 'node:url';
import { errorMessage } from '../../core/error-message.ts';
import type { Report, ResultsByMetric, SessionReport } from '../../core/report.ts';
import { findRootReasons } from '../../core/root-reasons.ts';
import { sanitizeLine } from '../../core/sanitize.ts';
import { limitList } from '../../core/text/lists.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import type { FileProblemRow } from '../../protocol/messages.ts';
import { usesJudge } from '../../report-model/metric-results.ts';
import type { ResultRows } from '../results/session-results-view.ts';

/** The log that users read. */
export interface Logger {
  info(sentence: string): void;
  warn(sentence: string): void;
  error(sentence: string): void;
}

/** Further paths are only counted. */
const MAX_PATHS = 3;

/** Logs one evaluation: its start, problems with files, errors of judges, and its end. */
export class RunLog {
  readonly #log: Logger;
  readonly #paths: readonly string[];
  readonly #now: () => number;
  readonly #judges = new Set<string>();
  readonly #logged = new Set<string>();
  readonly #counts = { files: 0, sessions: 0, turns: 0, calls: 0, cached: 0 };

  constructor(log: Logger, paths: readonly string[], now: () => number = () => performance.now()) {
    this.#log = log;
    this.#paths = paths;
    this.#now = now;
  }

  countFiles(count: number): void {
    this.#counts.files += count;
  }

  /** Adds the results of a group of files. The same message of several groups is logged once. */
  add(
    { run, sessions, problems }: Pick<Report, 'run' | 'sessions' | 'problems'>,
    rows: Pick<ResultRows, 'problems'>,
  ): void {
    const { usage, judge } = run;
    this.#counts.sessions += sessions.length;
    for (const { turns } of sessions) this.#counts.turns += turns.length;
    this.#counts.calls += usage.judgeCalls;
    this.#counts.cached += usage.judgeCallsCached;
    if (judge) this.#judges.add(`${judge.provider}/${judge.model}`);
    for (const [at, { row }] of rows.problems.entries()) {
      const isOfNoFile = problems[at]?.file === '';
      this.#say(row.severity === 'error' ? 'error' : 'warn', isOfNoFile ? row.message : problemText(row));
    }
    for (const error of judgeErrors(sessions)) this.#say('error', error);
  }

  /** Logs the start and the end of an evaluation. */
  async track<Result extends { readonly complete: boolean }>(
    evaluate: () => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result> {
    const startedAt = this.#now();
    const end = (word: string) => this.#log.info(sanitizeLine(`${word} ${this.#figures(this.#now() - startedAt)}.`));
    this.#log.info(sanitizeLine(`Evaluating ${listPaths(this.#paths)}.`));
    try {
      const result = await evaluate();
      end(result.complete ? 'Evaluated' : 'Stopped after');
      return result;
    } catch (error) {
      const reason = errorMessage(error);
      if (signal.aborted) end('Stopped after');
      else this.#log.error(sanitizeLine(`Could not evaluate ${listPaths(this.#paths)}: ${reason}`));
      throw error;
    }
  }

  #say(severity: 'error' | 'warn', message: string): void {
    const sentence = sanitizeLine(message);
    if (this.#logged.has(sentence)) return;
    this.#logged.add(sentence);
    this.#log[severity](sentence);
  }

  #figures(milliseconds: number): string {
    const { files, sessions, turns, calls, cached } = this.#counts;
    const read = [pluralize(files, 'file'), pluralize(sessions, 'session'), pluralize(turns, 'turn')].join(', ');
    const judges = this.#judges.size === 0 ? 'no judge' : `judge ${[...this.#judges].join(', ')}`;
    const answers = cached === 0 ? '' : `, ${pluralize(cached, 'answer')} from the cache`;
    const usage = this.#judges.size === 0 && calls + cached === 0 ? '' : `, ${pluralize(calls, 'call')}${answers}`;
    return `${read} in ${(milliseconds / 1000).toFixed(1)} s; ${judges}${usage}`;
  }
}

/** One line for each distinct error of a judge, at the first question that met it. Errors that others caused are left out. */
function judgeErrors(sessions: readonly SessionReport[]): string[] {
  const errors = sessions.flatMap(({ source, metrics, turns }) => [
    ...turns.flatMap((turn) => errorsOf(turn.metrics, `${source.file}: turn ${turn.index + 1}`)),
    ...errorsOf(metrics, `${source.file}: session`),
  ]);
  const rootOf = findRootReasons(errors.map(({ reason }) => reason));
  return Array.from(
    Map.groupBy(errors, ({ reason }) => rootOf(reason)),
    ([reason, [first, ...others]]) => {
      const also = others.length === 0 ? '' : ` (and ${others.length} more)`;
      return `${first?.where}, ${first?.metric}: ${reason}${also}`;
    },
  );
}

function errorsOf(metrics: ResultsByMetric, where: string) {
  return Object.entries(metrics).flatMap(([metric, { status, reason }]) =>
    status === 'error' && usesJudge(metric) ? [{ metric, where, reason: reason ?? 'no reason was given' }] : [],
  );
}

/** `/ws/a.trace.json:3: The text ends early.` */
export function problemText({ message, location: { uri, range } }: FileProblemRow): string {
  return sanitizeLine(`${fileURLToPath(uri)}:${range.start.line + 1}: ${message}`);
}

function listPaths(paths: readonly string[]): string {
  return limitList(paths, MAX_PATHS).join(', ');
}
