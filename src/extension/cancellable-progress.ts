import * as vscode from 'vscode';

/** Shows a notification with a button that cancels the work. Undefined once it is cancelled, whatever the work says then. */
export async function withCancellableProgress<Result>(
  title: string,
  work: (token: vscode.CancellationToken) => Promise<Result>,
): Promise<Result | undefined> {
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  return vscode.window.withProgress(options, async (_, token) => {
    try {
      const result = await work(token);
      return token.isCancellationRequested ? undefined : result;
    } catch (error) {
      if (token.isCancellationRequested) return undefined;
      throw error;
    }
  });
}
