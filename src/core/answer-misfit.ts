/** In the reason of a question that the judge answered, but not as its schema demands; what did not fit follows. */
export const ANSWER_MISFIT = 'gave an answer that does not fit: ';

/** What did not fit; null where the judge did not answer. */
export function misfitOf(reason: string): string | null {
  const at = reason.indexOf(ANSWER_MISFIT);
  return at < 0 ? null : reason.slice(at + ANSWER_MISFIT.length);
}
