import { PLACEHOLDER_TEXT } from '../app/placeholder-answer.ts';
import type { PreviewCall } from '../app/prompt-preview.ts';
import type { TurnPrompts } from '../app/turn-prompts.ts';
import { pluralize } from '../core/text/pluralize.ts';
import { estimatePromptTokens } from '../llm/token-estimate.ts';
import { sanitizeLine, wrap } from '../reports/terminal-text.ts';
import { promptLines } from './prompt-lines.ts';

export interface TurnPromptsTextOptions {
  /** For example `a.json, turn 2 of 5`. */
  readonly title: string;
  /** As configured for the judge. */
  readonly turnsPerCall: number;
  /** Width of our own sentences. Prompts are printed unwrapped. */
  readonly columns: number;
}

/** The prompts about a turn as text. */
export function* turnPromptsText(
  { calls, silent, elsewhere }: TurnPrompts,
  options: TurnPromptsTextOptions,
): Generator<string> {
  const { title, turnsPerCall, columns } = options;
  const say = (text: string) => `${wrap(text, Math.min(100, columns)).join('\n')}\n`;
  const sent = calls.reduce((sum, { times }) => sum + times, 0);
  const tokens = calls.reduce((sum, call) => sum + call.times * tokensOf(call), 0);
  yield say(`${title}: ${pluralize(sent, 'call')}, about ${tokens.toLocaleString('en')} tokens. Nothing is sent.`);
  if (calls.some(({ judge }) => judge === null)) {
    yield say('No judge is configured. These prompts are for a server with an OpenAI-compatible API.');
  }
  if (turnsPerCall > 1 && calls.length > 0) {
    yield say(
      'A run asks about two turns in one call where they fit (judge.turnsPerCall). Here, the turn stands alone.',
    );
  }
  if (calls.some(({ prompt }) => prompt.parts.some((part) => part.includes(PLACEHOLDER_TEXT)))) {
    yield say(`"${PLACEHOLDER_TEXT}" stands for answers to earlier questions.`);
  }
  let system = '';
  for (const [index, call] of calls.entries()) {
    yield* callText(call, `Call ${index + 1} of ${calls.length}`, call.prompt.system === system);
    system = call.prompt.system;
  }
  if (silent.length > 0) yield '\nWithout questions about this turn:\n';
  for (const { metric, reason } of silent) yield `  ${metric}: ${sanitizeLine(reason)}\n`;
  if (elsewhere.length > 0) {
    const first = elsewhere[0] ?? '';
    yield `\n${say(`Questions about the whole session: ${elsewhere.join(', ')}. See --metric ${first}.`)}`;
  }
}

function* callText(call: PreviewCall, title: string, isKnown: boolean): Generator<string> {
  const { judge, questions, prompt, times } = call;
  const facts = [
    ...(judge === null ? [] : [`to ${sanitizeLine(judge)}`]),
    `asks ${questions.join(', ')}`,
    `about ${tokensOf(call).toLocaleString('en')} tokens`,
    ...(times > 1 ? [`sent ${times} times`] : []),
  ];
  yield `\n# ${title}: ${facts.join('; ')}\n`;
  yield isKnown ? '\nSystem: same as above.\n' : `\nSystem:\n${promptLines(prompt.system)}`;
  yield `\nUser:\n${promptLines(prompt.parts.join('\n\n'))}`;
  yield `\nAnswer schema:\n${promptLines(JSON.stringify(prompt.schema, null, 1))}`;
}

function tokensOf({ prompt }: PreviewCall): number {
  return estimatePromptTokens({ prompt, schema: prompt.schema });
}
