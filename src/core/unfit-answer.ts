/** In the reason of a question that the judge answered, but not as its schema demands; what did not fit follows. */
export const UNFIT_ANSWER = 'gave an answer that does not fit: ';

/** What did not fit; null where the judge did not answer. */
export function unfitReason(reason: string): string | null {
  const at = reason.indexOf(UNFIT_ANSWER);
  return at < 0 ? null : reason.slice(at + UNFIT_ANSWER.length);
}
