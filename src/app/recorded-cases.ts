import { dirname, join, relative, resolve } from 'node:path';
import type { Configuration } from '../config/schema.ts';
import type { Session } from '../core/session.ts';
import { adkEvalset } from '../formats/agents/adk-evalset.ts';
import { nodeFileSystem } from '../input/node-file-system.ts';
import { runsOfCases } from '../input/pair-expectations.ts';
import type { ChosenAgent } from './choose-agent.ts';
import { loadRun } from './load-run.ts';
import type { ScenarioSource } from './scenario-files.ts';

/** The name of the agent that gives the recorded answers, where the configuration has none. */
export const RECORDED_AGENT = 'replay';

const SESSION_FILE = /\.session\.json$/;

/** Bounds the work in folders with very many sessions. */
const MAX_FILES = 1000;

/** Why a scenario has no agent, where it is not recorded either. */
export function missingAgent(
  { problem, isNamed }: Extract<ChosenAgent, { problem: string }>,
  { cases }: Pick<ScenarioSource, 'cases'>,
): string {
  const isRecordable = cases.length > 0 && !isNamed;
  return isRecordable ? `${problem} Or put its recorded session, such as X.session.json, beside the file.` : problem;
}

/**
 * The recorded sessions of the cases of an evaluation set, by the ids of the cases: from the session files in its folder, paired
 * as `turnwise eval` pairs them. What cannot be read is no recording. Rejects only when the signal is aborted.
 */
export async function readRecordedCases(
  { file, cases }: Pick<ScenarioSource, 'file' | 'cases'>,
  cwd: string,
  configuration: Configuration,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Session>> {
  if (cases.length === 0) return new Map();
  const path = relative('', resolve(cwd, file));
  const folder = dirname(path);
  const entries = await nodeFileSystem.list(folder).catch(() => []);
  const names = entries.flatMap(({ name, kind, isLink }) =>
    kind === 'file' && !isLink && SESSION_FILE.test(name) ? [name] : [],
  );
  if (names.length === 0) return new Map();
  const paths = names.sort().slice(0, MAX_FILES);
  const { sessions } = await loadRun(
    paths.map((name) => join(folder, name)),
    configuration,
    { signal },
  );
  return runsOfCases(
    sessions,
    cases.map((one) => ({ ...one, file: path, format: adkEvalset.name })),
  );
}
