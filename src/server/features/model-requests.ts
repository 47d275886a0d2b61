import { fileURLToPath } from 'node:url';
import * as l10n from '@vscode/l10n';
import { remoteModelHosts } from '../../app/model-hosts.ts';
import { requiredModels } from '../../app/required-models.ts';
import {
  clearConsent,
  listModels,
  modelHosts,
  saveEmbedder,
  saveJudge,
  testEmbedder,
  testJudge,
} from '../../protocol/models.ts';
import { answerQuestion } from '../../protocol/questions.ts';
import { onRequest } from '../../protocol/rpc.ts';
import type { RunStore } from '../../runs/run-store.ts';
import type { Environment } from '../../store/home.ts';
import { toAbortSignal } from '../abort-signal.ts';
import { ModelAccess } from '../consent/model-access.ts';
import { createModelDecisions, type ModelDecisions } from '../consent/model-decisions.ts';
import type { ServerContext } from '../context.ts';
import { applyPlan, refuseEdit } from '../disk/file-change.ts';
import { containingFolder } from '../disk/open-folders.ts';
import {
  type EvaluateWithDecision,
  loadFolderConfiguration,
  withFolderConfiguration,
} from '../evaluation/folder-configuration.ts';
import type { EvaluateFiles } from '../evaluation/group-evaluation.ts';
import { RunRecordings } from '../runs/run-recordings.ts';
import { planEmbedderChange, planJudgeChange } from './model-choice.ts';
import { answerListModels, answerTestEmbedder, answerTestJudge } from './model-connection.ts';

/**
 * Creates the evaluation for an editor: it follows the folder's configuration as far as the user allows. Also answers
 * the extension's requests about models.
 *
 * @param env the process environment. @param runs where evaluations are recorded; null: nowhere.
 */
export function createEvaluateFiles(
  context: Pick<ServerContext, 'connection' | 'settings'>,
  evaluateFiles: EvaluateWithDecision,
  env: Environment = process.env,
  runs: RunStore | null = null,
): EvaluateFiles {
  const { editor, consent } = answerModelRequests(context, env);
  const recordings = runs && new RunRecordings(() => runs, editor);
  return withFolderConfiguration(evaluateFiles, editor, new ModelAccess(editor, consent, env), recordings);
}

/** Answers the extension's requests about models. */
export function answerModelRequests(
  context: Pick<ServerContext, 'connection' | 'settings'>,
  env: Environment = process.env,
): ModelDecisions {
  const { connection } = context;
  const { editor, consent } = createModelDecisions(context, env);
  onRequest(connection, modelHosts, async ({ uri }) => {
    const { configuration } = await loadFolderConfiguration(fileURLToPath(uri), editor);
    const used = configuration ? remoteModelHosts(requiredModels(configuration)) : [];
    return { hosts: used.flatMap(({ host, isEditor }) => (isEditor ? [] : [host])) };
  });
  onRequest(connection, listModels, async (request, token) => {
    using cancellation = toAbortSignal(token);
    return await answerListModels(request, editor, env, cancellation.signal);
  });
  onRequest(connection, testJudge, async (request, token) => {
    using cancellation = toAbortSignal(token);
    return await answerTestJudge(request, editor, env, cancellation.signal);
  });
  onRequest(connection, testEmbedder, async (request, token) => {
    using cancellation = toAbortSignal(token);
    return await answerTestEmbedder(request, editor, env, cancellation.signal);
  });
  onRequest(connection, saveEmbedder, async ({ uri, embedder }) => {
    if (!editor.isTrusted()) return refuseEdit(l10n.t('this folder is not trusted. Trust it and choose again.'));
    const cwd = await containingFolder(fileURLToPath(uri));
    return await applyPlan(await planEmbedderChange(cwd, embedder, await editor.folders()));
  });
  onRequest(connection, saveJudge, async ({ uri, judge }) => {
    if (!editor.isTrusted()) return refuseEdit(l10n.t('this folder is not trusted. Trust it and choose again.'));
    const { plan, asking } = await planJudgeChange(
      await containingFolder(fileURLToPath(uri)),
      judge,
      await editor.folders(),
    );
    const outcome = await applyPlan(plan);
    return 'written' in outcome ? { ...outcome, asking } : outcome;
  });
  onRequest(connection, answerQuestion, ({ id, answer }) => {
    editor.questions.answer(id, answer);
    return {};
  });
  onRequest(connection, clearConsent, async () => {
    await consent.reset();
    return {};
  });
  return { editor, consent };
}
