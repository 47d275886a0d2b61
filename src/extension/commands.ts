import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { clear, place } from '../protocol/messages.ts';
import type { Context } from './context.ts';
import { Refusal, showError } from './errors.ts';
import { evaluateAll, evaluateChosen, evaluateFailed, evaluateFolder } from './evaluate-commands.ts';
import { formatCopy } from './format-copy.ts';
import { chooseJudge } from './judge.ts';
import { forgetKeys, forgetPermissions, setKey } from './key-commands.ts';
import { openFile, openPlace } from './open-file.ts';
import { copySession, copyTurn, showTurn } from './report-commands.ts';
import { placeOf, textOf } from './result-items.ts';
import type { Grouping } from './result-rows.ts';
import { openJudgesPage, openRulePage, relevelRule, suppress } from './rule-commands.ts';
import { reportOf } from './session-choice.ts';
import { targetsOf } from './targets.ts';

/** Every command, by the name it has in the manifest. Its arguments come from menus, lenses, and from anybody. */
const COMMANDS = {
  'turnwise.evaluate': evaluateChosen,
  'turnwise.evaluateFolder': evaluateFolder,
  'turnwise.evaluateAll': evaluateAll,
  'turnwise.evaluateFailed': evaluateFailed,
  'turnwise.stop': ({ evaluation }) => evaluation.stop(),
  'turnwise.clear': clearResults,
  'turnwise.openReport': openReport,
  'turnwise.openSource': openSource,
  'turnwise.copy': copy,
  'turnwise.copyTurn': copyTurn,
  'turnwise.copySession': copySession,
  'turnwise.showTurn': showTurn,
  'turnwise.groupByFile': (context) => group(context, 'file'),
  'turnwise.groupByVerdict': (context) => group(context, 'verdict'),
  'turnwise.showMore': ({ results }, list) => (typeof list === 'string' ? results.showMore(list) : undefined),
  'turnwise.formatCopy': formatChosen,
  'turnwise.suppress': suppress,
  'turnwise.relevelRule': relevelRule,
  'turnwise.openRulePage': openRulePage,
  'turnwise.openJudgesPage': openJudgesPage,
  'turnwise.chooseJudge': chooseJudge,
  'turnwise.setKey': setKey,
  'turnwise.forgetKeys': forgetKeys,
  'turnwise.forgetPermissions': forgetPermissions,
  'turnwise.showLog': ({ log }) => log.show(),
  'turnwise.restartServer': ({ server }) => server.restart(),
  'turnwise.serverStopped': serverStopped,
} as const satisfies Record<string, Command>;

type Command = (context: Context, ...args: unknown[]) => void | Promise<void>;

/** What a command throws is said to the user. */
export function registerCommands(context: Context): vscode.Disposable {
  const registered = Object.entries<Command>(COMMANDS).map(([name, run]) =>
    vscode.commands.registerCommand(name, async (...args: unknown[]) => {
      try {
        await run(context, ...args);
      } catch (error) {
        // The message waits for the user; the command is over without.
        void showError(error, context.log);
      }
    }),
  );
  return vscode.Disposable.from(...registered);
}

async function clearResults({ server, held }: Context): Promise<void> {
  if (!server.isRunning) return;
  await server.ask(clear, {});
  await held.refresh();
}

async function openReport(context: Context, clicked: unknown): Promise<void> {
  const report = await reportOf(context, clicked);
  if (report) context.reports.open(report.session, report.turn);
}

/** The place that a click on a row gives is shown; what is chosen from the menu of a row is kept open. */
async function openSource({ results }: Context, clicked: unknown): Promise<void> {
  if (!results.isNode(clicked)) {
    const { success, data } = z.safeParse(place, clicked);
    if (success) await openPlace(data, { preview: true });
    return;
  }
  const at = placeOf(clicked);
  if (at) return openPlace(at, { preview: false });
  const [uri] = targetsOf([clicked], (value) => results.isNode(value));
  if (uri) await openFile(uri);
}

async function copy({ results }: Context, clicked: unknown, selected: unknown): Promise<void> {
  const nodes = Array.isArray(selected) && selected.length > 0 ? selected : [clicked];
  const texts = nodes.filter((node) => results.isNode(node)).map(textOf);
  if (texts.length > 0) await vscode.env.clipboard.writeText(texts.join('\n'));
}

async function group({ grouped, results }: Context, grouping: Grouping): Promise<void> {
  await grouped.set(grouping);
  results.grouping = grouping;
}

async function formatChosen({ results }: Context, clicked: unknown): Promise<void> {
  const [uri = vscode.window.activeTextEditor?.document.uri] = targetsOf([clicked], (value) => results.isNode(value));
  if (!uri) throw new Refusal(vscode.l10n.t('Open the file that is to be formatted first.'));
  await formatCopy(uri);
}

async function serverStopped({ server, log }: Context): Promise<void> {
  const [restart, showLog] = [vscode.l10n.t('Restart Server'), vscode.l10n.t('Show Log')];
  const message = vscode.l10n.t('The language server of Turnwise stopped several times and is not running.');
  const chosen = await vscode.window.showWarningMessage(message, restart, showLog);
  if (chosen === restart) await server.restart();
  if (chosen === showLog) log.show();
}
