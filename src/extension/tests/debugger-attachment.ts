import * as vscode from 'vscode';
import { debuggerNeeded } from '../../protocol/scenarios.ts';
import type { LanguageServer } from '../language-server.ts';
import type { RequestedRuns } from './requested-runs.ts';

/** The key of a debug configuration that names our run. */
const RUN_KEY = 'turnwiseRun';

/** How long the debugger tries to connect to a process that may have ended meanwhile. By default, it does for 10 s. */
const CONNECT_MS = 3000;

/** Attaches the debugger to the process of a scenario file that waits for it, until its run has ended. */
export class DebuggerAttachment implements vscode.Disposable {
  readonly #sessions = new Map<string, vscode.DebugSession>();
  readonly #runs: Pick<RequestedRuns, 'find'>;
  readonly #listening: vscode.Disposable;

  constructor(
    server: Pick<LanguageServer, 'onNotification'>,
    runs: Pick<RequestedRuns, 'find' | 'onDidClose'>,
    onError: (error: unknown) => void,
  ) {
    this.#runs = runs;
    server.onNotification(debuggerNeeded, ({ run, port }) => {
      this.#attach(run, port).catch(onError);
    });
    this.#listening = vscode.Disposable.from(
      vscode.debug.onDidStartDebugSession((session) => this.#started(session)),
      vscode.debug.onDidTerminateDebugSession(({ id }) => this.#sessions.delete(id)),
      runs.onDidClose((id) => this.#stop(id)),
    );
  }

  async #attach(id: string, port: number): Promise<void> {
    const testRun = this.#runs.find(id);
    if (!testRun) return;
    const configuration: vscode.DebugConfiguration = {
      type: 'node',
      request: 'attach',
      name: vscode.l10n.t('Turnwise Scenarios'),
      address: '127.0.0.1',
      port,
      timeout: CONNECT_MS,
      // The process waits at its first line.
      continueOnAttach: true,
      skipFiles: ['<node_internals>/**'],
      [RUN_KEY]: id,
    };
    const isAttached = await vscode.debug.startDebugging(undefined, configuration, { testRun });
    if (isAttached || !this.#runs.find(id)) return;
    throw new Error(vscode.l10n.t('The debugger could not attach to the process at port {0}. Debug again.', port));
  }

  #started(session: vscode.DebugSession): void {
    const run = runOf(session);
    if (run === undefined) return;
    this.#sessions.set(session.id, session);
    // The run ended while the debugger attached.
    if (!this.#runs.find(run)) this.#stop(run);
  }

  /** Ends the sessions of a run; by default of all. */
  #stop(run?: string): void {
    for (const session of this.#sessions.values()) {
      if (run === undefined || runOf(session) === run) void vscode.debug.stopDebugging(session);
    }
  }

  dispose(): void {
    this.#stop();
    this.#listening.dispose();
  }
}

/** The run that a session debugs; undefined where it is none of ours. */
function runOf({ configuration }: vscode.DebugSession): string | undefined {
  const run: unknown = configuration[RUN_KEY];
  return typeof run === 'string' ? run : undefined;
}
