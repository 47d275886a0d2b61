import { html, nothing, response, type StubReply } from '../../support/stub-models.ts';
import { body, GOOD, type JudgeFault } from './fault.ts';

const NOT_JSON = /answered with something that is not JSON instead of JSON\. Check the base URL/;
const NO_CHOICE = { openai: /answered without a choice\.$/, ollama: /answered with no text\.$/ };
const NO_TEXT = /answered with no text\.$/;

const ok = (text: string): StubReply => response(200, text);
const json = (value: unknown): StubReply => ok(JSON.stringify(value));

/** Responses with status 200 that are no answer of the API. */
export const RESPONSE_BODY_FAULTS: readonly JudgeFault[] = [
  { name: 'nothing', reply: ok(''), reason: /answered with nothing instead of JSON/ },
  { name: 'status 204', reply: response(204, ''), reason: /answered with nothing instead of JSON/ },
  { name: 'part of a body with status 206', reply: response(206, '{"choices": ['), reason: NOT_JSON },
  { name: 'white space', reply: ok(' \r\n\t '), reason: NOT_JSON },
  { name: 'a byte order mark', reply: ok('\ufeff'), reason: /answered with nothing instead of JSON/ },
  { name: 'a web page', reply: html(), reason: /answered with a web page instead of JSON/ },
  { name: 'XML', reply: ok('<?xml version="1.0"?><answer/>'), reason: NOT_JSON },
  { name: 'plain text', reply: ok('It works!'), reason: NOT_JSON },
  { name: 'random bytes', reply: response(200, Buffer.from([0, 255, 1, 254, 123, 0])), reason: NOT_JSON },
  {
    name: 'truncated JSON',
    reply: (provider) => ok(JSON.stringify(body(provider, GOOD)).slice(0, -1)),
    reason: NOT_JSON,
  },
  { name: 'JSON twice', reply: (provider) => ok(JSON.stringify(body(provider, GOOD)).repeat(2)), reason: NOT_JSON },
  {
    name: 'JSON with a comment',
    reply: (provider) => ok(`${JSON.stringify(body(provider, GOOD))} // done`),
    reason: NOT_JSON,
  },
  {
    name: 'JSON in single quotes',
    reply: (provider) => ok(JSON.stringify(body(provider, GOOD)).replaceAll('"', "'")),
    reason: NOT_JSON,
  },
  {
    name: 'a stream of events',
    reply: (provider) => ok(`data: ${JSON.stringify(body(provider, GOOD))}\n\ndata: [DONE]\n\n`),
    reason: NOT_JSON,
  },
  {
    name: 'a stream of lines',
    reply: (provider) => ok(`${JSON.stringify(body(provider, '{'))}\n${JSON.stringify(body(provider, '}'))}\n`),
    reason: NOT_JSON,
  },
  { name: 'NaN', reply: ok('NaN'), reason: NOT_JSON },
  { name: 'null', reply: ok('null'), reason: NO_CHOICE },
  { name: 'true', reply: ok('true'), reason: NO_CHOICE },
  { name: 'a number', reply: ok('4'), reason: NO_CHOICE },
  { name: 'a text', reply: json(GOOD), reason: NO_CHOICE },
  { name: 'a list', reply: ok('[]'), reason: NO_CHOICE },
  { name: 'a list of answers', reply: (provider) => json([body(provider, GOOD)]), reason: NO_CHOICE },
  { name: 'an empty object', reply: ok('{}'), reason: NO_CHOICE },
  { name: 'the answer without its envelope', reply: ok(GOOD), reason: NO_CHOICE },
  { name: 'no choices', reply: nothing, reason: NO_CHOICE },
  { name: 'deeply nested lists', reply: ok('['.repeat(900) + ']'.repeat(900)), reason: NO_CHOICE },
  { name: 'lists that are nested too deeply', reply: ok('['.repeat(200_000) + ']'.repeat(200_000)), reason: NOT_JSON },
  { name: 'a text that is nested too deeply', reply: (provider) => ok(deep(body(provider, '@'))), reason: NOT_JSON },
  { name: 'an error that is nested too deeply', reply: ok(deep({ error: '@' })), reason: NOT_JSON },
  { name: 'too many values', reply: ok(`[${'{},'.repeat(3_000_000)}{}]`), reason: NOT_JSON },
  {
    name: 'the answer of another API',
    reply: (provider) => json(body(provider === 'openai' ? 'ollama' : 'openai', GOOD)),
    reason: NO_CHOICE,
  },
  {
    name: 'an answer in another field',
    reply: json({ text: GOOD, choices: [{ text: GOOD }], response: GOOD }),
    reason: NO_TEXT,
  },
  { name: 'null as the message', reply: json({ choices: [{ message: null }], message: null }), reason: NO_TEXT },
  { name: 'a list as the message', reply: json({ choices: [{ message: [GOOD] }], message: [GOOD] }), reason: NO_TEXT },
  { name: 'null as the text', reply: (provider) => json(body(provider, null)), reason: NO_TEXT },
  { name: 'an empty text', reply: (provider) => json(body(provider, '')), reason: NO_TEXT },
  { name: 'a blank text', reply: (provider) => json(body(provider, ' \n\t')), reason: NO_TEXT },
  {
    name: 'a picture as the text',
    reply: (provider) => json(body(provider, [{ type: 'image_url', image_url: 'x' }])),
    reason: NO_TEXT,
  },
  {
    name: 'a call of a tool',
    reply: json({
      choices: [{ message: { tool_calls: [{ function: { arguments: GOOD } }] }, finish_reason: 'tool_calls' }],
      message: { tool_calls: [] },
    }),
    reason: NO_TEXT,
  },
  {
    name: 'thoughts without an answer',
    reply: json({ choices: [{ message: { content: '', reasoning: GOOD } }], message: { content: '', thinking: GOOD } }),
    reason: NO_TEXT,
  },
  {
    name: 'an error beside a good answer',
    reply: (provider) => json({ ...body(provider, GOOD), error: { message: 'It broke.' } }),
    reason: { openai: /passed on an error: It broke\.$/, ollama: /failed: It broke\.$/ },
  },
  {
    name: 'an error as a text',
    reply: json({ error: 'It broke.' }),
    reason: { openai: /passed on an error: It broke\.$/, ollama: /failed: It broke\.$/ },
  },
  {
    name: 'an error of a choice',
    reply: json({ choices: [{ error: { message: 'It broke.' } }] }),
    reason: { openai: /passed on an error: It broke\.$/, ollama: NO_TEXT },
  },
];

/** JSON with objects in objects where the value has "@". */
function deep(value: object): string {
  return JSON.stringify(value).replace('"@"', `${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`);
}
