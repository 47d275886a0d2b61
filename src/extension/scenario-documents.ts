import * as vscode from 'vscode';
import { ADK_FILES, DEFAULT_SCENARIOS } from '../core/scenario-file-names.ts';

/** The documents that have scenarios by their names. */
const SCENARIO_FILES: readonly vscode.DocumentFilter[] = [...DEFAULT_SCENARIOS, ADK_FILES].map((pattern) => ({
  scheme: 'file',
  pattern,
}));

/** The documents that a configuration can name as scenario files. */
export const POSSIBLE_SCENARIO_FILES: vscode.DocumentFilter = {
  scheme: 'file',
  pattern: '**/*.{ts,js,mts,mjs,yaml,yml,json}',
};

/** Longer documents are traces, not scenarios that somebody wrote. */
const MAX_LENGTH = 1_000_000;

export function isScenarioDocument(document: vscode.TextDocument): boolean {
  return vscode.languages.match([...SCENARIO_FILES], document) > 0;
}

/**
 * Whether a document reads like scenarios, so that a configuration may name it. Most documents do not, and no server is started
 * for them.
 */
export function mayHaveScenarios(document: vscode.TextDocument): boolean {
  if (vscode.languages.match(POSSIBLE_SCENARIO_FILES, document) === 0) return false;
  const length = document.offsetAt(new vscode.Position(document.lineCount, 0));
  if (length > MAX_LENGTH) return false;
  const words = isCode(document.uri.path) ? /\bscenario\b/ : /\b(?:turns|goal)\b/;
  return words.test(document.getText());
}

/** Whether a scenario file is code, and no data. */
export function isCode(path: string): boolean {
  return /\.[cm]?[jt]s$/.test(path);
}
