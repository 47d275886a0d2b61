import { homedir } from 'node:os';
import { join } from 'node:path';
import * as l10n from '@vscode/l10n';
import { findConfiguration, leadsOutside } from '../../config/discover.ts';
import { applyFlags } from '../../config/flags.ts';
import { readConfigurationText } from '../../config/load.ts';
import { parseConfiguration } from '../../config/parse.ts';
import { REGISTRY } from '../../config/registry.ts';
import { EDITOR_PROVIDER } from '../../core/editor-models.ts';
import { errorMessage } from '../../core/error-message.ts';
import { get, getObject, getString, isObject, type JsonObject, jsonEqual } from '../../core/json.ts';
import { findProvider } from '../../llm/providers/index.ts';
import type { JudgeChoice } from '../../protocol/models.ts';
import { type EditPlan, refuseEdit } from '../disk/file-change.ts';
import { setJsonValue } from '../edits/json-edit.ts';
import { configurationFolder } from '../edits/set-rule-severity.ts';
import { setYamlValue } from '../edits/yaml-edit.ts';

/** A plan, and the metrics that have a judge of their own. */
export type JudgeChangePlan = { readonly plan: EditPlan; readonly asking: readonly string[] };

/**
 * Plans to set the judge in the configuration that applies to a folder. Settings that belong to another server are
 * removed, as in the command line.
 *
 * @param folders the folders that are open in the editor. @param home where the search for a configuration ends.
 */
export async function planJudgeChange(
  cwd: string,
  chosen: JudgeChoice,
  folders: readonly string[],
  home = homedir(),
): Promise<JudgeChangePlan> {
  const existing = await findConfiguration(cwd, home);
  if (!existing) {
    const path = join(await configurationFolder(join(cwd, 'x'), folders, home), 'turnwise.config.json');
    const after = `${JSON.stringify({ judge: updatedJudge({}, chosen) }, null, 2)}\n`;
    return { plan: { change: { path, before: null, after } }, asking: [] };
  }
  const { file } = existing;
  const byHand = l10n.t('Add to it: {0}', `judge: ${JSON.stringify(updatedJudge({}, chosen))}`);
  if (!/\.(json|ya?ml)$/.test(file)) {
    return refuseJudgeChange(`${l10n.t('Turnwise does not edit code.')} ${byHand}`, file);
  }
  try {
    if (await leadsOutside(file, home))
      return refuseJudgeChange(l10n.t('it is a link that leads out of the repository.'), file);
    const before = await readConfigurationText(file);
    const parsed = await parseConfiguration(file, before);
    if (parsed.kind === 'failed') return refuseJudgeChange(parsed.message, file, parsed.location?.line);
    const after = file.endsWith('.json')
      ? editJson(before, parsed.value, chosen)
      : await editYaml(before, parsed.value, chosen);
    if (after === null) return refuseJudgeChange(`${l10n.t('this YAML cannot be edited safely.')} ${byHand}`, file);
    return { plan: { change: { path: file, before, after } }, asking: metricsWithOwnJudge(parsed.value) };
  } catch (error) {
    return refuseJudgeChange(errorMessage(error), file);
  }
}

function refuseJudgeChange(why: string, file: string, line: number | null = null): JudgeChangePlan {
  return { plan: refuseEdit(why, { file, line }), asking: [] };
}

function updatedJudge(configuration: unknown, chosen: JudgeChoice): JsonObject {
  if (chosen.provider === 'rules') return judgeSection(applyFlags(configuration, { judge: 'rules' }, []).value);
  const judge = `${chosen.provider}:${chosen.model}`;
  if (chosen.provider === EDITOR_PROVIDER)
    return judgeSection(applyFlags(configuration, { judge }, REGISTRY.metrics).value);
  const { defaultBaseUrl } = findProvider(chosen.provider);
  const flags = { judge, judgeUrl: chosen.baseUrl ?? defaultBaseUrl };
  const { baseUrl, ...rest } = judgeSection(applyFlags(configuration, flags, REGISTRY.metrics).value);
  return baseUrl === defaultBaseUrl ? rest : { ...rest, baseUrl };
}

function judgeSection(configuration: unknown): JsonObject {
  return getObject(configuration, 'judge') ?? {};
}

/** Keys of `judge` to remove, and keys to set. */
interface KeyChanges {
  readonly removed: readonly string[];
  readonly set: readonly (readonly [key: string, value: unknown])[];
}

function keyChanges(configuration: unknown, chosen: JudgeChoice): KeyChanges {
  const [before, after] = [judgeSection(configuration), updatedJudge(configuration, chosen)];
  return {
    removed: Object.keys(before).filter((key) => !Object.hasOwn(after, key)),
    set: Object.entries(after).filter(([key, value]) => !jsonEqual(before[key], value)),
  };
}

function editJson(text: string, configuration: unknown, chosen: JudgeChoice): string {
  // A value that is not an object is replaced.
  if (!isObject(get(configuration, 'judge'))) return setJsonValue(text, ['judge'], updatedJudge({}, chosen));
  const { removed: gone, set } = keyChanges(configuration, chosen);
  const left = gone.reduce((rest, key) => setJsonValue(rest, ['judge', key], undefined), text);
  return set.reduce((rest, [key, value]) => setJsonValue(rest, ['judge', key], value), left);
}

async function editYaml(text: string, configuration: unknown, chosen: JudgeChoice): Promise<string | null> {
  const isStrange = !isObject(get(configuration, 'judge') ?? {});
  const { removed: gone, set } = keyChanges(isStrange ? {} : configuration, chosen);
  let after: string | null = isStrange || gone.length > 0 ? await removeYamlKeys(text, isStrange ? null : gone) : text;
  for (const [key, value] of set) {
    if (after !== null) after = await setYamlValue(after, ['judge', key], String(value));
  }
  return after;
}

/**
 * Removes keys by printing the YAML again, with its comments: YAML has many ways to write a mapping.
 *
 * @param keys keys of `judge` to remove; null: the whole value.
 */
async function removeYamlKeys(text: string, keys: readonly string[] | null): Promise<string> {
  const { parseDocument } = await import('../../config/yaml.ts');
  const document = parseDocument(text, { prettyErrors: false, logLevel: 'silent' });
  if (keys === null) document.setIn(['judge'], document.createNode({}));
  else for (const key of keys) document.deleteIn(['judge', key]);
  const printed = document.toString({ lineWidth: 0 });
  return text.includes('\r\n') ? printed.replaceAll('\n', '\r\n') : printed;
}

function metricsWithOwnJudge(configuration: unknown): string[] {
  const metrics = getObject(configuration, 'metrics') ?? {};
  return Object.keys(metrics).filter(
    (name) => getString(metrics[name], 'judge') !== undefined && get(metrics[name], 'enabled') !== false,
  );
}
