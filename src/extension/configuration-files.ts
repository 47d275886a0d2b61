import * as vscode from 'vscode';

/** Configurations of Turnwise and Agentest in the open folders. */
export const CONFIGURATIONS = '**/{turnwise,agentest}.config.*';

const IGNORED = '**/node_modules/**';

/** Whether the open folders have a configuration, which may name other files than are found by their names. */
export async function hasConfiguration(token?: vscode.CancellationToken): Promise<boolean> {
  const [first] = await vscode.workspace.findFiles(CONFIGURATIONS, IGNORED, 1, token);
  return first !== undefined;
}
