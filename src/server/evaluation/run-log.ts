import { fileURLToPath } from 'node:url';
import { errorMessage } from '../../core/error-message.ts';
import type { Report } from '../../core/report.ts';
import { sanitizeLine } from '../../core/sanitize.ts';
import { limitList } from '../../core/text/lists.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import type { FileProblemRow } from '../../protocol/messages.ts';
import type { ResultRows } from '../results/session-results-view.ts';

/** The log that users read. */
export interface Logger {
  info(sentence: string): void;
  warn(sentence: string): void;
  error(sentence: string): void;
}

/** Further paths are only counted. */
const MAX_PATHS = 3;

/** Logs one evaluation: its start, problems with files, judges that did not answer, and its end. */
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

/** `/ws/a.trace.json:3: The text ends early.` */
export function problemText({ message, location: { uri, range } }: FileProblemRow): string {
  return sanitizeLine(`${fileURLToPath(uri)}:${range.start.line + 1}: ${message}`);
}

function listPaths(paths: readonly string[]): string {
  return limitList(paths, MAX_PATHS).join(', ');
}
