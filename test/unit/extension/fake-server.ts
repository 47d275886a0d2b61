import * as z from 'zod/mini';
import type { LanguageServer, ServerState } from '../../../src/extension/language-server.ts';
import { resultsChanged } from '../../../src/protocol/messages.ts';
import { type OpenQuestion, openQuestions } from '../../../src/protocol/questions.ts';
import type { CancellationToken, NotificationType } from '../../../src/protocol/rpc.ts';
import { runsChanged } from '../../../src/protocol/runs.ts';
import { EventEmitter } from './fake-vscode.ts';

type Answers = Readonly<Record<string, (params: unknown, token?: CancellationToken) => unknown>>;

/** A server with scripted responses that records requests. */
export function fakeServer(answers: Answers) {
  const states = new EventEmitter<ServerState>();
  const listeners = new Map<string, (params: unknown) => void>();
  const texts: string[] = [];
  const server: Pick<LanguageServer, 'request' | 'state' | 'isRunning' | 'onNotification' | 'onDidChangeState'> = {
    isRunning: true,
    state: 'on',
    onDidChangeState: (listener) => states.event(listener),
    onNotification: ({ method, params }, handler) => {
      listeners.set(method, (listener) => handler(z.parse(params, listener)));
    },
    request: async ({ method, result }, params, token) => {
      texts.push(method);
      return z.parse(result, await answers[method]?.(params, token));
    },
  };
  return {
    server,
    requests: texts,
    /** Notifies that these files have changed. */
    change: (...uris: string[]) => listeners.get(resultsChanged.method)?.({ uris }),
    /** Notifies that evaluations wait for these questions. */
    waitsFor: (...questions: OpenQuestion[]) => listeners.get(openQuestions.method)?.({ questions }),
    changeAny: () => listeners.get(resultsChanged.method)?.({}),
    /** Notifies that runs have changed. */
    changeRuns: () => listeners.get(runsChanged.method)?.({}),
    notify: <Params>({ method }: NotificationType<Params>, params: Params) => listeners.get(method)?.(params),
    become: (state: ServerState) => states.fire(state),
  };
}
