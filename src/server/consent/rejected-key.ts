import type { ModelHost } from '../../app/model-hosts.ts';
import type { Problem } from '../../core/problem.ts';

/** How a 401 response of a model server is reported. */
const REJECTED_KEY = /(requires an API key|rejected the API key) \(401/;

/** The hosts that rejected their key, with what each of them answered. */
export function rejectedKeys(
  problems: readonly Pick<Problem, 'code' | 'message'>[],
  hosts: readonly ModelHost[],
): { readonly host: string; readonly sentence: string }[] {
  const unanswered = problems.filter(({ code, message }) => code === 'judge-unanswered' && REJECTED_KEY.test(message));
  return hosts.flatMap(({ host, baseUrls }) => {
    const names = baseUrls.flatMap((baseUrl) => URL.parse(baseUrl)?.host || []);
    const answers = unanswered.map(({ message }) => REJECTED_KEY.exec(message)?.[1] ?? '');
    const at = unanswered.findIndex(({ message }) => names.some((name) => message.includes(` ${name}/`)));
    return at < 0 ? [] : [{ host, sentence: `${host} ${answers[at]}.` }];
  });
}
