import { basename } from 'node:path';
import * as vscode from 'vscode';
import { type JudgeChoice, saveJudge } from '../protocol/models.ts';
import type { ApiKeys } from './api-keys.ts';
import { UserError } from './errors.ts';
import type { EvaluationRunner } from './evaluation-runner.ts';
import { pickJudge } from './judge-picker.ts';
import { escapeLabel, fileName } from './labels.ts';
import type { LanguageServer } from './language-server.ts';
import { type ModelSetup, pickModel } from './model-picker.ts';
import { openTrace } from './open-trace.ts';
import type { ReportPanels } from './report-panels.ts';
import { targetResource } from './target-resource.ts';
import { answeredMessage, requestTest } from './test-connection.ts';

interface ChooseJudgeContext {
  readonly server: Pick<LanguageServer, 'request'>;
  readonly keys: Pick<ApiKeys, 'get' | 'set' | 'delete'>;
  readonly log: Pick<vscode.LogOutputChannel, 'error'>;
  readonly evaluation: Pick<EvaluationRunner, 'run'>;
  readonly reports: Pick<ReportPanels, 'active'>;
}

/** A judge that is ready to be saved. */
interface JudgeSetup {
  readonly judge: JudgeChoice;
  /** Null: the user entered no key. */
  readonly key: { readonly host: string; readonly key: string } | null;
  /** How the judge answered the test question; null: it did not, or there was none. */
  readonly answered: string | null;
}

/**
 * Lets the user choose a judge, which answers a test question before it and its key are saved. Escape or an error before the end
 * leaves settings, files and keys as they were. The open trace is then evaluated.
 */
export async function chooseJudge(context: ChooseJudgeContext): Promise<void> {
  if (!vscode.workspace.isTrusted) {
    throw new UserError(vscode.l10n.t('This folder is not trusted. Trust it to choose a judge.'));
  }
  const trace = openTrace(context.reports);
  const uri = trace ?? targetResource();
  if (!uri) {
    throw new UserError(vscode.l10n.t('Open a folder or a trace first. The judge is saved to its configuration.'));
  }
  const setup = await setUpJudge(uri, context);
  if (!setup) return;
  const { written, asking } = await save(uri, setup, context);
  const evaluated = setup.answered === null ? undefined : trace;
  showSaved(setup, written, { asking, evaluated, log: context.log });
  if (evaluated) await context.evaluation.run([evaluated], context.reports.active ? 'here' : 'view');
}

/** Undefined: the user cancelled. */
async function setUpJudge(
  uri: vscode.Uri,
  { server, keys }: Pick<ChooseJudgeContext, 'server' | 'keys'>,
): Promise<JudgeSetup | undefined> {
  for (let replacesKey = false; ; replacesKey = true) {
    const picked = await pickJudge();
    if (!picked) return undefined;
    if (picked.kind === 'rules') return { judge: { provider: 'rules' }, key: null, answered: null };
    const setup = await pickModel(picked, { server, keys, replacesKey });
    if (!setup) return undefined;
    const tested = await testModel(uri, setup, server);
    if (tested === 'change') continue;
    if (!tested) return undefined;
    const { model, host, key } = setup;
    return { judge: model, key: key === null ? null : { host, key }, ...tested };
  }
}

/** Asks the model until it answers or the user decides otherwise. Undefined: the user cancelled. */
async function testModel(
  uri: vscode.Uri,
  { model, key }: ModelSetup,
  server: ChooseJudgeContext['server'],
): Promise<Pick<JudgeSetup, 'answered'> | 'change' | undefined> {
  const params = { uri: uri.toString(), judge: model, ...(key !== null && { key }) };
  const [retry, change, saveAnyway] = [
    vscode.l10n.t('Retry'),
    vscode.l10n.t('Change…'),
    vscode.l10n.t('Save Anyway'),
  ] as const;
  for (;;) {
    const test = await requestTest(server, params, vscode.l10n.t('Testing {0}…', escapeLabel(model.model)));
    if (test.status === 'answered') return { answered: answeredMessage(test) };
    const problem = test.status === 'failed' ? escapeLabel(test.error) : vscode.l10n.t('The test was cancelled.');
    const chosen = await vscode.window.showErrorMessage(problem, retry, change, saveAnyway);
    if (chosen === saveAnyway) return { answered: null };
    if (chosen === change) return 'change';
    if (chosen !== retry) return undefined;
  }
}

interface SavedJudge {
  /** The path of the configuration. */
  readonly written: string;
  /** Metrics that still use their own model. */
  readonly asking: readonly string[];
}

/** Stores the key and writes the configuration, or does neither. */
async function save(
  uri: vscode.Uri,
  { judge, key }: JudgeSetup,
  { server, keys }: Pick<ChooseJudgeContext, 'server' | 'keys'>,
): Promise<SavedJudge> {
  const restoreKey = key ? await storeKey(key, keys) : async () => {};
  try {
    const outcome = await server.request(saveJudge, { uri: uri.toString(), judge });
    if ('error' in outcome) throw new UserError(outcome.error);
    return outcome;
  } catch (error) {
    await restoreKey();
    throw error;
  }
}

/** @returns a function that puts the former key back. */
async function storeKey(
  { host, key }: NonNullable<JudgeSetup['key']>,
  keys: ChooseJudgeContext['keys'],
): Promise<() => Promise<void>> {
  const former = await keys.get(host);
  await keys.set(host, key);
  return () => (former === null ? keys.delete([host]) : keys.set(host, former));
}

interface SavedMessageOptions {
  /** Metrics that still use their own model. */
  readonly asking: readonly string[];
  /** The trace that is evaluated now. */
  readonly evaluated: vscode.Uri | undefined;
  readonly log: ChooseJudgeContext['log'];
}

function showSaved(
  { judge, answered }: JudgeSetup,
  written: string,
  { asking, evaluated, log }: SavedMessageOptions,
): void {
  const open = vscode.l10n.t('Open');
  const saved = evaluated
    ? vscode.l10n.t('Saved to {0}. Evaluating {1}.', basename(written), fileName(evaluated))
    : vscode.l10n.t('Saved to {0}. Applies to the next evaluation.', basename(written));
  const others =
    judge.provider === 'rules' && asking.length > 0
      ? vscode.l10n.t('These metrics still use their own model: {0}.', asking.join(', '))
      : null;
  const message = [answered, saved, others].filter((part) => part !== null).join(' ');
  // Not awaited: the message stays open until the user closes it.
  vscode.window.showInformationMessage(escapeLabel(message), open).then(async (chosen) => {
    if (chosen === open) await vscode.window.showTextDocument(vscode.Uri.file(written));
  }, log.error);
}
