import { dirname, resolve } from 'node:path';
import { dryRun } from '../app/dry-run.ts';
import { evaluateFileStream } from '../app/evaluate-files.ts';
import { modelDisplayName } from '../app/model-hosts.ts';
import { requiredModels } from '../app/required-models.ts';
import type { ModelOptions } from '../app/run-models.ts';
import type { ConfigFlags } from '../config/flags.ts';
import { type LoadedConfiguration, loadConfiguration } from '../config/load.ts';
import { REGISTRY } from '../config/registry.ts';
import type { Configuration } from '../config/schema.ts';
import { withoutModels } from '../config/without-models.ts';
import { LruCache } from '../core/cache/lru-cache.ts';
import { sessionHashes } from '../core/session-hashes.ts';
import type { FileSystem } from '../input/file-system.ts';
import { placeText, quoted } from '../reports/agent-text.ts';
import type { Environment } from '../store/home.ts';
import { OutcomeFile } from '../store/outcome-file.ts';
import type { EvaluatedTrace } from './project-runs.ts';
import type { ProjectTraces } from './project-traces.ts';
import { ToolError } from './tool-error.ts';

/** What asking the judge takes, about. */
export interface JudgeCost {
  readonly model: string;
  readonly sessions: number;
  readonly calls: number;
  readonly cachedCalls: number;
  readonly tokens: number;
}

/** Evaluates files for an agent; what it found is recorded nowhere. */
export interface EvaluateTrace {
  /** By rules alone: no model is asked. @param path absolute @throws ToolError */
  byRules(path: string, signal: AbortSignal): Promise<EvaluatedTrace>;
  /** What the judge of the configuration would take. @throws ToolError where there is none, or where it may not be asked */
  judgeCost(path: string, signal: AbortSignal): Promise<JudgeCost>;
  /** @throws ToolError */
  byJudge(path: string, maxCalls: number, signal: AbortSignal): Promise<EvaluatedTrace>;
  /** Asks the user; null where nobody can be asked. */
  confirm(question: string, signal: AbortSignal): Promise<boolean | null>;
  /** What answers have said that the judge takes, where nobody can be asked. */
  readonly shownCosts: ShownCosts;
}

/** What the user could see before a call of the judge; each holds for one call. */
export class ShownCosts {
  readonly #shown = new LruCache<string, JudgeCost>(SHOWN_COSTS);

  add(path: string, cost: JudgeCost): void {
    this.#shown.set(path, cost);
  }

  /** Whether a cost that is no lower was shown for this path and this model. */
  take(path: string, { model, calls, tokens }: JudgeCost): boolean {
    const shown = this.#shown.get(path);
    this.#shown.delete(path);
    return shown !== undefined && shown.model === model && calls <= shown.calls && tokens <= shown.tokens;
  }
}

const SHOWN_COSTS = 100;

/** A configuration with a judge, before it is known whether it may be used. */
export interface JudgeRequest {
  /** What is evaluated. */
  readonly path: string;
  /** The folder in which the search for the configuration began. */
  readonly cwd: string;
  readonly loaded: LoadedConfiguration;
  readonly configuration: Configuration;
  /** Whether nothing is sent: only what it would take is wanted. */
  readonly isEstimate: boolean;
  readonly signal: AbortSignal;
}

/** What is evaluated with, where the user allows it. */
export interface AllowedJudge extends Pick<ModelOptions, 'editorModels'> {
  readonly configuration: Configuration;
  /** With the keys of its models. */
  readonly env: Environment;
}

interface EvaluationParts {
  readonly traces: ProjectTraces;
  readonly files: FileSystem;
  readonly env: Environment;
  readonly confirm: EvaluateTrace['confirm'];
  /** @throws ToolError where the models of the configuration may not be asked */
  readonly allowJudge: (request: JudgeRequest) => Promise<AllowedJudge>;
}

/** Evaluates for an agent as `turnwise eval` does, with the configuration nearest to the file, and records nothing. */
export function createTraceEvaluation({ traces, files, env, confirm, allowJudge }: EvaluationParts): EvaluateTrace {
  const evaluate = async (path: string, allowed: AllowedJudge, signal: AbortSignal): Promise<EvaluatedTrace> => {
    const { configuration, ...models } = allowed;
    const contents = new Map<string, string>();
    const storage = new OutcomeFile();
    try {
      const { report } = await evaluateFileStream([path], configuration, {
        signal,
        files,
        ...models,
        storage,
        onSession: (session) => contents.set(session.id, sessionHashes(session).content),
      });
      return { report, contents, shownFile: traces.shownFile, storage };
    } catch (error) {
      storage[Symbol.dispose]();
      throw error;
    }
  };
  const openJudge = async (path: string, flags: ConfigFlags, isEstimate: boolean, signal: AbortSignal) => {
    const found = await configurationOf(path, flags, traces, files);
    const { judge, byMetric } = requiredModels(found.configuration);
    if (!judge && byMetric.size === 0) throw new ToolError(NO_JUDGE);
    return await allowJudge({ path, ...found, isEstimate, signal });
  };
  return {
    confirm,
    shownCosts: new ShownCosts(),
    async byRules(path, signal) {
      const { configuration } = await configurationOf(path, {}, traces, files);
      return await evaluate(path, { configuration: withoutModels(configuration), env }, signal);
    },
    async judgeCost(path, signal) {
      const { configuration, ...models } = await openJudge(path, {}, true, signal);
      const options = { signal, files, cache: true, ...models };
      const { plan, models: named } = await dryRun([path], configuration, options);
      const [model] = named.judge ? [named.judge] : named.byMetric.values();
      if (!model) throw new ToolError(NO_JUDGE);
      return {
        model: modelDisplayName(model),
        sessions: plan.sessions,
        calls: plan.judgeCalls,
        cachedCalls: plan.judgeCallsCached,
        tokens: plan.promptTokens + plan.completionTokens,
      };
    },
    async byJudge(path, maxCalls, signal) {
      return await evaluate(path, await openJudge(path, { maxCalls }, false, signal), signal);
    },
  };
}

const NO_JUDGE =
  'No judge is configured: set "judge" in turnwise.config.yaml (docs/judges.md). Without "judge", evaluate_trace asks no model.';

/** The configuration nearest to a file or folder. @throws ToolError where it is wrong */
async function configurationOf(
  path: string,
  flags: ConfigFlags,
  { shownFile }: Pick<ProjectTraces, 'shownFile'>,
  files: Pick<FileSystem, 'stat'>,
): Promise<Pick<JudgeRequest, 'cwd' | 'loaded' | 'configuration'>> {
  const isFolder = (await files.stat(path).catch(() => null))?.kind === 'directory';
  const cwd = isFolder ? path : dirname(path);
  const loaded = await loadConfiguration({ cwd, flags, registry: REGISTRY });
  const problem = loaded.problems.find(({ severity }) => severity === 'error');
  if (loaded.configuration && !problem) return { cwd, loaded, configuration: loaded.configuration };
  const file = shownFile(resolve(cwd, problem?.file ?? ''));
  throw new ToolError(
    `The configuration is wrong, so nothing was evaluated: ${placeText(file, problem?.line ?? null)} ${quoted(problem?.message ?? '')}`,
  );
}
