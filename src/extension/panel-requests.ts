import * as vscode from 'vscode';
import type { FileLocation } from '../protocol/messages.ts';
import {
  copy,
  editFinding,
  focusFile,
  keepOpen,
  type MarkdownParams,
  markdown,
  openLink,
  openRule,
  type PanelCommand,
  type PanelHost,
  prompt,
  reevaluate,
  reveal,
  runCommand,
  saveFeedback,
  sessionUri,
  stopEvaluation,
  turnSelected,
} from '../protocol/panel.ts';
import {
  explanations,
  groupOccurrences,
  problemGroups,
  resolveLocation,
  sessionCalls,
  sessionFeedback,
  sessionReport,
  sessionRun,
  signals,
} from '../protocol/report.ts';
import type { JsonTarget } from '../protocol/report-values.ts';
import { onRequest, type RequestType } from '../protocol/rpc.ts';
import { timelineRows, timelineSummary } from '../protocol/timeline.ts';
import { fullText, steps, turns } from '../protocol/turn-rows.ts';
import { searchTurns } from '../protocol/turn-search.ts';
import { showError, UserError } from './errors.ts';
import { fileName } from './labels.ts';
import type { LanguageServer } from './language-server.ts';
import { isArchive, openFile } from './open-file.ts';
import { openLink as openInBrowser } from './open-link.ts';
import type { ReportPanelHandle, ReportPanelOptions } from './report-panel-types.ts';

/** Handles the requests of a panel: results come from the server, actions run in the editor. */
export function handlePanelRequests(answerer: PanelHost, open: ReportPanelHandle, parts: ReportPanelOptions): void {
  forwardToServer(answerer, open, parts);
  handleInEditor(answerer, open, parts);
}

function forwardToServer(
  answerer: PanelHost,
  open: ReportPanelHandle,
  { server, stateRestore }: ReportPanelOptions,
): void {
  const pass = <Params, Result>(request: RequestType<Params, Result>): void =>
    onRequest(answerer, request, (params, token) => server.request(request, params, token));
  pass(signals);
  pass(explanations);
  pass(problemGroups);
  pass(groupOccurrences);
  pass(sessionCalls);
  pass(sessionRun);
  pass(sessionFeedback);
  pass(turns);
  pass(steps);
  pass(fullText);
  pass(timelineSummary);
  pass(timelineRows);
  pass(searchTurns);
  pass(prompt);
  onRequest(answerer, sessionReport, async (params, token) => {
    // A request would start the server, which has no results yet.
    if (!server.isRunning && !stateRestore.hasStoredResults) return { header: null };
    const answered = await server.request(sessionReport, params, token);
    // After the panel has received the answer.
    setImmediate(() => open.markShown(params.session, answered.header?.revision ?? null));
    return answered;
  });
  onRequest(answerer, saveFeedback, async (params) => {
    const outcome = await server.request(saveFeedback, params);
    if ('written' in outcome) open.notify({ event: 'changed', turns: params.turn === null ? [] : [params.turn] });
    return outcome;
  });
}

function handleInEditor(answerer: PanelHost, open: ReportPanelHandle, parts: ReportPanelOptions): void {
  const { evaluation, log, follow } = parts;
  /** Errors are shown in the editor, not in the panel. */
  const reportError = async (work: Promise<unknown>): Promise<Record<string, never>> => {
    await work.catch((error: unknown) => void showError(error, log));
    return {};
  };
  onRequest(answerer, reveal, ({ target, focus }) => reportError(showTarget(target, focus, parts)));
  onRequest(answerer, focusFile, ({ session }) =>
    reportError(openFile(vscode.Uri.parse(sessionUri(session)), { preview: true })),
  );
  onRequest(answerer, reevaluate, ({ session }) =>
    reportError(evaluation.run([vscode.Uri.parse(sessionUri(session))], 'here')),
  );
  onRequest(answerer, stopEvaluation, () => {
    evaluation.stop();
    return {};
  });
  onRequest(answerer, turnSelected, (now) => {
    open.setSelected(now);
    return reportError(follow.show(now));
  });
  onRequest(answerer, keepOpen, () => {
    open.keep();
    return {};
  });
  onRequest(answerer, runCommand, ({ command, ...of }) => reportError(Promise.resolve(PANEL_COMMANDS[command](of))));
  onRequest(answerer, editFinding, ({ edit, ...finding }) =>
    reportError(Promise.resolve(vscode.commands.executeCommand(FINDING_COMMANDS[edit], finding))),
  );
  onRequest(answerer, openLink, async ({ url }) => ({ opened: await openInBrowser(url) }));
  onRequest(answerer, openRule, ({ rule }) =>
    reportError(Promise.resolve(vscode.commands.executeCommand('turnwise.openRuleDocumentation', { rule }))),
  );
  onRequest(answerer, copy, async (asked) => {
    try {
      await copyMarkdown(asked, parts);
      return { copied: true };
    } catch (error) {
      void showError(error, log);
      return { copied: false };
    }
  });
}

const FINDING_COMMANDS = { suppress: 'turnwise.suppressFinding', severity: 'turnwise.setRuleSeverity' } as const;

/** The commands that a panel offers as next steps. */
const PANEL_COMMANDS = {
  showSessions: ({ session }) =>
    vscode.commands.executeCommand('turnwise.showSessions', vscode.Uri.parse(sessionUri(session))),
  addToTests: (of) => vscode.commands.executeCommand('turnwise.addToTests', of),
  chooseJudge: () => vscode.commands.executeCommand('turnwise.chooseJudge'),
  showLog: () => vscode.commands.executeCommand('turnwise.showLog'),
} as const satisfies Record<
  PanelCommand,
  (of: { readonly session: string; readonly turn?: number | undefined }) => Thenable<unknown>
>;

/** Copies a turn, a session or an issue as Markdown. */
export async function copyMarkdown(
  asked: MarkdownParams,
  { server }: Pick<ReportPanelOptions, 'server'>,
): Promise<void> {
  const answered = await server.request(markdown, asked);
  if (answered.text === null) {
    const name = fileName(sessionUri(asked.session));
    throw new UserError(vscode.l10n.t('{0} changed after the evaluation. Evaluate it again, then copy.', name));
  }
  await vscode.env.clipboard.writeText(answered.text);
}

/** Shows a value in its file; with `focus` the editor gets the keyboard focus. */
export async function showTarget(
  target: JsonTarget,
  focus: boolean,
  parts: Pick<ReportPanelOptions, 'follow' | 'evidence'> & { readonly server: Pick<LanguageServer, 'request'> },
): Promise<void> {
  const uri = vscode.Uri.parse(target.uri);
  requireLines(uri);
  const { location } = await parts.server.request(resolveLocation, target);
  if (!location) {
    throw new UserError(
      vscode.l10n.t(
        "{0} is not valid JSON, so this location can't be shown. Fix it and evaluate again.",
        fileName(uri),
      ),
    );
  }
  await revealLocation(location, focus, parts);
}

function requireLines(uri: vscode.Uri): void {
  if (!isArchive(uri)) return;
  throw new UserError(
    vscode.l10n.t(
      '{0} is an archive and has no lines. To see lines, convert it with "inspect log convert --to json".',
      fileName(uri),
    ),
  );
}

/** Shows a location in a file; with `focus` the editor gets the keyboard focus. */
export async function revealLocation(
  location: FileLocation,
  focus: boolean,
  { follow, evidence }: Pick<ReportPanelOptions, 'follow' | 'evidence'>,
): Promise<void> {
  requireLines(vscode.Uri.parse(location.uri));
  const { line, character } = location.range.start;
  // The moved cursor must not select another turn in the panel.
  follow.expect(vscode.Uri.parse(location.uri), new vscode.Range(line, character, line, character));
  await evidence.show(location, { preview: true, focus });
}
