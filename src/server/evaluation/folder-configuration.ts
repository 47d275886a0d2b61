import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type LoadedConfiguration, loadConfiguration } from '../../config/load.ts';
import { REGISTRY } from '../../config/registry.ts';
import type { Configuration, ConfigurationInput } from '../../config/schema.ts';
import { createProblem, type Problem } from '../../core/problem.ts';
import type { Report } from '../../core/report.ts';
import type { EvaluateFilesOptions } from '../../index.ts';
import type { AccessDecision, ModelAccess } from '../consent/model-access.ts';
import { rejectedKeys } from '../consent/rejected-key.ts';
import type { Editor } from '../editor.ts';
import { raceAbort } from '../race-abort.ts';
import type { EvaluateFiles } from './evaluator.ts';

/** The library's, which lets us have the last word. */
export type EvaluateWithDecision = (
  paths: readonly string[],
  configuration: ConfigurationInput | Configuration,
  options: Parameters<EvaluateFiles>[2] & Pick<EvaluateFilesOptions, 'confirm'>,
) => ReturnType<EvaluateFiles>;

/** The nearest configuration, as the command line finds it. */
export interface FolderConfiguration extends LoadedConfiguration {
  /** Where it was looked for: its paths are relative to it. */
  readonly cwd: string;
}

/** The folder that a path is, or is in: from there on, configurations are looked for. */
export async function containingFolder(path: string): Promise<string> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  return isFolder ? path : dirname(path);
}

/** Code runs where the folder is trusted, and in a process of its own. */
export async function loadFolderConfiguration(
  path: string,
  { isTrusted }: Pick<Editor, 'isTrusted'>,
): Promise<FolderConfiguration> {
  const cwd = await containingFolder(path);
  const code = isTrusted() ? 'run' : 'refuse';
  return { cwd, ...(await loadConfiguration({ cwd, registry: REGISTRY, code })) };
}

/**
 * Evaluates under the configuration that is nearest to the first path, and so to all of them (see `Grouping`). One that is
 * broken is a problem of the report, and the evaluation goes on without it. One that is code is refused where the folder is not
 * trusted, and with it the functions of its own metrics. Models are asked as far as the user permits it.
 */
export function withFolderConfiguration(
  evaluateFiles: EvaluateWithDecision,
  editor: Editor,
  permission: ModelAccess,
): EvaluateFiles {
  return async (paths, _configuration, options) => {
    const [first = '.'] = paths;
    const { onWait = () => {}, resume } = options;
    const loaded = await raceAbort(loadFolderConfiguration(first, editor), options.signal);
    const stop = new AbortController();
    const signal = AbortSignal.any([options.signal, stop.signal]);
    let permitted: AccessDecision | undefined;
    const evaluated = await evaluateFiles(paths, loaded?.configuration ?? {}, {
      ...options,
      signal,
      confirm: async (read) => {
        permitted = await permission.decide({ ...read, paths, cwd: loaded?.cwd ?? dirname(first), signal, onWait });
        if (permitted.isCancelled) stop.abort();
        await resume?.();
        return permitted;
      },
    });
    if (permitted) reportRejectedKeys(evaluated.report, permitted, editor);
    const before = loaded ? configurationProblems(loaded, first, permitted?.reasons ?? []) : [];
    return { ...evaluated, report: prependProblems(evaluated.report, before) };
  };
}

function configurationProblems(
  { cwd, file, problems }: FolderConfiguration,
  first: string,
  told: readonly string[],
): Problem[] {
  const placed = problems.map((one) => ({ ...one, file: resolve(cwd, one.file) }));
  const at = file === null ? first : resolve(cwd, file);
  return [...placed, ...told.map((sentence) => createProblem('warning', 'models', at, sentence))];
}

function prependProblems(report: Report, before: readonly Problem[]): Report {
  return before.length === 0 ? report : { ...report, problems: [...before, ...report.problems] };
}

/** A server that wants another key is something that a person can see to at once. */
function reportRejectedKeys({ problems }: Report, { hosts, keys }: AccessDecision, editor: Editor): void {
  for (const { host, sentence } of rejectedKeys(problems, hosts))
    editor.reportMissingKey(host, keys.get(host) ?? null, sentence);
}
