import { PLACEHOLDER_TEXT } from '../../app/placeholder-answer.ts';
import type { PreviewCall } from '../../app/prompt-preview.ts';
import { turnPrompts } from '../../app/turn-prompts.ts';
import { findMetric } from '../../config/metric-names.ts';
import type { Session } from '../../core/session.ts';
import { estimatePromptTokens } from '../../llm/token-estimate.ts';
import { allMetrics } from '../../metrics/custom/metric-table.ts';
import type { PromptCall as CallRow } from '../../protocol/panel.ts';
import type { Environment } from '../../store/home.ts';
import { loadFolderConfiguration } from '../evaluation/folder-configuration.ts';
import { limitName, limitSentence } from './values.ts';

export interface PromptOptions {
  /** The session's file, by which its configuration is found. */
  readonly file: string;
  /** The session as it was evaluated; null where its files have changed. */
  readonly session: Session | null;
  /** Whether code of the folder's configuration may run. */
  readonly isTrusted: boolean;
  readonly env: Environment;
  readonly signal: AbortSignal;
}

interface PromptRows {
  readonly calls: readonly CallRow[];
  readonly sentences: readonly string[];
}

/**
 * The exact prompts of a metric, as `turnwise prompts --turn --metric` prints them. Nothing is sent.
 *
 * @param turn zero-based; null: the session.
 */
export async function previewPrompts(metric: string, turn: number | null, parts: PromptOptions): Promise<PromptRows> {
  const { file, session, isTrusted, env, signal } = parts;
  if (!session)
    return noPrompts('The file has changed since it was evaluated: evaluate it again to see what is asked.');
  const { configuration, problems } = await loadFolderConfiguration(file, { isTrusted: () => isTrusted });
  if (!configuration) {
    const why = problems.find(({ severity }) => severity === 'error')?.message ?? 'It cannot be read.';
    return noPrompts(`What is asked depends on the configuration of the file. ${why}`);
  }
  const found = findMetric(metric, allMetrics(configuration.custom));
  if (!found) return noPrompts(`The configuration of the file has no metric "${limitName(metric)}".`);
  if (!found.usesJudge) return noPrompts(`${found.name} asks no model.`);
  if (found.scope === 'turn' && turn === null) {
    return noPrompts(`${found.name} is asked about each turn for itself: each turn shows what.`);
  }
  const { calls, silent } = await turnPrompts(session, turn ?? 0, configuration, { env, signal, metrics: [found] });
  const isPacked = configuration.judge.questionsPerCall !== 1;
  return { calls: calls.map(callRow), sentences: [...promptNotes(calls, silent, isPacked)] };
}

function noPrompts(why: string): PromptRows {
  return { calls: [], sentences: [limitSentence(why)] };
}

/** Notes on the calls, or why there are none. */
function* promptNotes(
  calls: readonly PreviewCall[],
  silent: readonly { readonly metric: string; readonly reason: string }[],
  isPacked: boolean,
): Generator<string> {
  for (const { metric, reason } of silent) yield limitSentence(`Nothing is asked here for ${metric}: ${reason}`);
  if (calls.some(({ judge }) => judge === null)) yield 'No judge is configured: this is what any would be sent.';
  if (isPacked && calls.length > 0) {
    yield 'In an evaluation, questions about the same travel together as far as they fit; here this one stands alone.';
  }
  if (calls.some(({ prompt }) => prompt.parts.some((part) => part.includes(PLACEHOLDER_TEXT)))) {
    yield `"${PLACEHOLDER_TEXT}" stands for answers to other questions, which are not known before they are asked.`;
  }
}

function callRow({ judge, questions, prompt, times }: PreviewCall): CallRow {
  const { system, parts, schema } = prompt;
  return {
    judge: judge === null ? null : limitName(judge),
    questions: questions.map(limitName),
    tokens: estimatePromptTokens({ prompt, schema }),
    times,
    system,
    parts,
    schema: JSON.stringify(schema, null, 2),
  };
}
