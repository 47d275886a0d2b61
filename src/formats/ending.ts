import type { Pointer, SessionEnding } from '../core/session.ts';

type EndingCause = SessionEnding['cause'];
type CausePatterns = readonly (readonly [EndingCause, RegExp])[];

/** In this order: a rate limit is an error of the model's server, and no limit of the run. */
const STATUS_PATTERNS: CausePatterns = [
  ['error', /rate_?limit|api_?error|exit_api|connection|quota|infrastructure/i],
  ['limit', /limit|exceed|max_|time_?out|exit_(?:cost|context|total_execution_time)/i],
  ['agent-error', /format|stuck|too_many_errors|agent_error/i],
  ['error', /error|exception|fail|abort|interrupt/i],
];

/** A message is a sentence about anything: only what harnesses themselves write counts. */
const MESSAGE_PATTERNS: CausePatterns = [
  ['limit', /\bmaximum (?:iteration|budget)\b|\bContextWindowExceeded/],
  ['agent-error', /\bAgentStuckInLoop/],
  ['error', /(?:)/],
];

const MAX_LENGTH = 200;

/**
 * How a run ended, by its status, such as `max_steps`.
 *
 * @param known what the format's own statuses mean; the words of others are read
 */
export function endingOfStatus(
  status: string | undefined,
  pointer: Pointer,
  known: Readonly<Record<string, EndingCause>> = {},
): SessionEnding | undefined {
  if (status !== undefined && Object.hasOwn(known, status))
    return { cause: known[status] ?? 'unknown', reason: status, pointer };
  return endingOf(status, pointer, STATUS_PATTERNS);
}

/** How a run ended, by the message of its error. */
export function endingOfError(message: string | undefined, pointer: Pointer): SessionEnding | undefined {
  return endingOf(message, pointer, MESSAGE_PATTERNS);
}

function endingOf(text: string | undefined, pointer: Pointer, patterns: CausePatterns): SessionEnding | undefined {
  if (text === undefined || text === '') return undefined;
  const reason = text.slice(0, MAX_LENGTH);
  return { cause: patterns.find(([, words]) => words.test(reason))?.[0] ?? 'unknown', reason, pointer };
}
