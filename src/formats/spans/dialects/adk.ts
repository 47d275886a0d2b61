import { get } from '../../../core/json.ts';
import type { Message } from '../../chat/messages/conversation.ts';
import { parseQuotedJson } from '../../chat/messages/dialects.ts';
import { geminiUsage } from '../../chat/messages/gemini.ts';
import type { Problems } from '../../problems.ts';
import { argumentsOf, firstPresent } from '../../values.ts';
import { chatMessages, toolCatalogue } from '../content.ts';
import type { SpanDialect, SpanKind } from '../dialect.ts';
import type { Span } from '../span.ts';
import { genAi, resultOf } from './gen-ai.ts';

/** Google's Agent Development Kit: requests and responses in the notation of Gemini's API, for any model. */
export const adk: SpanDialect = {
  ...genAi,
  name: 'adk',
  kindOf,

  hasContent(span) {
    return [REQUEST, RESPONSE, ARGUMENTS].some((key) => isRecorded(span, key)) || genAi.hasContent(span);
  },

  input(span, problems) {
    return chat(span, REQUEST, problems)?.filter((message) => !isContext(message)) ?? genAi.input(span, problems);
  },

  output(span, problems) {
    return chat(span, RESPONSE, problems) ?? genAi.output(span, problems);
  },

  details(span) {
    const response = parseQuotedJson(span.attributes.get(RESPONSE));
    const details = genAi.details(span);
    return {
      ...details,
      usage: geminiUsage(firstPresent(response, 'usage_metadata', 'usageMetadata')) ?? details.usage,
    };
  },

  execution(span, problems) {
    const result = span.attributes.find(RESULT);
    const value = parseQuotedJson(result?.value);
    // A result that is not an object is wrapped before it is sent to the model.
    const inner = get(value, 'result');
    return {
      ...genAi.execution(span, problems),
      arguments: argumentsOf(span.attributes.get(ARGUMENTS)),
      ...resultOf(result && { value: inner === undefined ? value : inner, pointer: result.pointer }),
    };
  },

  tools({ attributes }) {
    return toolCatalogue(get(get(parseQuotedJson(attributes.get(REQUEST)), 'config'), 'tools'));
  },
};

const REQUEST = 'gcp.vertex.agent.llm_request';
const RESPONSE = 'gcp.vertex.agent.llm_response';
const ARGUMENTS = 'gcp.vertex.agent.tool_call_args';
const RESULT = 'gcp.vertex.agent.tool_response';

function kindOf(span: Span): SpanKind | null | undefined {
  const { attributes, name, scope } = span;
  if (scope !== 'gcp.vertex.agent' && !attributes.hasAny('gcp.vertex.agent.')) return undefined;
  // Parallel calls are recorded a second time, merged into one span.
  if (attributes.text('gen_ai.tool.name') === '(merged tools)') return null;
  const kind = genAi.kindOf(span);
  if (kind === 'tool' || attributes.find(ARGUMENTS)) return 'tool';
  if (kind === 'agent' || /^(?:invoke_agent|agent_run)\b/.test(name)) return 'agent';
  return name === 'call_llm' || kind === 'model' || isRecorded(span, REQUEST) ? 'model' : null;
}

/** ADK writes an empty object if it is not allowed to record content. */
function isRecorded({ attributes }: Span, key: string): boolean {
  return !['', '{}'].includes(attributes.text(key) ?? '');
}

function chat({ attributes }: Span, key: string, problems: Problems): readonly Message[] | undefined {
  const attribute = attributes.find(key);
  return attribute && chatMessages(attribute, problems);
}

/** Texts of other agents reach an agent as user messages with this prefix. */
function isContext(message: Message): boolean {
  return message.role === 'user' && message.content?.text.startsWith('For context:') === true;
}
