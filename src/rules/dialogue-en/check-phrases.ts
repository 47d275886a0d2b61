/** How a check says in English that something does not work. */
const NOT_WORKING =
  /\b(?:cannot|can['’]t|could not|couldn['’]t|unable to|failed|not working|(?:does not|doesn['’]t|do not|don['’]t) work)\b/i;

/** Longer results are data, of which one sentence proves nothing. */
const MAX_LENGTH = 200;

/** The text of a short result, such as what a device shows; null for any other result. */
export function readingOf(result: unknown): string | null {
  return typeof result === 'string' && result.length <= MAX_LENGTH ? result : null;
}

/** Whether the reading says that something does not work. */
export function saysNotWorking(reading: string): boolean {
  return NOT_WORKING.test(reading);
}
