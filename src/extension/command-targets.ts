import * as vscode from 'vscode';
import { nodeUri, type ResultNode } from './result-nodes.ts';

/**
 * The files and folders that a command was called on. The Explorer and the Results view pass the clicked item and the selection,
 * a tab passes its file, a lens passes a URI as text.
 */
export function resolveTargets(
  [clicked, selected]: readonly unknown[],
  isNode: (value: unknown) => value is ResultNode,
): vscode.Uri[] {
  const all = Array.isArray(selected) && selected.length > 0 ? selected : [clicked];
  const uris = all.flatMap((argument: unknown): vscode.Uri[] => {
    if (argument instanceof vscode.Uri) return [argument];
    const text = isNode(argument) ? nodeUri(argument) : argument;
    return typeof text === 'string' && URL.canParse(text) ? [vscode.Uri.parse(text)] : [];
  });
  return [...new Map(uris.map((uri) => [uri.toString(), uri])).values()];
}
