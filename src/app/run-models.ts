import type { Configuration } from '../config/schema.ts';
import { createProblem, MODEL_OUTAGE, type Problem } from '../core/problem.ts';
import type { Embedder } from '../embed/embedder.ts';
import { type Judges, NO_JUDGES } from '../engine/judges.ts';
import type { CallLog } from '../llm/chat-client.ts';
import type { EditorModels } from '../llm/providers/editor.ts';
import type { Environment } from '../store/home.ts';
import { embedderFunction, judgeFunction, modelFunctionRunner } from './function-models.ts';
import { openLocalEmbedder } from './local-embedder.ts';
import type { OpenModelsOptions } from './open-models.ts';
import type { PlugIns } from './plug-ins.ts';
import { missingEditor, missingKeys, requiredModels, requiresModels } from './required-models.ts';
import { samplingWarning } from './sampling-warning.ts';

export interface ModelOptions {
  /** Environment variables with API keys and `TURNWISE_HOME`; by default those of the process. */
  readonly env?: Environment;
  /** False: cached answers are ignored, and none are stored. */
  readonly cache?: boolean;
  /** The editor's own models; by default there is no editor. */
  readonly editorModels?: EditorModels | undefined;
  /** Each call of a judge, with its answer, as it arrives. */
  readonly onCall?: (call: CallLog) => void;
  /** What workers of one run share, instead of what each process has. */
  readonly shared?: SharedModels | undefined;
}

/** What several processes share that ask the same models. */
export interface SharedModels extends Pick<OpenModelsOptions, 'answerCache' | 'boundaryKey' | 'createLimiter'> {}

/** The models of one run, to be disposed when it is over. */
export interface RunModels extends Disposable {
  readonly judges: Judges;
  readonly embedder: Embedder | null;
  /** Base64; it travels with the plan of the run. Null where no model is asked. */
  readonly boundaryKey: string | null;
  /** Warnings about the embedder, sampling, the cache and an outage; complete when the run is over. */
  readonly problems: readonly Problem[];
}

/**
 * Opens the models that a configuration names. Where it names none, no code of models is loaded.
 *
 * @throws Error with a sentence per line when a key or the editor is missing.
 */
export async function openRunModels(
  configuration: Configuration,
  {
    env = process.env,
    cache = true,
    editorModels,
    onCall,
    shared,
    signal,
    judge,
    store: answerCache,
  }: ModelOptions & Pick<PlugIns, 'judge' | 'store'> & { readonly signal: AbortSignal },
): Promise<RunModels> {
  const required = requiredModels(configuration);
  const { embedder: local, problems } = await openLocalEmbedder(configuration);
  const hasFunctions = judgeFunction(configuration) !== null || embedderFunction(configuration) !== null;
  if (!requiresModels(required) && !hasFunctions && !judge) {
    return { judges: NO_JUDGES, embedder: local, boundaryKey: null, problems, [Symbol.dispose]() {} };
  }
  const missing = [...missingKeys(required, env), ...(editorModels ? [] : missingEditor(required))];
  if (missing.length > 0) throw new Error(missing.join('\n'));

  const [{ openModels }, { openStore }, { dataFolder }] = await Promise.all([
    import('./open-models.ts'),
    import('../store/store.ts'),
    import('../store/home.ts'),
  ]);
  const home = dataFolder(env);
  problems.push(...samplingWarning(configuration));
  const store = openStore(home, {
    warn: (sentence) => problems.push(createProblem('warning', 'cache', home, sentence)),
  });
  const functions = modelFunctionRunner();
  const { boundaryKey } = shared ?? store;
  const { judges, embedder } = openModels(configuration, env, {
    signal,
    functions,
    judge,
    editorModels,
    answerCache: cache ? (shared?.answerCache ?? answerCache ?? store.answerCache) : null,
    boundaryKey,
    createLimiter: shared?.createLimiter,
    log: onCall,
    onExhausted: (sentence) => problems.push(createProblem('warning', MODEL_OUTAGE, '', sentence)),
  });
  return {
    judges,
    embedder: embedder ?? local,
    boundaryKey: Buffer.from(boundaryKey).toString('base64'),
    problems,
    [Symbol.dispose]() {
      functions[Symbol.dispose]();
      store.close();
    },
  };
}
