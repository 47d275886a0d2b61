import { dirname, resolve } from 'node:path';
import * as l10n from '@vscode/l10n';
import type { EvaluateFilesOptions } from '../../app/evaluate-files.ts';
import { addAlerts, newAlerts } from '../../app/run-alerts.ts';
import { type ConfiguredEvaluation, configureForScenarios } from '../../app/scenario-evaluation.ts';
import { unmatchedGates } from '../../app/unmatched-gates.ts';
import type { ConfigFlags } from '../../config/flags.ts';
import { type LoadedConfiguration, loadConfiguration } from '../../config/load.ts';
import { REGISTRY } from '../../config/registry.ts';
import type { Configuration, ConfigurationInput } from '../../config/schema.ts';
import { raceAbort } from '../../core/async/race-abort.ts';
import { createProblem, type Problem } from '../../core/problem.ts';
import type { Report } from '../../core/report.ts';
import type { RecordedRun } from '../../core/run-record.ts';
import type { AccessDecision, ModelAccess } from '../consent/model-access.ts';
import { rejectedKeys } from '../consent/rejected-key.ts';
import { containingFolder } from '../disk/open-folders.ts';
import type { Editor, ModelEditor } from '../editor.ts';
import type { RunRecordings } from '../runs/run-recordings.ts';
import { coversConfiguration } from './group-by-config.ts';
import type { EvaluateFiles, ScenarioEvaluation } from './group-evaluation.ts';

/** `evaluateFiles` of the library, with a decision on model access before models are used. */
export type EvaluateWithDecision = (
  paths: readonly string[],
  configuration: ConfigurationInput | Configuration,
  options: Parameters<EvaluateFiles>[2] & Pick<EvaluateFilesOptions, 'confirm' | 'record' | 'taskMetrics'>,
) => ReturnType<EvaluateFiles>;

/** The nearest configuration, found as the command line finds it. */
export interface FolderConfiguration extends LoadedConfiguration {
  /** Where the search began: paths in it are relative to this folder. */
  readonly cwd: string;
}

/** Code runs only in trusted folders, in its own process. */
export async function loadFolderConfiguration(
  path: string,
  { isTrusted }: Pick<Editor, 'isTrusted'>,
  flags: ConfigFlags = {},
): Promise<FolderConfiguration> {
  const cwd = await containingFolder(path);
  const code = isTrusted() ? 'run' : 'refuse';
  return { cwd, ...(await loadConfiguration({ cwd, registry: REGISTRY, code, flags })) };
}

/**
 * Evaluates under the configuration nearest to the first path, which is the nearest to all of them (see
 * `ConfigGroups`). A broken configuration is a problem of the report, and the evaluation continues without it. Code in
 * it is refused in untrusted folders. Models are used as far as the user allows.
 */
export function withFolderConfiguration(
  evaluateFiles: EvaluateWithDecision,
  editor: ModelEditor,
  permission: ModelAccess,
  recordings: Pick<RunRecordings, 'start'> | null,
): EvaluateFiles {
  return async (paths, _configuration, options) => {
    const [first = '.'] = paths;
    const { onWait = () => {}, resume, overrides, scenarios } = options;
    const loading = loadFolderConfiguration(scenarios?.file ?? first, editor, overrides);
    const found = await raceAbort(loading, options.signal);
    const { loaded, taskMetrics } = forScenarios(found, scenarios);
    const stop = new AbortController();
    const signal = AbortSignal.any([options.signal, stop.signal]);
    const isRecorded = (options.isRecorded ?? false) && loaded?.configuration?.history.record !== false;
    const recording = isRecorded ? await recordings?.start(paths, options.signal) : undefined;
    const { configuration } = loaded ?? {};
    // The command of alerts is left to the command line: here nobody has named the configuration.
    const record =
      recording && configuration
        ? {
            ...recording,
            gate: (report: Report, run: RecordedRun | null) => addAlerts(report, configuration, run, recording),
          }
        : recording;
    let access: AccessDecision | undefined;
    const evaluated = await evaluateFiles(paths, loaded?.configuration ?? {}, {
      ...options,
      signal,
      taskMetrics,
      ...(record && { record }),
      confirm: async ({ evaluateLocally, ...read }) => {
        access = await permission.decide({
          rulesOnly: options.rulesOnly ?? false,
          withoutEditorModels: options.withoutEditorModels ?? false,
          ...read,
          paths,
          cwd: loaded?.cwd ?? dirname(first),
          keys: loaded?.keys ?? {},
          signal,
          beforeJudge: async () => {
            const report = await evaluateLocally(options.onLocalResult);
            if (!signal.aborted) options.onLocalReport?.(report);
          },
          onWait,
        });
        if (access.isCancelled) stop.abort();
        else if (access.calls !== null) options.onJudging?.(access.calls);
        await resume?.();
        return access;
      },
    });
    if (access) reportRejectedKeys(evaluated.report, access, editor);
    if (record)
      for (const { message } of newAlerts(evaluated.report, record)) editor.notify(l10n.t('Alert: {0}', message));
    const before = loaded ? configurationProblems(loaded, first, access?.reasons ?? []) : [];
    if (loaded) before.push(...(await unmatchedInFolder(paths, loaded, evaluated.report)));
    const report = prependProblems(evaluated.report, before);
    return { ...evaluated, report, ...(access?.rulesOnly && { rulesOnly: true }) };
  };
}

function forScenarios(
  loaded: FolderConfiguration | null,
  scenarios: ScenarioEvaluation | undefined,
): { readonly loaded: FolderConfiguration | null; readonly taskMetrics: ConfiguredEvaluation['taskMetrics'] } {
  if (!loaded?.configuration || !scenarios) return { loaded, taskMetrics: [] };
  const { configuration, taskMetrics } = configureForScenarios(loaded.configuration, scenarios.settings);
  return { loaded: { ...loaded, configuration }, taskMetrics };
}

function configurationProblems(
  { cwd, file, agentestFile, problems }: FolderConfiguration,
  first: string,
  reasons: readonly string[],
): Problem[] {
  const placed = problems.map((problem) => ({ ...problem, file: resolve(cwd, problem.file) }));
  const nearest = file ?? agentestFile;
  const at = nearest === null ? first : resolve(cwd, nearest);
  return [...placed, ...reasons.map((sentence) => createProblem('warning', 'models', at, sentence))];
}

/** Only for a run over the whole folder: a part of its sessions says nothing about a pattern. */
async function unmatchedInFolder(
  paths: readonly string[],
  { cwd, file, configuration }: FolderConfiguration,
  { run, sessions }: Report,
): Promise<Problem[]> {
  if (!configuration || file === null || !run.complete) return [];
  const path = resolve(cwd, file);
  if (!coversConfiguration(paths, path)) return [];
  return await unmatchedGates(sessions, configuration, { file: path, cwd });
}

function prependProblems(report: Report, before: readonly Problem[]): Report {
  return before.length === 0 ? report : { ...report, problems: [...before, ...report.problems] };
}

/** The user can fix a rejected key at once. */
function reportRejectedKeys(
  { problems }: Report,
  { hosts, keys }: AccessDecision,
  editor: Pick<Editor, 'reportMissingKey'>,
): void {
  for (const { host, sentence } of rejectedKeys(problems, hosts))
    editor.reportMissingKey(host, keys.get(host) ?? null, sentence);
}
