import type { Configuration } from '../config/schema.ts';
import { getString } from '../core/json.ts';
import { extractObject } from '../judge/parse-answer.ts';
import type { ModelCall } from '../llm/chat-client.ts';
import { type Clock, SYSTEM_CLOCK } from '../llm/clock.ts';
import type { EditorModels } from '../llm/providers/editor.ts';
import { errorText } from '../llm/server-error.ts';
import { estimateAnswerTokens, estimatePromptTokens } from '../llm/token-estimate.ts';
import type { Environment } from '../store/home.ts';
import { openClient } from './open-models.ts';
import type { RequiredModel } from './required-models.ts';

/** How a model answered the test question. */
export interface ConnectionAnswer {
  /** As its server names it. */
  readonly model: string;
  /** Of the question and the answer. */
  readonly tokens: number;
  /** Whether the tokens are estimated, because the server does not count them. */
  readonly isEstimated: boolean;
  readonly ms: number;
}

interface TestOptions {
  readonly signal: AbortSignal;
  readonly clock?: Clock;
  readonly editorModels?: EditorModels | undefined;
}

const WORDS = ['river', 'green', 'table'];

/** As small as a question with a schema can be. It has nothing of a trace. */
const QUESTION: ModelCall = {
  name: 'connection test',
  prompt: {
    system: 'You answer questions in JSON.',
    parts: [`Which of these words is a colour: ${WORDS.join(', ')}?`],
  },
  schema: {
    type: 'object',
    properties: { colour: { type: 'string', enum: WORDS } },
    required: ['colour'],
    additionalProperties: false,
  },
};

/** What the test takes, in tokens: about, and without hidden reasoning. */
export function estimateTestTokens(): number {
  return estimatePromptTokens(QUESTION) + estimateAnswerTokens(QUESTION);
}

/**
 * Sends one small question to a model, as a judge asks it. A request that fails is not sent again.
 *
 * @param env with the key of its host.
 * @returns a sentence where there is no answer, or one of another shape.
 */
export async function testConnection(
  model: RequiredModel,
  configuration: Configuration,
  env: Environment,
  { signal, clock = SYSTEM_CLOCK, editorModels }: TestOptions,
): Promise<ConnectionAnswer | string> {
  const client = openClient(model, configuration, env, { signal, clock, maxAttempts: 1, editorModels });
  const started = clock.now();
  const reply = await client.complete(() => QUESTION, 0);
  const ms = clock.now() - started;
  if (reply.status !== 'replied') return reply.reason;
  const [name = model.model] = client.versions;
  if (reply.finish === 'refusal') return `${name} refused to answer the test question: ${errorText(reply.text, [])}`;
  const colour = getString(extractObject(reply.text, ['colour']), 'colour') ?? '';
  if (!WORDS.includes(colour)) {
    const problem =
      reply.finish === 'length' ? 'reached its output limit' : 'did not answer in the structure of the schema';
    return `${name} ${problem}: ${errorText(reply.text, [])}`;
  }
  const { promptTokens, completionTokens, callsEstimated } = client.usage;
  return { model: name, tokens: promptTokens + completionTokens, isEstimated: callsEstimated > 0, ms };
}
