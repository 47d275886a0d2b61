import { basename } from 'node:path';
import * as vscode from 'vscode';
import * as z from 'zod/mini';
import {
  deleteRuns,
  exportRun,
  planRejudge,
  previousRun,
  type RejudgePlan,
  type RunRow,
  type RunsScope,
  rejudge,
  rejudgeTarget,
  renameRun,
  runs,
  runsById,
  runsScope,
  setBaseline,
} from '../protocol/runs.ts';
import type { CommandContext } from './command-context.ts';
import { UserError } from './errors.ts';
import { escapeLabel } from './labels.ts';
import { relativeTime, runCounts, runTitle } from './run-items.ts';

/** The longest list of runs to choose from. */
const MAX_CHOICES = 1000;
/** Runs that one comparison can have. */
const MAX_COMPARED = 8;
/** The longest list of sessions in a question. */
const SHOWN_MISSING = 10;

interface RejudgeContext {
  readonly server: Pick<CommandContext['server'], 'request' | 'onProgress'>;
  readonly runPages: Pick<CommandContext['runPages'], 'open'>;
}

/** The argument from a panel: the id of a run. */
const runArgument = z.object({ run: z.string() });

/** Compares a run with the newest complete one before it. */
export async function compareWithPrevious(context: CommandContext, ...args: unknown[]): Promise<void> {
  const run = await resolveRun(context, args, vscode.l10n.t('Compare with Previous'));
  if (!run) return;
  const { row } = await context.server.request(previousRun, { run: run.id });
  if (!row) throw new UserError(vscode.l10n.t('There is no earlier complete run to compare with.'));
  context.runPages.open({ show: 'comparison', runs: [row.id, run.id] });
}

/** Compares a run with another one that the user picks. */
export async function compareWith(context: CommandContext, ...args: unknown[]): Promise<void> {
  const run = await resolveRun(context, args, vscode.l10n.t('Compare With'));
  if (!run) return;
  const others = (await listRuns(context)).filter(({ id }) => id !== run.id);
  const placeHolder = vscode.l10n.t('Select the run to compare {0} with', runTitle(run));
  const other = await pickRun(others, { title: vscode.l10n.t('Compare With'), placeHolder });
  if (other) context.runPages.open(comparison([run, other]));
}

/** Compares the selected runs, else those that the user picks. */
export async function compareRuns(context: CommandContext, ...args: unknown[]): Promise<void> {
  const selected = selectedRuns(context, args);
  const chosen = selected.length > 1 ? selected : await pickRuns(await listRuns(context));
  if (!chosen) return;
  if (chosen.length < 2 || chosen.length > MAX_COMPARED)
    throw new UserError(vscode.l10n.t('Select between 2 and {0} runs to compare.', MAX_COMPARED));
  context.runPages.open(comparison(chosen));
}

/** Shows how results changed over the runs of a project. */
export async function showTrends(context: CommandContext, ...args: unknown[]): Promise<void> {
  const [run] = selectedRuns(context, args);
  const newest = run ?? (await listRuns(context, 1))[0];
  if (!newest) throw noRuns();
  context.runPages.open({ show: 'trend', run: newest.id });
}

/** Opens a page about runs: what a row of the Runs view is about. */
export function openRunsPage({ runPages }: CommandContext, scope: unknown): void {
  const { success, data } = z.safeParse(runsScope, scope);
  if (success) runPages.open(data);
}

/** Judges the unchanged sessions of a run with the judge of another run, and compares both again. */
export async function rejudgeRun(context: RejudgeContext, target: unknown): Promise<void> {
  const { success, data } = z.safeParse(rejudgeTarget, target);
  if (!success) return;
  const { run, by, isFirst } = data;
  const plan = await context.server.request(planRejudge, { run });
  if (plan.uris.length === 0) {
    throw new UserError(vscode.l10n.t('No session can be judged again: their files changed or are gone.'));
  }
  if (plan.missingCount > 0 && !(await confirmMissing(plan))) return;
  const judged = await requestRejudge(context, { uris: plan.uris, by });
  if (!judged) return;
  const [reason] = judged.reasons;
  if (judged.run !== null) {
    context.runPages.open({ show: 'comparison', runs: isFirst ? [judged.run, by] : [by, judged.run] });
  } else if (reason !== undefined) throw new UserError(reason);
}

/** Names the sessions that cannot be judged again, before anything is sent. */
async function confirmMissing({ sessions, missing, missingCount }: RejudgePlan): Promise<boolean> {
  const all = sessions + missingCount;
  const shown = missing.slice(0, SHOWN_MISSING).map((name) => `\u2022 ${escapeLabel(name)}`);
  const more = missingCount - shown.length;
  const detail = [
    vscode.l10n.t('The files of the others changed or are gone:'),
    ...shown,
    ...(more > 0 ? [vscode.l10n.t('and {0} more', more)] : []),
  ].join('\n');
  const confirm = vscode.l10n.t('Judge Again');
  const question = vscode.l10n.t('Only {0} of {1} sessions can be judged again.', sessions, all);
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, confirm)) === confirm;
}

/** With progress that can be cancelled; null where it was. */
async function requestRejudge(
  { server }: RejudgeContext,
  params: { readonly uris: readonly string[]; readonly by: string },
) {
  const options = {
    location: vscode.ProgressLocation.Notification,
    title: vscode.l10n.t('Judging sessions again'),
    cancellable: true,
  };
  return vscode.window.withProgress(options, async (progress, token) => {
    const workDoneToken = crypto.randomUUID();
    const listening = await server.onProgress(workDoneToken, ({ message }) => {
      if (message !== undefined) progress.report({ message: escapeLabel(message) });
    });
    try {
      return await server.request(rejudge, { ...params, workDoneToken }, token);
    } catch (error) {
      if (token.isCancellationRequested) return null;
      throw error;
    } finally {
      listening.dispose();
    }
  });
}

/** Makes a run the baseline of its project, for a reason that the user enters. */
export async function setAsBaseline(context: CommandContext, ...args: unknown[]): Promise<void> {
  const run = await resolveRun(context, args, vscode.l10n.t('Set as Baseline'));
  if (!run) return;
  const reason = await vscode.window.showInputBox({
    title: vscode.l10n.t('Set {0} as Baseline', runTitle(run)),
    prompt: vscode.l10n.t('Why is this the new baseline? The reason is saved in turnwise.baseline.json.'),
    validateInput: (text) =>
      text.trim() === '' ? vscode.l10n.t('A reason is required to accept a baseline.') : undefined,
  });
  // Undefined when the user presses Escape.
  if (reason === undefined || reason.trim() === '') return;
  const outcome = await context.server.request(setBaseline, { run: run.id, reason: reason.trim() });
  if ('missing' in outcome) throw new UserError(outcome.missing.join(' '));
  const open = vscode.l10n.t('Open');
  const message = vscode.l10n.t('Saved to {0}.', basename(outcome.written));
  // Not awaited: the message stays open until the user closes it.
  vscode.window.showInformationMessage(message, open).then(async (chosen) => {
    if (chosen === open) await vscode.window.showTextDocument(vscode.Uri.file(outcome.written));
  }, context.log.error);
}

/** Names a run; an empty name takes the name away. */
export async function rename(context: CommandContext, ...args: unknown[]): Promise<void> {
  const run = await resolveRun(context, args, vscode.l10n.t('Rename Run'));
  if (!run) return;
  const name = await vscode.window.showInputBox({
    title: vscode.l10n.t('Rename {0}', runTitle(run)),
    prompt: vscode.l10n.t('An empty name removes the name.'),
    value: run.name ?? '',
    validateInput: (text) => (text.length > 200 ? vscode.l10n.t('At most 200 characters.') : undefined),
  });
  if (name === undefined) return;
  await context.server.request(renameRun, { run: run.id, name: name.trim() === '' ? null : name.trim() });
}

/** Writes a run into one file, which `turnwise` reads anywhere. */
export async function exportToFile(context: CommandContext, ...args: unknown[]): Promise<void> {
  const run = await resolveRun(context, args, vscode.l10n.t('Export Run'));
  if (!run) return;
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const file = `run-${run.id}.turnwise.zip`;
  const target = await vscode.window.showSaveDialog({
    title: vscode.l10n.t('Export {0}', runTitle(run)),
    filters: { [vscode.l10n.t('Recorded run')]: ['zip'] },
    ...(folder && { defaultUri: vscode.Uri.joinPath(folder, file) }),
  });
  if (!target) return;
  if (target.scheme !== 'file') throw new UserError(vscode.l10n.t('Choose a file on disk.'));
  await context.server.request(exportRun, { run: run.id, target: target.toString() });
  void vscode.window.showInformationMessage(vscode.l10n.t('Exported to {0}.', basename(target.fsPath)));
}

/** Deletes the selected runs after the user has confirmed it. */
export async function deleteSelected(context: CommandContext, ...args: unknown[]): Promise<void> {
  const selected = selectedRuns(context, args);
  const chosen = selected.length > 0 ? selected : await pickRuns(await listRuns(context));
  const [first, ...others] = chosen ?? [];
  if (!first) return;
  const all = [first, ...others];
  const question =
    others.length === 0 ? vscode.l10n.t('Delete {0}?', runTitle(first)) : vscode.l10n.t('Delete {0} runs?', all.length);
  const detail = [
    vscode.l10n.t('Their results are deleted from this machine. This cannot be undone.'),
    ...(all.some(({ baseline }) => baseline === 'current') ? [vscode.l10n.t('The baseline is among them.')] : []),
  ].join(' ');
  const confirm = vscode.l10n.t('Delete');
  if ((await vscode.window.showWarningMessage(question, { modal: true, detail }, confirm)) !== confirm) return;
  await context.server.request(deleteRuns, { runs: all.map(({ id }) => id) });
}

/** Copies the id of a run, by which the command line knows it. */
export async function copyRunId(context: CommandContext, ...args: unknown[]): Promise<void> {
  const run = await resolveRun(context, args, vscode.l10n.t('Copy Run ID'));
  if (run) await vscode.env.clipboard.writeText(run.id);
}

/** The older run first, as the one that the others are compared with. */
function comparison(all: readonly RunRow[]): RunsScope {
  const byTime = all.toSorted((a, b) => Date.parse(a.startedAt) - Date.parse(b.startedAt));
  return { show: 'comparison', runs: byTime.map(({ id }) => id) };
}

/** The run of a row or a panel, else the one that the user picks. */
async function resolveRun(
  context: CommandContext,
  args: readonly unknown[],
  title: string,
): Promise<RunRow | undefined> {
  const { success, data } = z.safeParse(runArgument, args[0]);
  if (success) {
    const { rows } = await context.server.request(runsById, { runs: [data.run] });
    if (!rows[0]) throw new UserError(vscode.l10n.t('This run is not recorded any more.'));
    return rows[0];
  }
  const [run] = selectedRuns(context, args);
  return run ?? pickRun(await listRuns(context), { title, placeHolder: vscode.l10n.t('Select a run') });
}

/** The runs of the selected rows. A menu passes the row and the selection. */
export function selectedRuns({ runsView }: CommandContext, [clicked, selected]: readonly unknown[]): readonly RunRow[] {
  const nodes = Array.isArray(selected) && selected.includes(clicked) ? selected : [clicked];
  return nodes.flatMap((node: unknown) => (runsView.isNode(node) && node.type === 'run' ? [node.row] : []));
}

async function listRuns({ server }: CommandContext, limit = MAX_CHOICES): Promise<readonly RunRow[]> {
  const { rows } = await server.request(runs, { offset: 0, limit });
  return rows;
}

function noRuns(): UserError {
  return new UserError(vscode.l10n.t('No runs are recorded yet. Evaluate a trace or a folder first.'));
}

type PickOptions = Required<Pick<vscode.QuickPickOptions, 'title' | 'placeHolder'>>;

async function pickRun(all: readonly RunRow[], options: PickOptions): Promise<RunRow | undefined> {
  if (all.length === 0) throw noRuns();
  return (await vscode.window.showQuickPick(all.map(choice), { ...options, matchOnDescription: true }))?.run;
}

async function pickRuns(all: readonly RunRow[]): Promise<readonly RunRow[] | undefined> {
  if (all.length === 0) throw noRuns();
  const placeHolder = vscode.l10n.t('Select runs');
  const options = { placeHolder, matchOnDescription: true, canPickMany: true } as const;
  const chosen = await vscode.window.showQuickPick(all.map(choice), options);
  return chosen && chosen.length > 0 ? chosen.map(({ run }) => run) : undefined;
}

function choice(run: RunRow): vscode.QuickPickItem & { readonly run: RunRow } {
  const commit = run.git ? [escapeLabel(run.git.commit.slice(0, 7))] : [];
  const facts = [runCounts(run), relativeTime(run.startedAt, Date.now()), ...commit];
  return { label: runTitle(run).slice(0, 100), description: facts.join(' · '), run };
}
