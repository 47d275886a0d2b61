import type * as vscode from 'vscode';

/** Redacts the trace of the protocol: it names messages and leaves out their data, which includes API keys and traces. */
export function redactedLog(log: vscode.LogOutputChannel): vscode.LogOutputChannel {
  const channel: vscode.LogOutputChannel = Object.create(log, {
    trace: { value: (message: string) => log.trace(redactMessage(message)) },
  });
  return channel;
}

/** Keeps the first line of a message, without its data. A JSON message is removed as a whole. */
export function redactMessage(message: string): string {
  const [first = ''] = message.split('\n', 1);
  return first.startsWith('{') ? '{…}' : first;
}
