import { relative, resolve } from 'node:path';
import { evaluateFileStream } from '../app/evaluate-files.ts';
import { unmatchedGates } from '../app/unmatched-gates.ts';
import { loadConfiguration } from '../config/load.ts';
import { REGISTRY } from '../config/registry.ts';
import { withoutModels } from '../config/without-models.ts';
import type { SessionReport } from '../core/report.ts';
import { sessionFiles } from '../core/session-files.ts';
import { summarizeHeadlines } from '../report-model/headline-counts.ts';
import { sanitizeLine } from '../reports/terminal-text.ts';
import type { CommandHost } from './host.ts';
import { printProblems } from './print-problems.ts';
import { NO_PROGRESS, showProgress } from './progress.ts';
import { changeLines } from './watch-text.ts';
import { type SessionChange, WatchedSessions } from './watched-sessions.ts';

export interface RuleEvaluatorOptions {
  readonly config?: string;
  readonly inputFormat?: string;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
}

/** Evaluates files by rules again and again, and prints what has changed since the last time. */
export class RuleEvaluator {
  readonly sessions: WatchedSessions;
  readonly #args: RuleEvaluatorOptions;
  readonly #host: CommandHost;
  readonly #signal: AbortSignal;

  constructor(args: RuleEvaluatorOptions, host: CommandHost, signal: AbortSignal) {
    this.sessions = new WatchedSessions(host.cwd);
    this.#args = args;
    this.#host = host;
    this.#signal = signal;
  }

  /** Also when it is stopped, the finished results count. */
  async evaluate(paths: readonly string[], { isAll = false } = {}): Promise<readonly SessionChange[]> {
    const { cwd, env, stderr, now } = this.#host;
    const { config, inputFormat, quiet } = this.#args;
    // A configuration that has changed counts from now on.
    const { configuration, file, problems } = await loadConfiguration({ cwd, file: config, registry: REGISTRY });
    if (!configuration) {
      await printProblems(this.#host, problems, this.#args);
      return [];
    }
    if (paths.length === 0) return [];
    const filesOf = new Map<string, ReadonlySet<string>>();
    const progress = quiet ? NO_PROGRESS : showProgress(stderr, now);
    const { report, files, locator } = await evaluateFileStream(paths, withoutModels(configuration), {
      ...progress,
      env,
      inputFormat,
      signal: this.#signal,
      onSession: (session) => filesOf.set(session.id, sessionFiles(session)),
    });
    await progress.end();
    const broken = new Set(report.problems.flatMap(({ severity, file }) => (severity === 'error' ? [file] : [])));
    const readFiles = files.flatMap(({ file }) => (broken.has(file) ? [] : [file]));
    const found = report.problems.filter(({ code }) => code !== 'no-sessions');
    const isWhole = isAll && report.run.complete;
    const unmatched = isWhole ? await unmatchedGates(report.sessions, configuration, { file, cwd }) : [];
    await printProblems(this.#host, [...unmatched, ...found], { ...this.#args, locator });
    return this.sessions.record({ sessions: report.sessions, filesOf, readFiles });
  }

  /** @param notesOf what else is to be noted of a session. */
  async print(
    changes: readonly SessionChange[],
    notesOf?: (report: SessionReport) => readonly string[],
  ): Promise<void> {
    if (changes.length === 0) return;
    const { stdout, env } = this.#host;
    const options = { ...this.#args, stdout, env, ...(notesOf && { notesOf }) };
    await stdout.write(`${changeLines(changes, this.sessions.headlines, options).join('\n')}\n`);
  }

  remove(path: string): void {
    const count = this.sessions.remove(path);
    if (count === 0) return;
    const file = sanitizeLine(displayPath(path, this.#host.cwd));
    void this.#host.stdout.write(`${file} is gone. ${this.sessionsLeft}\n`);
  }

  get sessionsLeft(): string {
    const left = this.sessions.headlines;
    return left.length === 0 ? 'No sessions left.' : `Now ${summarizeHeadlines(left)}.`;
  }
}

export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '' && !way.startsWith('..') && resolve(folder, way) === path;
}

/** As a user would type it. */
export function displayPath(path: string, cwd: string): string {
  return isInside(path, cwd) ? relative(cwd, path) : path;
}
