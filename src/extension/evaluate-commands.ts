import * as vscode from 'vscode';
import type { FileRow } from '../protocol/messages.ts';
import { findTraces, lookalikes, resultsOutline, sessionsIn } from '../protocol/results-outline.ts';
import type { CommandContext } from './command-context.ts';
import { resolveTargets } from './command-targets.ts';
import { showError, UserError } from './errors.ts';
import { pickOverrides } from './evaluation-overrides.ts';
import type { EvaluationRunner } from './evaluation-runner.ts';
import type { LanguageServer } from './language-server.ts';
import type { ResultsModel } from './results-model.ts';
import { ResultsView } from './results-view.ts';
import { isTrace } from './trace-selector.ts';

/** What commands on all files use. */
export interface AllFilesContext {
  readonly server: Pick<LanguageServer, 'request' | 'isRunning'>;
  readonly model: Pick<ResultsModel, 'refresh' | 'snapshot' | 'hasResults'>;
  readonly results: Pick<ResultsView, 'show'>;
  readonly evaluation: Pick<EvaluationRunner, 'run'>;
  readonly log: Pick<vscode.LogOutputChannel, 'error' | 'show'>;
}

/** Evaluates the selected files, else the file in the active editor, else files that the user picks. */
export async function evaluateSelection({ evaluation, results }: CommandContext, ...args: unknown[]): Promise<void> {
  const pointedAt = resolveTargets(args, (value) => results.isNode(value));
  const uris = pointedAt.length > 0 ? pointedAt : ((await activeTraceOrPick()) ?? []);
  // A lens shows the results in the editor.
  if (uris.length > 0) await evaluation.run(uris, typeof args[0] === 'string' ? 'here' : 'view');
}

/** Evaluates the same with another judge, or only some metrics. Settings and configuration stay as they are. */
export async function evaluateSelectionWith(context: CommandContext, ...args: unknown[]): Promise<void> {
  const pointedAt = resolveTargets(args, (value) => context.results.isNode(value));
  const [first, ...others] = pointedAt.length > 0 ? pointedAt : ((await activeTraceOrPick()) ?? []);
  if (!first) return;
  const overrides = await pickOverrides(first, context);
  if (overrides) await context.evaluation.run([first, ...others], 'view', overrides);
}

/** Evaluates the selected folder, else a folder of the workspace. */
export async function evaluateFolder({ evaluation, results }: CommandContext, ...args: unknown[]): Promise<void> {
  const pointedAt = resolveTargets(args, (value) => results.isNode(value));
  const uris = pointedAt.length > 0 ? pointedAt : await pickWorkspaceFolder();
  if (uris.length > 0) await evaluation.run(uris);
}

/** Evaluates all listed files, including those that were not evaluated yet, and offers those that only look like traces. */
export async function evaluateAll(context: AllFilesContext): Promise<void> {
  const isFirst = !context.model.hasResults;
  await evaluateFiles(context, ({ state }) => state !== 'gone');
  if (isFirst) await openWorstReport(context);
  const { lookalikes: others } = context.model.snapshot;
  if (others === 0) return;
  const message =
    others === 1
      ? vscode.l10n.t('1 more file looks like a trace and was not evaluated.')
      : vscode.l10n.t('{0} more files look like traces and were not evaluated.', others);
  offerLookalikes(message, context);
}

/** The first results of a window are shown where somebody starts to read: at the problem of a session that failed, if one did. */
async function openWorstReport({ server, model }: AllFilesContext): Promise<void> {
  const headline = (['failed', 'problems'] as const).find((kind) => model.snapshot.headlines[kind] > 0);
  if (!headline) return;
  const { rows } = await server.request(sessionsIn, { of: { headline }, offset: 0, limit: 1 });
  const session = rows[0]?.key;
  if (session) await vscode.commands.executeCommand('turnwise.openReport', { session, turn: null });
}

/** Evaluates files that failed or were unreadable. */
export async function evaluateFailed(context: AllFilesContext): Promise<void> {
  await evaluateFiles(context, ({ state, headlines, problems }) => {
    return state !== 'gone' && (headlines.failed > 0 || problems.length > 0);
  });
}

/** Evaluates files that look like traces by their content. */
export async function evaluateLookalikes({ server, evaluation }: AllFilesContext): Promise<void> {
  const { rows } = await server.request(lookalikes, { offset: 0, limit: PAGE_SIZE });
  if (rows.length > 0) await evaluation.run(rows.map(({ uri }) => vscode.Uri.parse(uri)));
}

/** Not awaited: the message stays open until the user closes it. */
function offerLookalikes(message: string, context: AllFilesContext): void {
  const evaluateThem = vscode.l10n.t('Evaluate');
  vscode.window
    .showInformationMessage(message, evaluateThem)
    .then((chosen) => (chosen === evaluateThem ? evaluateLookalikes(context) : undefined))
    .then(undefined, (error: unknown) => showError(error, context.log));
}

/** Searches the workspace for files that look like traces by their content, lists them, and says how many there are. */
export async function searchTraces(context: AllFilesContext): Promise<void> {
  const { server, model, results } = context;
  const total = await requestSearch(server);
  await model.refresh();
  await results.show();
  if (total === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('No other file looks like a trace.'));
    return;
  }
  const message =
    total === 1
      ? vscode.l10n.t('1 file looks like a trace. It is listed at the end of the Results view.')
      : vscode.l10n.t('{0} files look like traces. They are listed at the end of the Results view.', total);
  offerLookalikes(message, context);
}

/** @returns how many files look like traces and are not named as such. */
export async function requestSearch(server: Pick<LanguageServer, 'request'>): Promise<number> {
  const { total } = await vscode.window.withProgress(
    { location: { viewId: ResultsView.id }, title: vscode.l10n.t('Searching for traces') },
    () => server.request(findTraces, {}),
  );
  return total;
}

async function evaluateFiles(
  { server, model, evaluation }: AllFilesContext,
  isWanted: (row: FileRow) => boolean,
): Promise<void> {
  const known = server.isRunning ? await fetchAllFiles(server) : model.snapshot.rows.map(({ file }) => file);
  const uris = known.filter(isWanted).map(({ uri }) => vscode.Uri.parse(uri));
  if (uris.length === 0) throw new UserError(vscode.l10n.t('Nothing to evaluate. Evaluate a trace first.'));
  await evaluation.run(uris);
}

async function activeTraceOrPick(): Promise<readonly vscode.Uri[] | undefined> {
  const active = vscode.window.activeTextEditor?.document;
  if (active && isTrace(active)) return [active.uri];
  return vscode.window.showOpenDialog({
    title: vscode.l10n.t('Evaluate Trace'),
    openLabel: vscode.l10n.t('Evaluate'),
    canSelectMany: true,
    canSelectFiles: true,
    filters: { [vscode.l10n.t('Traces')]: ['json', 'jsonl', 'ndjson', 'traj', 'eval'] },
  });
}

async function pickWorkspaceFolder(): Promise<readonly vscode.Uri[]> {
  const [only, ...others] = vscode.workspace.workspaceFolders ?? [];
  if (!only) throw new UserError(vscode.l10n.t('No folder is open. Open a folder, or evaluate a single trace.'));
  if (others.length === 0) return [only.uri];
  const chosen = await vscode.window.showWorkspaceFolderPick({
    placeHolder: vscode.l10n.t('Select a folder to evaluate'),
  });
  return chosen ? [chosen.uri] : [];
}

/** The server's maximum page size. */
const PAGE_SIZE = 10_000;

/** All files that the server lists. */
async function fetchAllFiles(server: AllFilesContext['server']): Promise<FileRow[]> {
  const files: FileRow[] = [];
  for (let total = 1; files.length < total; ) {
    const page = await server.request(resultsOutline, { offset: files.length, limit: PAGE_SIZE });
    if (page.rows.length === 0) break;
    files.push(...page.rows.map(({ file }) => file));
    total = page.total;
  }
  return files;
}
