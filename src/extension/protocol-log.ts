import type * as vscode from 'vscode';

/**
 * The log of what is said between editor and server, where somebody looks at it: what was said, and not what it held. Keys
 * and the text of traces are among it.
 */
export function redactedLog(log: vscode.LogOutputChannel): vscode.LogOutputChannel {
  const channel: vscode.LogOutputChannel = Object.create(log, {
    trace: { value: (message: string) => log.trace(redactMessage(message)) },
  });
  return channel;
}

/** Messages stand on the first line and their data behind it; where all is one JSON, nothing can be told apart. */
export function redactMessage(message: string): string {
  const [first = ''] = message.split('\n', 1);
  return first.startsWith('{') ? '{…}' : first;
}
