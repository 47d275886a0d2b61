import { asText, get, getString } from '../core/json.ts';
import { redactSecrets } from '../core/secrets.ts';
import { escapeRegExp } from '../core/text/escape-reg-exp.ts';
import { oneLine, truncate } from '../core/text/truncate.ts';

/** Of a quotation from a server, in characters. */
const MAX_QUOTE_LENGTH = 200;
/** Of a server's message that is read for a quotation. */
const MAX_READ_LENGTH = 4000;

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
  return truncate(oneLine(redactKeys(message.slice(0, MAX_READ_LENGTH), sent)), MAX_QUOTE_LENGTH);
}

/**
 * Text of a server without known secrets and without what looks like a key that it was sent. The case is ignored: a key that
 * becomes part of a host's name loses its own.
 */
export function redactKeys(text: string, sent: readonly string[]): string {
  // "Bearer KEY" is two secrets: itself, and KEY.
  const secrets = sent.flatMap((value) => [value, ...value.split(/\s+/)]).filter((value) => value.length >= 6);
  const exact = secrets.reduce((rest, secret) => rest.replace(new RegExp(escapeRegExp(secret), 'gi'), '[key]'), text);
  const prefixes = secrets.map((secret) => secret.slice(0, 6).toLowerCase());
  return redactSecrets(exact).replace(/[^\s"'`,;:()[\]{}]{6,}/g, (word) =>
    /^(sk|pk|key|gsk|xai)[-_]/i.test(word) ||
    /[*•]{3,}|\w\.{3,}\w/.test(word) ||
    prefixes.some((prefix) => word.toLowerCase().startsWith(prefix))
      ? '[key]'
      : word,
  );
}
