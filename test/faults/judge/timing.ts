import { delayedReply, error, hang, rateLimited, raw, response } from '../../support/stub-models.ts';
import type { JudgeFault } from './fault.ts';

const TIMEOUT = { timeoutMs: 60, reason: /did not answer within 0\.06 s\. Raise `timeoutMs` to wait longer\.$/ };

/** Servers that are too slow, or say when to come back. */
export const TIMING_FAULTS: readonly JudgeFault[] = [
  { name: 'no response', reply: hang, ...TIMEOUT },
  { name: 'a response after the timeout', reply: delayedReply(200), ...TIMEOUT },
  {
    name: 'headers without a body',
    reply: raw((socket) => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n')),
    ...TIMEOUT,
  },
  {
    name: 'half a body',
    reply: raw((socket) => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n{"choices": [')),
    ...TIMEOUT,
  },
  {
    name: 'an error status without its body',
    reply: raw((socket) => void socket.write('HTTP/1.1 500 Oops\r\ncontent-length: 9\r\n\r\n')),
    ...TIMEOUT,
  },
  {
    name: 'a byte now and then',
    reply: raw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n');
      const drip = setInterval(() => socket.write(' '), 20);
      socket.once('close', () => clearInterval(drip));
    }),
    ...TIMEOUT,
  },
  {
    name: 'an interim response only',
    reply: raw((socket) => void socket.write('HTTP/1.1 103 Early Hints\r\n\r\n')),
    ...TIMEOUT,
  },
  ...['0', '7', '59', '-5', 'soon', '', '1e400', 'Thu, 01 Jan 1970 00:00:00 GMT'].map((retryAfter) => ({
    name: `a rate limit with Retry-After "${retryAfter}"`,
    reply: rateLimited(retryAfter),
    reason: /limits the rate of requests \(429: |^No model answered for 2 min/,
  })),
  ...['61', '86400', 'Thu, 01 Jan 2099 00:00:00 GMT'].map((retryAfter) => ({
    name: `a rate limit with Retry-After "${retryAfter}"`,
    reply: rateLimited(retryAfter),
    reason: /limits the rate of requests .* It asks to wait \d+ s, which is longer than a run waits\./,
  })),
  {
    name: 'a rate limit with a wait in milliseconds',
    reply: response(429, '{}', { 'retry-after-ms': '250' }),
    reason: /limits the rate of requests \(429: \{\}\)/,
  },
  {
    name: 'an overload that asks for a day',
    reply: error(503, 'Busy', { retryAfter: '86400' }),
    reason: /failed \(503: Busy\)\. It asks to wait 86400 s/,
  },
];
