import * as vscode from 'vscode';
import { debuggerNeeded } from '../../protocol/scenarios.ts';
import type { LanguageServer } from '../language-server.ts';
import type { RequestedRuns } from './requested-runs.ts';

/** The key of a debug configuration that names our run. */
const RUN_KEY = 'turnwiseRun';

/** Attaches the debugger to the process of a scenario file that waits for it, until its run has ended. */
export class DebuggerAttachment implements vscode.Disposable {
  readonly #sessions = new Map<string, vscode.DebugSession>();
  readonly #runs: Pick<RequestedRuns, 'find'>;
  readonly #listening: vscode.Disposable;

  constructor(
    server: Pick<LanguageServer, 'onNotification'>,
    runs: Pick<RequestedRuns, 'find' | 'onDidEnd'>,
    onError: (error: unknown) => void,
  ) {
    this.#runs = runs;
    server.onNotification(debuggerNeeded, ({ run, port }) => {
      this.#attach(run, port).catch(onError);
    });
    this.#listening = vscode.Disposable.from(
      vscode.debug.onDidStartDebugSession((session) => {
        const run: unknown = session.configuration[RUN_KEY];
        if (typeof run === 'string') this.#sessions.set(session.id, session);
      }),
      vscode.debug.onDidTerminateDebugSession(({ id }) => this.#sessions.delete(id)),
      runs.onDidEnd(() => this.#stop()),
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
      // The process waits at its first line.
      continueOnAttach: true,
      skipFiles: ['<node_internals>/**'],
      [RUN_KEY]: id,
    };
    if (await vscode.debug.startDebugging(undefined, configuration, { testRun })) return;
    throw new Error(vscode.l10n.t('The debugger could not attach to the process at port {0}. Debug again.', port));
  }

  #stop(): void {
    for (const session of this.#sessions.values()) void vscode.debug.stopDebugging(session);
  }

  dispose(): void {
    this.#stop();
    this.#listening.dispose();
  }
}
