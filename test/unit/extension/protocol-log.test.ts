import { describe, expect, it } from 'vitest';
import { redactMessage } from '../../../src/extension/protocol-log.ts';

describe('the protocol log', () => {
  it.each([
    [
      'Sending response \'turnwise/key - (3)\'. Processing request took 2ms.\nResult: "sk-secret"',
      "Sending response 'turnwise/key - (3)'. Processing request took 2ms.",
    ],
    ["Received request 'turnwise/key - (3)'.", "Received request 'turnwise/key - (3)'."],
    ['{"isLSPMessage":true,"type":"send-response","message":{"id":3,"result":"sk-secret"}}', '{…}'],
    ['', ''],
  ])('has the name of a message and not its content', (message, line) => {
    expect(redactMessage(message)).toBe(line);
  });
});
