import * as l10n from '@vscode/l10n';
import { PLACEHOLDER_TEXT } from '../../app/placeholder-answer.ts';
import type { PreviewCall } from '../../app/prompt-preview.ts';
import { turnPrompts } from '../../app/turn-prompts.ts';
import { findMetric } from '../../config/metric-names.ts';
import type { Configuration } from '../../config/schema.ts';
import type { Session } from '../../core/session.ts';
import { estimatePromptTokens } from '../../llm/token-estimate.ts';
import { allMetrics } from '../../metrics/custom/metric-table.ts';
import { limitName, limitSentence } from '../../panel/values.ts';
import type { PromptCall as CallRow } from '../../protocol/panel.ts';
import type { Environment } from '../../store/home.ts';
import { loadFolderConfiguration } from '../evaluation/folder-configuration.ts';

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
    return noPrompts(l10n.t('The file has changed since it was evaluated. Evaluate it again to see its prompts.'));
  const { configuration, problems } = await loadFolderConfiguration(file, { isTrusted: () => isTrusted });
  if (!configuration) {
    const why = problems.find(({ severity }) => severity === 'error')?.message ?? l10n.t('It cannot be read.');
    return noPrompts(l10n.t('The prompts depend on the configuration of the file. {0}', why));
  }
  const selected = findMetric(metric, allMetrics(configuration.custom));
  if (!selected) return noPrompts(l10n.t('The configuration of the file has no metric "{0}".', limitName(metric)));
  if (!selected.usesJudge) return noPrompts(l10n.t('{0} does not use a model.', selected.name));
  if (selected.scope === 'turn' && turn === null) {
    return noPrompts(l10n.t('{0} has a prompt for each turn. Open it in a turn.', selected.name));
  }
  const { calls, silent } = await turnPrompts(session, turn ?? 0, configuration, { env, signal, metrics: [selected] });
  return { calls: calls.map(callRow), sentences: [...promptNotes(calls, silent, configuration.judge)] };
}

function noPrompts(why: string): PromptRows {
  return { calls: [], sentences: [limitSentence(why)] };
}

/** Notes on the calls, or why there are none. */
function* promptNotes(
  calls: readonly PreviewCall[],
  silent: readonly { readonly metric: string; readonly reason: string }[],
  { questionsPerCall, turnsPerCall }: Configuration['judge'],
): Generator<string> {
  for (const { metric, reason } of silent) yield limitSentence(l10n.t('No prompt for {0}: {1}', metric, reason));
  if (calls.some(({ judge }) => judge === null))
    yield l10n.t('No judge is configured. This is what a judge would be sent.');
  if (questionsPerCall !== 1 && calls.length > 0) {
    yield l10n.t('An evaluation asks several questions in one call where they fit. This prompt has one question only.');
  }
  if (turnsPerCall > 1 && calls.length > 0) {
    yield l10n.t('An evaluation asks about two turns in one call where they fit. This prompt has one turn only.');
  }
  if (calls.some(({ prompt }) => prompt.parts.some((part) => part.includes(PLACEHOLDER_TEXT)))) {
    yield l10n.t(
      '"{0}" stands for answers to other questions, which are known only during an evaluation.',
      PLACEHOLDER_TEXT,
    );
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
