import * as vscode from 'vscode';
import type * as z from 'zod/mini';
import { errorMessage } from '../../core/error-message.ts';
import { sanitizeText } from '../../core/sanitize.ts';
import type { FileProblemRow } from '../../protocol/messages.ts';
import type { RunningScenario, ScenarioRunResult, scenarioProgress } from '../../protocol/scenarios.ts';
import { normalizeUri, toLocation } from '../locations.ts';
import { AttemptPhases } from './attempt-phases.ts';
import { appendOutput, reportResult } from './report-result.ts';
import type { SelectedFile } from './test-selection.ts';
import type { TestTree } from './test-tree.ts';
import type { UpdateQueue } from './update-queue.ts';

interface RequestedRunOptions {
  readonly run: vscode.TestRun;
  readonly tree: TestTree;
  readonly queue: UpdateQueue;
  readonly files: readonly SelectedFile[];
}

/** A run that the user asked for, as the Test Explorer shows it. Items without a result when it ends stay without. */
export class RequestedRun {
  readonly #options: RequestedRunOptions;
  readonly #phases = new AttemptPhases();
  readonly #started = new Set<vscode.TestItem>();
  /** Scenarios whose attempts all have a result. */
  readonly #finished = new Set<vscode.TestItem>();
  readonly #reported = new Map<vscode.TestItem, RunningScenario>();
  #isOver = false;

  constructor(options: RequestedRunOptions) {
    this.#options = options;
  }

  /** Ends the run: what comes later is not shown. */
  end(): void {
    this.#isOver = true;
    this.#options.run.end();
  }

  /** Shows the scenarios of a file as waiting. */
  enqueue(uri: string): void {
    if (this.#isOver) return;
    const { run, files } = this.#options;
    const selected = files.find((file) => file.uri === uri);
    for (const item of selected ? this.#scenarios(selected) : []) {
      if (!this.#started.has(item) && !this.#finished.has(item)) run.enqueued(item);
    }
  }

  onProgress(progress: z.infer<typeof scenarioProgress.params>): void {
    if (this.#isOver) return;
    const { run, tree, queue } = this.#options;
    for (const { uri, name } of progress.attempts) {
      const item = tree.scenario(normalizeUri(uri), name);
      if (!item || this.#started.has(item)) continue;
      this.#started.add(item);
      queue.add(`start ${item.uri} ${name}`, () => {
        if (!this.#isOver && !this.#finished.has(item)) run.started(item);
      });
    }
    if (progress.output !== '') appendOutput(run, progress.output);
    const line = this.#phases.update(progress);
    if (line !== null) appendOutput(run, line);
    this.#report(progress.results ?? [], 'running');
  }

  /** Reports the results of the files that were run, and what is wrong with those that were not. */
  async finish({ results, problems }: ScenarioRunResult, files: readonly SelectedFile[]): Promise<void> {
    this.#report(results, 'final');
    await this.#options.queue.settled();
    if (this.#isOver) return;
    for (const problem of problems) this.#logProblem(problem);
    // What is missing was stopped.
    if (this.#options.run.token.isCancellationRequested) return;
    const errors = problems.filter(({ severity }) => severity === 'error');
    for (const file of files) {
      const own = errors.filter(({ location }) => normalizeUri(location.uri) === file.uri);
      const shared = errors.filter(({ location }) => !files.some(({ uri }) => uri === normalizeUri(location.uri)));
      const messages = [...own, ...shared].map(problemMessage);
      if (messages.length > 0) this.#setErrored(file, messages);
    }
  }

  /** Nothing more will come, for this reason. */
  fail(error: unknown): void {
    if (this.#isOver) return;
    const text = sanitizeText(errorMessage(error), MAX_MESSAGE);
    appendOutput(this.#options.run, text);
    for (const file of this.#options.files) this.#setErrored(file, [new vscode.TestMessage(text)]);
  }

  #report(results: readonly RunningScenario[], state: 'running' | 'final'): void {
    const { run, tree, queue } = this.#options;
    for (const given of results) {
      const result = { ...given, uri: normalizeUri(given.uri) };
      queue.add(`result ${result.uri} ${result.name}`, () => {
        const item = tree.setResult(result);
        if (this.#isOver) return;
        if (item) {
          reportResult(run, tree, item, result, this.#reported.get(item));
          this.#reported.set(item, result);
          if (!result.pending) this.#finished.add(item);
        } else if (state === 'final') {
          appendOutput(run, `${result.name}: ${result.summary}`);
        }
      });
    }
  }

  #logProblem({ severity, message, location }: FileProblemRow): void {
    const { path } = vscode.Uri.parse(location.uri);
    appendOutput(this.#options.run, `${severity}: ${path}:${location.range.start.line + 1}: ${message}`);
  }

  /** An error instead of the results that are missing; of the file where none of its scenarios is known. */
  #setErrored(file: SelectedFile, messages: vscode.TestMessage[]): void {
    const { run, tree } = this.#options;
    const scenarios = this.#scenarios(file);
    const item = tree.file(file.uri);
    const affected = scenarios.length > 0 || !item ? scenarios : [item];
    for (const one of affected) if (!this.#finished.has(one)) run.errored(one, messages);
  }

  #scenarios({ uri, names }: SelectedFile): readonly vscode.TestItem[] {
    const all = this.#options.tree.scenarios(uri);
    return names ? names.flatMap((name) => all.get(name) ?? []) : [...all.values()];
  }
}

const MAX_MESSAGE = 20_000;

function problemMessage({ message, location }: FileProblemRow): vscode.TestMessage {
  const problem = new vscode.TestMessage(sanitizeText(message, MAX_MESSAGE));
  problem.location = toLocation(location);
  return problem;
}
