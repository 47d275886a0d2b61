import { asText, get, getString } from '../core/json.ts';
import { oneLine, truncate } from '../core/text/truncate.ts';

/** Of a quotation from a server, in characters. */
const MAX_QUOTE_LENGTH = 200;

/**
 * The message in a server's error, short, on one line, and without anything that looks like a key: servers repeat the key that
 * they were sent, whole or partly masked.
 *
 * @param sent values of the request, such as its headers
 */
export function errorText(body: unknown, sent: readonly string[]): string {
  const error = get(body, 'error');
  const message =
    getString(error, 'message') ??
    (typeof error === 'string' ? error : undefined) ??
    getString(body, 'message') ??
    getString(body, 'detail') ??
    asText(body);
  return truncate(oneLine(redactKeys(message, sent)), MAX_QUOTE_LENGTH);
}

function redactKeys(text: string, sent: readonly string[]): string {
  // "Bearer KEY" is two secrets: itself, and KEY.
  const secrets = sent.flatMap((value) => [value, ...value.split(/\s+/)]).filter((value) => value.length >= 6);
  const exact = secrets.reduce((rest, secret) => rest.replaceAll(secret, '[key]'), text);
  const prefixes = secrets.map((secret) => secret.slice(0, 6));
  return exact.replace(/[^\s"'`,;:()[\]{}]{6,}/g, (word) =>
    /^(sk|pk|key|gsk|xai)[-_]/i.test(word) ||
    /[*•]{3,}|\w\.{3,}\w/.test(word) ||
    prefixes.some((prefix) => word.startsWith(prefix))
      ? '[key]'
      : word,
  );
}
