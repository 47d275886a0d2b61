import { asText } from '../../core/json.ts';
import type { Evidence } from '../../core/result.ts';

/** A text of the trace that a prompt can show, and an answer cite. */
export interface PromptExcerpt {
  /** Unique in the session, and of the same meaning in every prompt of it. */
  readonly id: string;
  /** What it is, in our own words: nothing of the trace. */
  readonly label: string;
  /** As the trace has it; made anew on every call, for it may be long. */
  text(): string;
  /** Of the trace: whose words these are, for where it is shown without what stands before it. */
  readonly origin?: () => string;
  /** At most so many characters of it are shown. */
  readonly maxLength: number;
  /** An answer can rest on it: it came from outside the agent. */
  readonly isSource?: true;
  readonly evidence: Evidence;
}

/** A value of the trace as text; a sentence of our own where it is nested too deeply to be written. */
export function toText(value: unknown): string {
  try {
    return asText(value);
  } catch {
    return '(nested too deeply to be shown)';
  }
}
