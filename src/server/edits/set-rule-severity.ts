import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as l10n from '@vscode/l10n';
import { exists } from '../../config/discover.ts';
import { loadConfiguration, readConfigurationText } from '../../config/load.ts';
import { parseConfiguration } from '../../config/parse.ts';
import { REGISTRY } from '../../config/registry.ts';
import { errorMessage } from '../../core/error-message.ts';
import { get, isObject } from '../../core/json.ts';
import type { RuleArgument, RuleSeverity } from '../../protocol/finding-edits.ts';
import { findRule } from '../../rules/index.ts';
import { type EditPlan, refuseEdit } from '../disk/file-change.ts';
import { setJsonValue } from './json-edit.ts';
import { setYamlValue } from './yaml-edit.ts';

/**
 * Plans to set a rule's severity in the configuration that applies to a trace. Never rejects.
 *
 * @param folders the folders that are open in the editor. @param home where the search for a configuration ends.
 */
export async function planRuleSeverity(
  { uri, rule }: RuleArgument,
  level: RuleSeverity,
  folders: readonly string[],
  home = homedir(),
): Promise<EditPlan> {
  if (!findRule(rule)) return refuseEdit(l10n.t('there is no rule "{0}".', rule));
  const trace = fileURLToPath(uri);
  const cwd = dirname(trace);
  const loaded = await loadConfiguration({ cwd, registry: REGISTRY, code: 'refuse', home, agentest: 'ignore' });
  if (loaded.file === null) {
    const path = join(await configurationFolder(trace, folders, home), 'turnwise.config.json');
    return { change: { path, before: null, after: `${JSON.stringify({ rules: { [rule]: level } }, null, 2)}\n` } };
  }
  const path = resolve(cwd, loaded.file);
  if (!/\.(json|ya?ml)$/.test(path)) {
    const line = `rules: { '${rule}': '${level}' }`;
    return refuseEdit(`${l10n.t('Turnwise does not edit code.')} ${l10n.t('Add to it: {0}', line)}`, {
      file: path,
      line: null,
    });
  }
  const error = loaded.problems.find(({ severity }) => severity === 'error');
  if (error) return refuseEdit(error.message, { file: path, line: error.line });
  try {
    return await planConfigurationEdit(path, rule, level);
  } catch (error) {
    return refuseEdit(errorMessage(error), { file: path, line: null });
  }
}

async function planConfigurationEdit(path: string, rule: string, level: RuleSeverity): Promise<EditPlan> {
  const before = await readConfigurationText(path);
  const parsed = await parseConfiguration(path, before);
  const rules = parsed.kind === 'parsed' ? get(parsed.value, 'rules') : undefined;
  const keys = isObject(get(rules, rule)) ? ['rules', rule, 'level'] : ['rules', rule];
  const after = path.endsWith('.json') ? setJsonValue(before, keys, level) : await setYamlValue(before, keys, level);
  if (after !== null) return { change: { path, before, after } };
  return refuseEdit(
    `${l10n.t('this YAML cannot be edited safely.')} ${l10n.t('Add to it: {0}', `rules: { ${rule}: ${level} }`)}`,
    {
      file: path,
      line: null,
    },
  );
}

/**
 * The folder for a new configuration that applies to the trace: the open folder, but not outside the trace's
 * repository.
 */
export async function configurationFolder(trace: string, folders: readonly string[], home: string): Promise<string> {
  const searched: string[] = [];
  for (let here = dirname(trace); ; here = dirname(here)) {
    searched.push(here);
    if (folders.includes(here)) return here;
    if (here === home || here === dirname(here) || (await exists(join(here, '.git')))) break;
  }
  const isOpen = folders.some((folder) => trace.startsWith(join(folder, '/')));
  return (isOpen ? searched.at(-1) : searched[0]) ?? dirname(trace);
}
