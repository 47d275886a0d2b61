import type { Configuration } from '../config/schema.ts';
import type { Report } from '../core/report.ts';
import type { Session } from '../core/session.ts';
import { lexicalEmbedder } from '../embed/lexical.ts';
import { evaluateSessions } from '../engine/evaluate.ts';
import type { ChatModel, ChatPrompt } from '../llm/chat-model.ts';
import { DEFAULT_PROVIDER } from '../llm/providers/index.ts';
import { allMetrics } from '../metrics/custom/metric-table.ts';
import type { Environment } from '../store/home.ts';
import { withoutLimits } from './estimate.ts';
import { judgeFunction } from './function-models.ts';
import { type RecordedQuestion, recordJudges } from './judge-recorder.ts';
import { openModels } from './open-models.ts';
import { placeholderAnswer } from './placeholder-answer.ts';
import { requiredModels } from './required-models.ts';

/** A call that would be sent. */
export interface PreviewCall {
  /** `provider/model`; null: the configuration names none. */
  readonly judge: string | null;
  /** The names of its questions, the facts among them. */
  readonly questions: readonly string[];
  readonly prompt: ChatPrompt;
  /** How often it is sent: more than once if several samples are combined. */
  readonly times: number;
}

export interface PromptPreview {
  readonly questions: readonly RecordedQuestion[];
  readonly calls: readonly PreviewCall[];
  readonly report: Report;
}

export interface PromptPreviewOptions {
  readonly env: Environment;
  readonly signal: AbortSignal;
  readonly boundaryKey: Uint8Array;
  /** Selects the questions to ask; everything else runs as usual. */
  readonly includes?: (ask: RecordedQuestion) => boolean;
}

/** Name of the model if a configuration names none. */
const UNNAMED_MODEL = '(any model)';

/**
 * Records what a run would ask. Everything except the models runs; they are replaced by placeholders. Sends nothing,
 * needs no key and stores nothing.
 */
export async function previewPrompts(
  sessions: readonly Session[],
  configuration: Configuration,
  { env, signal, boundaryKey, includes: wants = () => true }: PromptPreviewOptions,
): Promise<PromptPreview> {
  const asks: RecordedQuestion[] = [];
  const sent = new Map<string, PreviewCall>();
  const settings = withoutLimits(configuration);
  const metrics = allMetrics(configuration.custom);
  const { judges } = openModels(settings, env, {
    signal,
    answerCache: null,
    boundaryKey,
    replaceModel: (model) => recordingModel(model, sent),
  });
  const report = await evaluateSessions({
    sessions,
    configuration: settings,
    metrics,
    judges: recordJudges(
      judges,
      metrics.map(({ name }) => name),
      (ask) => {
        const isWanted = wants(ask);
        if (isWanted) asks.push(ask);
        return isWanted;
      },
    ),
    embedder: configuration.embedder.provider === 'none' ? null : lexicalEmbedder(),
    locate: () => new Map(),
    version: '',
    signal,
  });
  return { questions: asks, calls: [...sent.values()], report };
}

/** Adds a judge if the configuration names none: a server with OpenAI's API. */
export function withDefaultJudge(configuration: Configuration): Configuration {
  if (requiredModels(configuration).judge || judgeFunction(configuration)) return configuration;
  const { judge } = configuration;
  return { ...configuration, judge: { ...judge, provider: DEFAULT_PROVIDER.name, model: UNNAMED_MODEL } };
}

function recordingModel(model: ChatModel, sent: Map<string, PreviewCall>): ChatModel {
  return {
    ...model,
    async complete(prompt) {
      const { system, parts, schema, exactSchema } = prompt;
      const key = JSON.stringify([model.provider, model.model, system, parts, schema]);
      const times = (sent.get(key)?.times ?? 0) + 1;
      const judge = model.model === UNNAMED_MODEL ? null : `${model.provider}/${model.model}`;
      sent.set(key, { judge, questions: Object.keys(schema.properties ?? {}), prompt, times });
      return { text: JSON.stringify(placeholderAnswer(exactSchema())), finish: 'stop', usage: null };
    },
  };
}
