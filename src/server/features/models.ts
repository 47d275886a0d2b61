import { fileURLToPath } from 'node:url';
import { requiredModels } from '../../app/required-models.ts';
import { chooseJudge, forgetConsent, hosts } from '../../protocol/models.ts';
import { answer } from '../../protocol/request.ts';
import { dataFolder, type Environment } from '../../store/home.ts';
import type { Context } from '../context.ts';
import { refusal, written } from '../disk/file-change.ts';
import { editorOf } from '../editor.ts';
import { configurationOf, configured, type EvaluateDeciding, folderOf } from '../evaluating/configuration.ts';
import type { EvaluateFiles } from '../evaluating/evaluate.ts';
import { Consent } from '../permission/consent.ts';
import { ConsentFile } from '../permission/consent-file.ts';
import { hostsOf } from '../permission/hosts.ts';
import { Permission } from '../permission/permission.ts';
import { planJudge } from './judge-choice.ts';

/**
 * Evaluates as the folder's configuration says and the user of an editor permits; answers what the extension asks about it.
 *
 * @param env of the process.
 */
export function evaluationIn(
  context: Pick<Context, 'connection' | 'settings'>,
  evaluateFiles: EvaluateDeciding,
  env: Environment = process.env,
): EvaluateFiles {
  const { connection } = context;
  const editor = editorOf(context);
  const consent = new Consent(new ConsentFile(dataFolder(env)), editor.choose);
  answer(connection, hosts, async ({ uri }) => {
    const { configuration } = await configurationOf(fileURLToPath(uri), editor);
    return { hosts: configuration ? hostsOf(requiredModels(configuration)).map(({ host }) => host) : [] };
  });
  answer(connection, chooseJudge, async ({ uri, judge }) => {
    if (!editor.isTrusted()) return refusal('this folder is not trusted. Trust it, then choose again.');
    const { plan, asking } = await planJudge(await folderOf(fileURLToPath(uri)), judge, await editor.folders());
    const outcome = await written(plan);
    return 'written' in outcome ? { ...outcome, asking } : outcome;
  });
  answer(connection, forgetConsent, async () => {
    await consent.forget();
    return {};
  });
  return configured(evaluateFiles, editor, new Permission(editor, consent, env));
}
