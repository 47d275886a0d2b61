import { error, html, rateLimited, redirect, response, unsupported, wrongKey } from '../../support/stub-models.ts';
import type { JudgeFault } from './fault.ts';

const REFUSED = [
  400, 402, 405, 406, 410, 411, 412, 413, 414, 415, 416, 417, 418, 421, 422, 423, 424, 426, 428, 431, 451,
];
/** With these, the same request may be answered a moment later: it is sent four times. */
const RETRIED = [
  408, 409, 425, 500, 501, 502, 503, 504, 505, 506, 507, 508, 510, 511, 520, 521, 522, 523, 524, 525, 529, 530, 599,
  999,
];

/** Statuses that are no success, with an error in the body. */
export const HTTP_STATUS_FAULTS: readonly JudgeFault[] = [
  ...[300, 301, 302, 303, 307, 308].map((status) => ({
    name: `status ${status} to another host`,
    reply: redirect('https://elsewhere.test/v1', status),
    reason: /redirects to elsewhere\.test\/v1\. Redirects are not followed/,
  })),
  {
    name: 'a redirect to itself',
    reply: redirect('', 302),
    reason: /redirects to 127\.0\.0\.1:\d+\/(v1\/chat\/completions|api\/chat)\. Redirects are not followed/,
  },
  { name: 'a redirect without an address', reply: response(302, ''), reason: /redirects to an unknown address/ },
  {
    name: 'a redirect to an invalid address',
    reply: redirect('http://[', 302),
    reason: /redirects to an unknown address/,
  },
  { name: 'status 304', reply: response(304, ''), reason: /redirects to an unknown address/ },
  ...REFUSED.map((status) => ({
    name: `status ${status}`,
    reply: error(status, 'No.'),
    reason: new RegExp(`refused the request \\(${status}: No\\.\\)\\.$`),
  })),
  ...RETRIED.map((status) => ({
    name: `status ${status}`,
    reply: error(status, 'Not now.'),
    reason: new RegExp(`failed \\(${status}: Not now\\.\\)\\.$`),
  })),
  {
    name: 'a wrong key',
    reply: wrongKey(),
    reason: /requires an API key \(401: Incorrect API key provided: \[key\]\)/,
  },
  {
    name: 'a forbidden model',
    reply: error(403, 'Not for you.'),
    reason: /forbids the request \(403: Not for you\.\)/,
  },
  { name: 'an unknown model', reply: error(404, 'No such model.'), reason: /was not found \(404: No such model\.\)/ },
  {
    name: 'a proxy that requires credentials',
    reply: html(407),
    reason: /^The proxy in front of .* requires credentials \(407\)/,
  },
  { name: 'a rate limit', reply: rateLimited(), reason: /limits the rate of requests \(429: / },
  {
    name: 'an account without credit',
    reply: error(429, { message: 'Pay first.', code: 'insufficient_quota' }),
    reason: { openai: /the account has no credit left \(429: Pay first\.\)/, ollama: /limits the rate of requests/ },
  },
  {
    name: 'an unsupported message',
    reply: unsupported('messages'),
    reason: /refused the request \(400: Unsupported value/,
  },
  {
    name: 'an unsupported parameter, again and again',
    reply: unsupported('temperature'),
    reason: /\(400: Unsupported value/,
  },
  {
    name: 'no kind of structured output',
    reply: error(400, 'response_format is unknown'),
    reason: /\(400: response_format is unknown\)/,
  },
  {
    name: 'an invalid grammar',
    reply: error(400, 'failed to parse grammar'),
    reason: /\(400: failed to parse grammar\)/,
  },
  { name: 'a web page with an error status', reply: html(500), reason: /failed \(500\)\.$/ },
  { name: 'an error without a body', reply: response(500, ''), reason: /failed \(500\)\.$/ },
  {
    name: 'an error in a list',
    reply: response(500, '[{"message":"x"}]'),
    reason: /failed \(500: \[\{"message":"x"\}\]\)\.$/,
  },
  {
    name: 'an error that is nested too deeply',
    reply: response(500, `${'{"error":'.repeat(200_000)}1${'}'.repeat(200_000)}`),
    reason: /failed \(500: \{"error":\{"error":/,
  },
  { name: 'an error in plain text', reply: response(503, 'out of memory'), reason: /failed \(503: out of memory\)\.$/ },
  {
    name: 'a good answer with an error status',
    reply: response(500, '{"choices":[{"message":{"content":"{}"}}]}'),
    reason: /failed \(500: /,
  },
];
