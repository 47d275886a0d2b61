import { asText, get, getString } from '../core/json.ts';

/** Longest quotation from a server's error, in characters. */
const MAX_QUOTE_LENGTH = 200;

/**
 * What a server said went wrong, short, on one line, and without anything that looks like a key: servers repeat the one
 * that they were sent, whole or with its middle blotted out.
 *
 * @param sent values that the request carried, such as its headers
 */
export function errorText(body: unknown, sent: readonly string[]): string {
  const error = get(body, 'error');
  const message =
    getString(error, 'message') ??
    (typeof error === 'string' ? error : undefined) ??
    getString(body, 'message') ??
    getString(body, 'detail') ??
    asText(body);
  const line = redactKeys(message, sent).replace(/\s+/g, ' ').trim();
  return line.length <= MAX_QUOTE_LENGTH ? line : `${line.slice(0, MAX_QUOTE_LENGTH - 1)}…`;
}

function redactKeys(text: string, sent: readonly string[]): string {
  // "Bearer KEY" is two secrets: itself, and KEY.
  const secrets = sent.flatMap((value) => [value, ...value.split(/\s+/)]).filter((value) => value.length >= 6);
  const exact = secrets.reduce((rest, secret) => rest.replaceAll(secret, '[key]'), text);
  const heads = secrets.map((secret) => secret.slice(0, 6));
  return exact.replace(/[^\s"'`,;:()[\]{}]{6,}/g, (word) =>
    /^(sk|pk|key|gsk|xai)[-_]/i.test(word) ||
    /[*•]{3,}|\w\.{3,}\w/.test(word) ||
    heads.some((head) => word.startsWith(head))
      ? '[key]'
      : word,
  );
}
