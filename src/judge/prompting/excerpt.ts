import { asText } from '../../core/json.ts';
import type { Evidence } from '../../core/result.ts';

/** A text of the trace that a prompt can show and an answer can cite. */
export interface PromptExcerpt {
  /** Unique in the session, with the same meaning in all its prompts. */
  readonly id: string;
  /** What it is. Contains no text of the trace. */
  readonly label: string;
  /** As in the trace; computed on every call, because it may be long. */
  text(): string;
  /** Text of the trace that says where it comes from, for use out of context. */
  readonly origin?: () => string;
  /** In characters. */
  readonly maxLength: number;
  /** It came from outside the agent, so the agent can have values from it. */
  readonly isSource?: true;
  readonly evidence: Evidence;
}

/** A value of the trace as text; a fixed sentence if it is nested too deeply. */
export function toText(value: unknown): string {
  try {
    return asText(value);
  } catch {
    return '(nested too deeply to be shown)';
  }
}
