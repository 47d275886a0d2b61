import { basename } from 'node:path';
import * as vscode from 'vscode';
import { isTraceCandidate } from '../core/trace-file-names.ts';
import { sessionUri } from '../protocol/panel.ts';
import type { ReportPanels } from './report-panels.ts';
import { isTrace } from './trace-selector.ts';

/** The file of the active report, else the one in the active editor if it may be a trace. */
export function openTrace({ active }: Pick<ReportPanels, 'active'>): vscode.Uri | undefined {
  if (active) return vscode.Uri.parse(sessionUri(active.session));
  const document = vscode.window.activeTextEditor?.document;
  if (document?.uri.scheme !== 'file' || !isTrace(document)) return undefined;
  return isTraceCandidate(basename(document.uri.path), []) ? document.uri : undefined;
}
