import type { Problem } from '../../core/problem.ts';
import type { AskedHost } from './hosts.ts';

/** What model servers that answer 401 are reported as. */
const REFUSED = /(asks for a key|did not accept the key) \(401/;

/** The hosts that would have answered with another key, and what each of them said. */
export function refusedKey(
  problems: readonly Pick<Problem, 'code' | 'message'>[],
  hosts: readonly AskedHost[],
): { readonly host: string; readonly sentence: string }[] {
  const unanswered = problems.filter(({ code, message }) => code === 'judge-unanswered' && REFUSED.test(message));
  return hosts.flatMap(({ host, baseUrls }) => {
    const names = baseUrls.flatMap((baseUrl) => URL.parse(baseUrl)?.host ?? []);
    const said = unanswered.map(({ message }) => REFUSED.exec(message)?.[1] ?? '');
    const at = unanswered.findIndex(({ message }) => names.some((name) => message.includes(` ${name}/`)));
    return at < 0 ? [] : [{ host, sentence: `${host} ${said[at]}.` }];
  });
}
