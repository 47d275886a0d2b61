import type { Configuration } from '../../config/schema.ts';
import type { Session } from '../../core/session.ts';
import { promptTokensOf } from '../../judge/call-tokens.ts';
import type { Prompt } from '../../judge/chat-model.ts';
import { metricByName } from '../../metrics/index.ts';
import type { Metric } from '../../metrics/metric.ts';
import type { SentCall } from '../../protocol/panel.ts';
import { configurationOf } from '../configuration.ts';
import { name, sentence } from './values.ts';

/** What a run would send about a turn, and about its session where a metric looks at that. */
export interface TurnPrompts {
  readonly calls: readonly {
    readonly judge: string | null;
    readonly questions: readonly string[];
    readonly prompt: Pick<Prompt, 'system' | 'parts' | 'schema'>;
    readonly times: number;
  }[];
  /** Metrics that would ask nothing here, and why. */
  readonly silent: readonly { readonly metric: string; readonly reason: string }[];
}

/** Renders the calls of metrics as `turnwise prompts --turn` does. Sends nothing. */
export type PromptsOf = (
  session: Session,
  /** Zero-based. */
  turn: number,
  configuration: Configuration,
  options: { readonly env: NodeJS.ProcessEnv; readonly signal: AbortSignal; readonly named: readonly Metric[] },
) => Promise<TurnPrompts>;

export interface PromptParts {
  readonly session: Session | null;
  /** Of the session, by which its configuration is found. */
  readonly file: string;
  readonly isTrusted: boolean;
  /** Null: nothing renders them. */
  readonly promptsOf: PromptsOf | null;
  readonly signal: AbortSignal;
}

interface Shown {
  readonly calls: readonly SentCall[];
  readonly sentences: readonly string[];
}

/** The calls that a metric makes of a model, word by word. @param turn null: about the session. */
export async function shownPrompts(metric: string, turn: number | null, parts: PromptParts): Promise<Shown> {
  const { session, file, isTrusted, promptsOf, signal } = parts;
  const found = metricByName(metric);
  if (!found?.asked) return nothing(`${name(metric)} asks no model.`);
  if (!promptsOf) return nothing('This version of Turnwise cannot show what is asked.');
  if (!session) return nothing('The file has changed since it was evaluated: evaluate it again to see what is asked.');
  const { configuration } = await configurationOf(file, { isTrusted: () => isTrusted });
  if (!configuration) return nothing('The configuration of the file is broken: mend it to see what is asked.');
  const index = turn ?? Math.max(0, session.turns.length - 1);
  const { calls, silent } = await promptsOf(session, index, configuration, {
    env: process.env,
    signal,
    named: [found],
  });
  const sentences = [
    ...silent.map((one) => sentence(`${one.metric}: ${one.reason}`)),
    ...(calls.some(({ judge }) => judge === null) ? ['No model is configured: any would be sent this.'] : []),
  ];
  return { calls: calls.map(callRow), sentences };
}

function nothing(why: string): Shown {
  return { calls: [], sentences: [why] };
}

function callRow({ judge, questions, prompt, times }: TurnPrompts['calls'][number]): SentCall {
  const { system, parts, schema } = prompt;
  return {
    judge: judge === null ? null : name(judge),
    questions: questions.map(name),
    tokens: promptTokensOf({ prompt, schema }),
    times,
    system,
    parts,
    schema: JSON.stringify(schema, null, 2),
  };
}
