import { get, getNumber, getObject } from '../../../core/json.ts';
import type { TokenUsage, Tool } from '../../../core/session.ts';
import type { AgentMessage } from '../../chat/messages/conversation.ts';
import { readSdkOutcome } from '../../chat/messages/openai-responses-results.ts';
import { argumentsOf, openAiUsage } from '../../values.ts';
import { inputMessages, outputMessages } from '../content.ts';
import type { SpanDialect, SpanKind } from '../dialect.ts';
import type { Span } from '../span.ts';
import { resultOf } from './gen-ai.ts';

/** The `span_data` of the OpenAI Agents SDK. It contains the text of a model only if the SDK used chat completions. */
export const openAiAgents: SpanDialect = {
  name: 'openai-agents',

  kindOf({ attributes }) {
    const type = attributes.text('type');
    if (type === 'custom') return isTurn(attributes.get('data')) ? 'model' : null;
    return type === undefined ? undefined : (KINDS.get(type) ?? null);
  },

  hasContent: ({ attributes }) => attributes.find(...INPUT_KEYS, ...OUTPUT_KEYS) !== undefined,
  input: ({ attributes }, problems) => inputMessages(attributes.find(...INPUT_KEYS), problems),
  output(span, problems) {
    const request = unknownTool(span);
    return request ? [request] : outputMessages(span.attributes.find(...OUTPUT_KEYS), problems);
  },
  raw: ({ attributes }) => ({ input: attributes.find(...INPUT_KEYS), output: attributes.find(...OUTPUT_KEYS) }),

  details({ attributes }) {
    const response = attributes.get('_response', 'response');
    const usage = attributes.get('usage') ?? get(attributes.get('data'), 'usage') ?? get(response, 'usage');
    const model = attributes.get('model') ?? get(response, 'model');
    return { model: typeof model === 'string' ? model : undefined, usage: usageOf(usage) };
  },

  execution({ attributes, error }) {
    const args = attributes.get('input');
    const output = resultOf(attributes.find('output'));
    return {
      name: attributes.text('name') ?? '',
      // Sensitive content is blanked. This does not mean that the call has no arguments.
      arguments: args === undefined || args === '' ? '' : argumentsOf(args),
      ...output,
      error,
      outcome: error === undefined && typeof output.value === 'string' ? readSdkOutcome(output.value) : undefined,
    };
  },

  retrieval: () => ({ documents: [] }),

  tools({ attributes }) {
    const names = attributes.get('tools');
    if (!Array.isArray(names)) return undefined;
    return names.flatMap((name): Tool[] => (typeof name === 'string' && name !== '' ? [{ name }] : []));
  },

  agentName: ({ attributes }) => attributes.text('name'),
};

const KINDS: ReadonlyMap<string, SpanKind> = new Map<string, SpanKind>([
  ['agent', 'agent'],
  ['function', 'tool'],
  ['generation', 'model'],
  ['response', 'model'],
]);

/** With an underscore if a program exports the SDK's private fields. */
const INPUT_KEYS = ['input', '_input'] as const;
const OUTPUT_KEYS = ['output', '_response', 'response'] as const;

/** Newer versions wrap each model call and the tools it requested in a turn. */
function isTurn(data: unknown): boolean {
  return get(data, 'sdk_span_type') === 'turn';
}

/** An attribute of a model's span: the requested tool that does not exist, for which the SDK ends the run. */
export const UNKNOWN_TOOL = 'unknown_tool';

function unknownTool({ attributes }: Span): AgentMessage | undefined {
  const tool = attributes.find(UNKNOWN_TOOL);
  if (typeof tool?.value !== 'string') return undefined;
  const { pointer } = tool;
  // Its arguments are not recorded.
  return { role: 'agent', pointer, content: null, calls: [{ pointer, name: tool.value, arguments: '' }] };
}

function usageOf(usage: unknown): TokenUsage | undefined {
  const counts = openAiUsage(usage);
  if (!counts) return undefined;
  const cached = getNumber(usage, 'cached_input_tokens') ?? getNumber(getObject(usage, 'details'), 'cached_tokens');
  return { ...counts, cachedTokens: counts.cachedTokens ?? cached };
}
