import { homedir } from 'node:os';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import * as l10n from '@vscode/l10n';
import { findConfiguration, leadsOutside } from '../../config/discover.ts';
import { applyFlags, type ConfigFlags } from '../../config/flags.ts';
import { readConfigurationText } from '../../config/load.ts';
import { parseConfiguration } from '../../config/parse.ts';
import { REGISTRY } from '../../config/registry.ts';
import { errorMessage } from '../../core/error-message.ts';
import { get, getObject, getString, isObject, type JsonObject, jsonEqual } from '../../core/json.ts';
import { MODEL_PROVIDERS, PROVIDER_NAMES } from '../../core/model-providers.ts';
import type { ModelRole } from '../../core/model-role.ts';
import type { EmbedderChoice, JudgeChoice } from '../../protocol/models.ts';
import { type EditPlan, refuseEdit } from '../disk/file-change.ts';
import { setJsonValue } from '../edits/json-edit.ts';
import { configurationFolder } from '../edits/set-rule-severity.ts';
import { setYamlValue } from '../edits/yaml-edit.ts';
import { embedderFlags, judgeFlags } from './model-flags.ts';

/** A plan, and the metrics that have a judge of their own. */
export type JudgeChangePlan = { readonly plan: EditPlan; readonly asking: readonly string[] };

/** Plans to set the judge in the configuration that applies to a folder. See `planModelChange`. */
export async function planJudgeChange(
  cwd: string,
  chosen: JudgeChoice,
  folders: readonly string[],
  home = homedir(),
): Promise<JudgeChangePlan> {
  const section = { role: 'judge', flags: () => judgeFlags(chosen) } as const;
  const { plan, configuration } = await planModelChange(cwd, section, folders, home);
  return { plan, asking: 'error' in plan ? [] : metricsWithOwnJudge(configuration) };
}

/**
 * Plans to set the embedder in the configuration that applies to a folder. See `planModelChange`. The path of a model inside an
 * open folder, or beside the configuration, is written relative to the configuration.
 */
export async function planEmbedderChange(
  cwd: string,
  chosen: EmbedderChoice,
  folders: readonly string[],
  home = homedir(),
): Promise<EditPlan> {
  const flags = (configurationFolder: string) => embedderFlags(inConfiguration(chosen, configurationFolder, folders));
  return (await planModelChange(cwd, { role: 'embedder', flags }, folders, home)).plan;
}

function inConfiguration(chosen: EmbedderChoice, from: string, folders: readonly string[]): EmbedderChoice {
  if (chosen.provider !== 'static') return chosen;
  const isInside = [from, ...folders].some((folder) => isInFolder(chosen.model, folder));
  return isInside ? { ...chosen, model: relative(from, chosen.model).split(sep).join('/') || '.' } : chosen;
}

function isInFolder(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** What is set, as the command line would set it. */
interface ModelSection {
  readonly role: ModelRole;
  /** @param folder that of the configuration file. */
  flags(folder: string): ConfigFlags;
}

/**
 * Plans to set a model in the configuration that applies to a folder. Settings that belong to another server are removed, as in the
 * command line.
 *
 * @param folders the folders that are open in the editor. @param home where the search for a configuration ends.
 * @returns also what the configuration said before.
 */
async function planModelChange(
  cwd: string,
  section: ModelSection,
  folders: readonly string[],
  home: string,
): Promise<{ readonly plan: EditPlan; readonly configuration: unknown }> {
  const { role } = section;
  const refuse = (why: string, file: string, line: number | null = null) => {
    return { plan: refuseEdit(why, { file, line }), configuration: undefined };
  };
  const existing = await findConfiguration(cwd, home);
  const file = existing?.file ?? join(await configurationFolder(join(cwd, 'x'), folders, home), 'turnwise.config.json');
  const update = (configuration: unknown) => updatedSection(role, configuration, section.flags(dirname(file)));
  if (!existing) {
    const after = `${JSON.stringify({ [role]: update({}) }, null, 2)}\n`;
    return { plan: { change: { path: file, before: null, after } }, configuration: {} };
  }
  const byHand = l10n.t('Add to it: {0}', `${role}: ${JSON.stringify(update({}))}`);
  if (!/\.(json|ya?ml)$/.test(file)) {
    return refuse(`${l10n.t('Turnwise does not edit code.')} ${byHand}`, file);
  }
  try {
    if (await leadsOutside(file, home)) return refuse(l10n.t('it is a link that leads out of the repository.'), file);
    const before = await readConfigurationText(file);
    const parsed = await parseConfiguration(file, before);
    if (parsed.kind === 'failed') return refuse(parsed.message, file, parsed.location?.line);
    const after = file.endsWith('.json')
      ? editJson(before, parsed.value, role, update)
      : await editYaml(before, parsed.value, role, update);
    if (after === null) return refuse(`${l10n.t('this YAML cannot be edited safely.')} ${byHand}`, file);
    return { plan: { change: { path: file, before, after } }, configuration: parsed.value };
  } catch (error) {
    return refuse(errorMessage(error), file);
  }
}

/** The section afterwards, without a base URL that is the provider's own. */
function updatedSection(role: ModelRole, configuration: unknown, flags: ConfigFlags): JsonObject {
  const section = getObject(applyFlags(configuration, flags, REGISTRY.metrics).value, role) ?? {};
  const { baseUrl, ...rest } = section;
  const provider = PROVIDER_NAMES.find((name) => name === section.provider);
  return provider && baseUrl === MODEL_PROVIDERS[provider].defaultBaseUrl ? rest : section;
}

/** Keys of the section to remove, and keys to set. */
interface KeyChanges {
  readonly removed: readonly string[];
  readonly set: readonly (readonly [key: string, value: unknown])[];
}

type Update = (configuration: unknown) => JsonObject;

function keyChanges(configuration: unknown, role: string, update: Update): KeyChanges {
  const [before, after] = [getObject(configuration, role) ?? {}, update(configuration)];
  return {
    removed: Object.keys(before).filter((key) => !Object.hasOwn(after, key)),
    set: Object.entries(after).filter(([key, value]) => !jsonEqual(before[key], value)),
  };
}

function editJson(text: string, configuration: unknown, role: string, update: Update): string {
  // A value that is not an object is replaced.
  if (!isObject(get(configuration, role))) return setJsonValue(text, [role], update({}));
  const { removed: gone, set } = keyChanges(configuration, role, update);
  const left = gone.reduce((rest, key) => setJsonValue(rest, [role, key], undefined), text);
  return set.reduce((rest, [key, value]) => setJsonValue(rest, [role, key], value), left);
}

async function editYaml(text: string, configuration: unknown, role: string, update: Update): Promise<string | null> {
  const isStrange = !isObject(get(configuration, role) ?? {});
  const { removed: gone, set } = keyChanges(isStrange ? {} : configuration, role, update);
  const hasMore = isStrange || gone.length > 0;
  let after: string | null = hasMore ? await removeYamlKeys(text, role, isStrange ? null : gone) : text;
  for (const [key, value] of set) {
    if (after !== null) after = await setYamlValue(after, [role, key], String(value));
  }
  return after;
}

/**
 * Removes keys by printing the YAML again, with its comments: YAML has many ways to write a mapping.
 *
 * @param keys keys of the section to remove; null: the whole value.
 */
async function removeYamlKeys(text: string, role: string, keys: readonly string[] | null): Promise<string> {
  const { parseDocument } = await import('../../config/yaml.ts');
  const document = parseDocument(text, { prettyErrors: false, logLevel: 'silent' });
  if (keys === null) document.setIn([role], document.createNode({}));
  else for (const key of keys) document.deleteIn([role, key]);
  const printed = document.toString({ lineWidth: 0 });
  return text.includes('\r\n') ? printed.replaceAll('\n', '\r\n') : printed;
}

function metricsWithOwnJudge(configuration: unknown): string[] {
  const metrics = getObject(configuration, 'metrics') ?? {};
  return Object.keys(metrics).filter(
    (name) => getString(metrics[name], 'judge') !== undefined && get(metrics[name], 'enabled') !== false,
  );
}
