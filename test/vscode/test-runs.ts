import * as vscode from 'vscode';
import { extension, waitFor } from './extension.ts';

type Outcome = 'enqueued' | 'started' | 'passed' | 'failed' | 'errored' | 'skipped';

/** A run of the Test Explorer, and what it was told. */
export interface RecordedTestRun {
  readonly name: string | undefined;
  readonly isPersisted: boolean;
  readonly request: vscode.TestRunRequest;
  /** The last outcome of each item, by its label. */
  readonly outcomes: Map<string, Outcome>;
  readonly messages: Map<string, readonly vscode.TestMessage[]>;
  output: string;
  readonly coverage: vscode.FileCoverage[];
  /** In milliseconds; null while it goes on. */
  endedAt: number | null;
}

/** Hears what runs are told, which VS Code gives to no extension. */
export class TestRunRecorder implements Disposable {
  readonly runs: RecordedTestRun[] = [];
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #restore: () => void;

  constructor() {
    const { controller } = extension().exports.tests;
    const create = controller.createTestRun;
    controller.createTestRun = (request, name, persist) => {
      const run = create.call(controller, request, name, persist);
      this.runs.push(this.#record(run, request));
      this.#changed.fire();
      return run;
    };
    this.#restore = () => {
      controller.createTestRun = create;
    };
  }

  /** The next run, once it has ended. */
  async ended(nth: number): Promise<RecordedTestRun> {
    return this.once(nth, `the end of run ${nth + 1}`, ({ endedAt }) => endedAt !== null);
  }

  /** A run once it is as expected. */
  once(nth: number, what: string, isExpected: (run: RecordedTestRun) => boolean): Promise<RecordedTestRun> {
    return waitFor(what, [this.#changed.event], () => {
      const run = this.runs[nth];
      return run && isExpected(run) ? run : undefined;
    });
  }

  #record(run: vscode.TestRun, request: vscode.TestRunRequest): RecordedTestRun {
    const recorded: RecordedTestRun = {
      name: run.name,
      isPersisted: run.isPersisted,
      request,
      outcomes: new Map(),
      messages: new Map(),
      output: '',
      coverage: [],
      endedAt: null,
    };
    const hear = <Name extends keyof vscode.TestRun>(name: Name, listener: (...args: readonly unknown[]) => void) => {
      const real: unknown = run[name];
      if (typeof real !== 'function') throw new Error(`A run has no ${name}.`);
      const value = (...args: readonly unknown[]) => {
        listener(...args);
        this.#changed.fire();
        return Reflect.apply(real, run, args);
      };
      Object.defineProperty(run, name, { value });
    };
    for (const outcome of ['enqueued', 'started', 'passed', 'failed', 'errored', 'skipped'] as const) {
      hear(outcome, (item, messages) => {
        const { label } = item as vscode.TestItem;
        recorded.outcomes.set(label, outcome);
        if (Array.isArray(messages)) recorded.messages.set(label, messages);
      });
    }
    hear('appendOutput', (text) => {
      recorded.output += String(text);
    });
    hear('addCoverage', (coverage) => {
      recorded.coverage.push(coverage as vscode.FileCoverage);
    });
    hear('end', () => {
      recorded.endedAt = performance.now();
    });
    return recorded;
  }

  [Symbol.dispose](): void {
    this.#restore();
    this.#changed.dispose();
  }
}
