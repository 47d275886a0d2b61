import { chatFormat } from './chat-format.ts';
import { isOtelParts, otelMessages as read } from './messages/otel-parts.ts';

/** Messages in the form of OpenTelemetry's conventions, without their spans. */
export const otelMessages = chatFormat({
  name: 'otel-messages',
  title: 'OpenTelemetry messages',
  description: 'Messages {role, parts} of the GenAI conventions: a list of them, or an object with one',
  dialect: { fits: isOtelParts, read },
  messageNoun: 'OpenTelemetry messages',
});
