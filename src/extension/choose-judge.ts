import * as vscode from 'vscode';
import { type JudgeChoice, saveJudge } from '../protocol/models.ts';
import type { ApiKeys } from './api-keys.ts';
import { setContext } from './context-keys.ts';
import type { EvaluationRunner } from './evaluation-runner.ts';
import { pickJudge } from './judge-picker.ts';
import { escapeLabel } from './labels.ts';
import type { LanguageServer } from './language-server.ts';
import { type PickedModel, pickModel } from './model-picker.ts';
import {
  type EnteredKey,
  type ModelTestOutcome,
  saveWithKey,
  setupTarget,
  showSaved,
  testUntilDecided,
} from './model-setup.ts';
import type { ReportPanels } from './report-panels.ts';
import { answeredMessage, requestTest } from './test-connection.ts';

export interface ChooseModelContext {
  readonly server: Pick<LanguageServer, 'request'>;
  readonly keys: Pick<ApiKeys, 'get' | 'set' | 'delete'>;
  readonly log: Pick<vscode.LogOutputChannel, 'error'>;
  readonly evaluation: Pick<EvaluationRunner, 'run'>;
  readonly reports: Pick<ReportPanels, 'active'>;
}

/** A judge that is ready to be saved. */
interface JudgeSetup {
  readonly judge: JudgeChoice;
  readonly key: EnteredKey | null;
  /** How the judge answered the test question; null: it did not, or there was none. */
  readonly answered: string | null;
}

/**
 * Lets the user choose a judge, which answers a test question before it and its key are saved. Escape or an error before the end
 * leaves settings, files and keys as they were. The open trace is then evaluated.
 */
export async function chooseJudge(context: ChooseModelContext): Promise<void> {
  const { server, keys, log, evaluation, reports } = context;
  const { uri, trace } = setupTarget(context);
  const setup = await setUpJudge(uri, context);
  if (!setup) return;
  const { judge, key, answered } = setup;
  const { written, asking } = await saveWithKey(key, keys, () =>
    server.request(saveJudge, { uri: uri.toString(), judge }),
  );
  await setContext('turnwise.hasChosenJudge', true);
  const evaluated = answered === null ? undefined : trace;
  const note =
    judge.provider === 'rules' && asking.length > 0
      ? vscode.l10n.t('These metrics still use their own model: {0}.', asking.join(', '))
      : null;
  showSaved({ answered, written, evaluated, note }, log);
  if (evaluated) await evaluation.run([evaluated], reports.active ? 'here' : 'view');
}

/** Undefined: the user cancelled. */
async function setUpJudge(
  uri: vscode.Uri,
  { server, keys }: Pick<ChooseModelContext, 'server' | 'keys'>,
): Promise<JudgeSetup | undefined> {
  for (let replacesKey = false; ; replacesKey = true) {
    const picked = await pickJudge();
    if (!picked) return undefined;
    if (picked.kind === 'rules') return { judge: { provider: 'rules' }, key: null, answered: null };
    const setup = await pickModel(picked, { server, keys, replacesKey, use: 'judge' });
    if (!setup) return undefined;
    const tested = await testUntilDecided(() => testJudge(uri, setup, server));
    if (tested === 'change') continue;
    if (!tested) return undefined;
    const { model, host, key } = setup;
    return { judge: model, key: key === null ? null : { host, key }, ...tested };
  }
}

async function testJudge(
  uri: vscode.Uri,
  { model, key }: PickedModel,
  server: ChooseModelContext['server'],
): Promise<ModelTestOutcome> {
  const params = { uri: uri.toString(), judge: model, ...(key !== null && { key }) };
  const test = await requestTest(server, params, vscode.l10n.t('Testing {0}…', escapeLabel(model.model)));
  if (test.status === 'answered') return { answered: answeredMessage(test) };
  return { problem: test.status === 'failed' ? escapeLabel(test.error) : vscode.l10n.t('The test was cancelled.') };
}
