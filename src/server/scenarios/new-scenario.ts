import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as l10n from '@vscode/l10n';
import type { AgentOutcome } from '../../core/report.ts';
import type { Session } from '../../core/session.ts';
import type { NewScenarioPlace } from '../../protocol/new-scenario.ts';
import type { SessionFindings } from '../../report-model/session-findings.ts';
import { draftScenario } from '../../scenarios/scenario-from-session.ts';
import { type ScenarioText, writeScenarioText } from '../../scenarios/scenario-text.ts';
import { type FolderConfiguration, loadFolderConfiguration } from '../evaluation/folder-configuration.ts';

interface EvaluatedContent {
  /** Null where its files have changed or are gone. */
  readonly session: Session | null;
  readonly found: SessionFindings;
  readonly outcome: AgentOutcome;
}

/** A scenario of a session, or why there is none. */
export async function makeScenario(
  { session, found, outcome }: EvaluatedContent,
  turn: number | null,
): Promise<(ScenarioText & { readonly name: string }) | { readonly error: string }> {
  if (!session) return { error: l10n.t('The trace changed after the evaluation. Evaluate it again.') };
  const draft = draftScenario({ session, found, outcome }, turn);
  if (!draft) return { error: l10n.t('The session has no turn that the agent answered.') };
  return { name: draft.name, ...(await writeScenarioText(draft)) };
}

/** Where a new scenario belongs. @param root the folder that is used without a configuration. */
export async function findScenarioPlace(
  path: string,
  root: string | undefined,
  isTrusted: () => boolean,
): Promise<NewScenarioPlace> {
  const loaded = await loadFolderConfiguration(path, { isTrusted });
  const { configuration } = loaded;
  const file = configurationFile(loaded);
  const folder = file === null ? (root ?? loaded.cwd) : dirname(file);
  const agents = Object.entries(configuration?.simulation.agents ?? {});
  return {
    folder: pathToFileURL(join(folder, scenarioFolder(configuration?.scenarios ?? []))).href,
    configuration: file === null ? null : pathToFileURL(file).href,
    agents: agents.map(([name, { type }]) => ({ name, type })),
  };
}

function configurationFile({ cwd, file }: FolderConfiguration): string | null {
  return file === null ? null : resolve(cwd, file);
}

const WILDCARD = /[*?{}[\]!()]/;

/** The folders before the wildcards of the first glob of YAML files, else of the first one; empty: beside the configuration. */
export function scenarioFolder(globs: readonly string[]): string {
  const included = globs.filter((glob) => !glob.startsWith('!'));
  const glob = included.find((one) => /ya?ml/.test(one)) ?? included[0] ?? '';
  const folders = glob.split('/').slice(0, -1);
  const end = folders.findIndex((name) => WILDCARD.test(name));
  return (end < 0 ? folders : folders.slice(0, end)).join('/');
}
