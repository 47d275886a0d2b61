import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { clear, fileLocation } from '../protocol/messages.ts';
import { forgetKeys, resetConsent, setKey } from './api-key-commands.ts';
import { chooseEmbedder } from './choose-embedder.ts';
import { chooseJudge } from './choose-judge.ts';
import type { CommandContext } from './command-context.ts';
import { resolveTargets } from './command-targets.ts';
import { showError, UserError } from './errors.ts';
import {
  evaluateAll,
  evaluateFailed,
  evaluateFolder,
  evaluateLookalikes,
  evaluateSelection,
  evaluateSelectionWith,
  searchTraces,
} from './evaluate-commands.ts';
import { labelResults } from './label-commands.ts';
import { watchMyAgent } from './live-commands.ts';
import { addToTests, newScenario } from './new-scenario-commands.ts';
import { openFile } from './open-file.ts';
import { copySession, copyTurn, showTurn } from './report-commands.ts';
import { nodeLocation, nodeText } from './result-items.ts';
import { openJudgeGuide, openRuleDocumentation, setRuleSeverity, suppressFinding } from './rule-commands.ts';
import {
  compareRuns,
  compareWith,
  compareWithPrevious,
  copyRunId,
  deleteSelected,
  exportToFile,
  openRunsPage,
  rejudgeRun,
  rename,
  setAsBaseline,
  showTrends,
} from './run-commands.ts';
import { copySample } from './sample-trace.ts';
import { compareScenario, openScenarioReport, runScenario, runScenariosInFile } from './scenario-commands.ts';
import { resolveReport } from './session-picker.ts';
import { showAllSessions, showSessions } from './show-sessions.ts';
import { testConnection } from './test-connection.ts';
import { openAttemptReport } from './tests/open-attempt-report.ts';
import { openUserPrompt } from './user-prompt.ts';
import type { ViewSettings } from './view-settings.ts';

/** All commands by id. Arguments come from menus, lenses and keybindings, and are not trusted. */
const COMMANDS = {
  'turnwise.evaluate': evaluateSelection,
  'turnwise.evaluateWith': evaluateSelectionWith,
  'turnwise.evaluateFolder': evaluateFolder,
  'turnwise.evaluateAll': evaluateAll,
  'turnwise.evaluateFailed': evaluateFailed,
  'turnwise.evaluateLookalikes': evaluateLookalikes,
  'turnwise.findTraces': searchTraces,
  'turnwise.stop': ({ evaluation }) => evaluation.stop(),
  'turnwise.watchAgent': watchMyAgent,
  'turnwise.stopWatching': ({ live }) => live.stop(),
  'turnwise.clear': clearResults,
  'turnwise.openReport': (context, clicked) => openReport(context, clicked, { toSide: false }),
  'turnwise.openReportToSide': (context, clicked) => openReport(context, clicked, { toSide: true }),
  'turnwise.openAttemptReport': openAttemptReport,
  'turnwise.openSample': openSample,
  'turnwise.keepReportOpen': ({ reports }) => reports.keepOpen(),
  'turnwise.showSessions': showSessions,
  'turnwise.showAllSessions': showAllSessions,
  'turnwise.openJson': openSource,
  'turnwise.copy': copy,
  'turnwise.copyTurn': copyTurn,
  'turnwise.copySession': copySession,
  'turnwise.showTurn': showTurn,
  'turnwise.addToTests': addToTests,
  'turnwise.newScenario': newScenario,
  'turnwise.groupByFile': (context) => changeView(context, { grouping: 'file' }),
  'turnwise.groupByOutcome': (context) => changeView(context, { grouping: 'outcome' }),
  'turnwise.sortByOutcome': (context) => changeView(context, { sort: 'outcome' }),
  'turnwise.sortByName': (context) => changeView(context, { sort: 'name' }),
  'turnwise.sortByRisk': (context) => changeView(context, { sort: 'risk' }),
  'turnwise.showProblemsOnly': (context) => changeView(context, { problemsOnly: true }),
  'turnwise.showAll': (context) => changeView(context, { problemsOnly: false }),
  'turnwise.answerQuestion': answer,
  'turnwise.showMore': showMore,
  'turnwise.compareWithPrevious': compareWithPrevious,
  'turnwise.compareWith': compareWith,
  'turnwise.compareRuns': compareRuns,
  'turnwise.showTrends': showTrends,
  'turnwise.labelResults': labelResults,
  'turnwise.setAsBaseline': setAsBaseline,
  'turnwise.renameRun': rename,
  'turnwise.exportRun': exportToFile,
  'turnwise.deleteRuns': deleteSelected,
  'turnwise.copyRunId': copyRunId,
  'turnwise.rejudge': rejudgeRun,
  'turnwise.openRunsPage': openRunsPage,
  'turnwise.runScenario': runScenario,
  'turnwise.runScenariosInFile': runScenariosInFile,
  'turnwise.openScenarioReport': openScenarioReport,
  'turnwise.compareScenario': compareScenario,
  'turnwise.openUserPrompt': openUserPrompt,
  'turnwise.openFormattedCopy': openFormattedCopy,
  'turnwise.suppressFinding': suppressFinding,
  'turnwise.setRuleSeverity': setRuleSeverity,
  'turnwise.openRuleDocumentation': openRuleDocumentation,
  'turnwise.openJudgeGuide': openJudgeGuide,
  'turnwise.chooseEmbedder': chooseEmbedder,
  'turnwise.chooseJudge': chooseJudge,
  'turnwise.testConnection': testConnection,
  'turnwise.setApiKey': setKey,
  'turnwise.deleteApiKeys': forgetKeys,
  'turnwise.resetConsent': resetConsent,
  'turnwise.showLog': ({ log }) => log.show(),
  'turnwise.restartServer': ({ server }) => server.restart(),
  'turnwise.showServerStatus': serverStopped,
} as const satisfies Record<string, Command>;

type Command = (context: CommandContext, ...args: unknown[]) => void | Promise<void>;

/** Registers the commands; an error that a command throws is shown to the user. */
export function registerCommands(context: CommandContext): vscode.Disposable {
  const registered = Object.entries<Command>(COMMANDS).map(([name, run]) =>
    vscode.commands.registerCommand(name, async (...args: unknown[]) => {
      try {
        await run(context, ...args);
      } catch (error) {
        // Not awaited: the message stays open until the user closes it.
        void showError(error, context.log);
      }
    }),
  );
  return vscode.Disposable.from(...registered);
}

async function clearResults({ server, model }: CommandContext): Promise<void> {
  if (!server.isRunning) return;
  await server.request(clear, {});
  await model.refresh();
}

/** A click on a row gives the id of its question, its inline action gives the row. */
async function answer({ questions, results }: CommandContext, clicked: unknown): Promise<void> {
  if (!results.isNode(clicked)) return questions.ask(clicked);
  if (clicked.type === 'question') await questions.ask(clicked.question.id);
}

async function openReport(
  context: CommandContext,
  clicked: unknown,
  options: { readonly toSide: boolean },
): Promise<void> {
  const report = await resolveReport(context, clicked);
  if (report) context.reports.open(report.session, report.turn, options);
}

async function openSample(context: CommandContext): Promise<void> {
  await openReport(context, await copySample(context), { toSide: false });
}

/** A click on a row previews its location; the menu of a row opens the file for good. */
async function openSource({ results, evidence }: CommandContext, clicked: unknown): Promise<void> {
  if (!results.isNode(clicked)) {
    const { success, data } = z.safeParse(fileLocation, clicked);
    if (success) await evidence.show(data, { preview: true, focus: true });
    return;
  }
  const at = nodeLocation(clicked);
  if (at) return evidence.show(at, { preview: false, focus: true });
  const [uri] = resolveTargets([clicked], (value) => results.isNode(value));
  if (uri) await openFile(uri);
}

async function copy({ results }: CommandContext, clicked: unknown, selected: unknown): Promise<void> {
  const nodes = Array.isArray(selected) && selected.length > 0 ? selected : [clicked];
  const texts = nodes.filter((node) => results.isNode(node)).map(nodeText);
  if (texts.length > 0) await vscode.env.clipboard.writeText(texts.join('\n'));
}

/** A row of either view names its list. */
async function showMore({ results, runsView }: CommandContext, list: unknown): Promise<void> {
  if (typeof list === 'string' && !runsView.showMore(list)) await results.showMore(list);
}

async function changeView(
  { viewSettings, model, results }: CommandContext,
  change: Partial<ViewSettings>,
): Promise<void> {
  await viewSettings.update(change);
  await model.refresh();
  results.refresh();
}

/** With the cursor, and what is selected marked, as in the editor of the file. */
async function openFormattedCopy({ results, evidence }: CommandContext, clicked: unknown): Promise<void> {
  const { activeTextEditor: active, visibleTextEditors: visible } = vscode.window;
  const [uri = active?.document.uri] = resolveTargets([clicked], (value) => results.isNode(value));
  if (!uri) throw new UserError(vscode.l10n.t('Open a file to format first.'));
  const editor = [...(active ? [active] : []), ...visible].find((it) => it.document.uri.toString() === uri.toString());
  await evidence.showInCopy({ uri, range: editor?.selection ?? new vscode.Range(0, 0, 0, 0) });
}

async function serverStopped({ server, log }: CommandContext): Promise<void> {
  const [restart, showLog] = [vscode.l10n.t('Restart Server'), vscode.l10n.t('Show Log')];
  const message = vscode.l10n.t('The Turnwise language server stopped repeatedly and is not running.');
  const chosen = await vscode.window.showWarningMessage(message, restart, showLog);
  if (chosen === restart) await server.restart();
  if (chosen === showLog) log.show();
}
