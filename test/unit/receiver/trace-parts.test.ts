import { describe, expect, it } from 'vitest';
import { readTraceParts } from '../../../src/receiver/trace-parts.ts';
import { githubToken } from '../../support/github-token.ts';

const TRACE = 'A'.repeat(32);
const SPAN = 'B'.repeat(16);

function logs(...records: readonly object[]): object {
  return { resourceLogs: [{ scopeLogs: [{ logRecords: records }] }] };
}

function spans(...list: readonly object[]): object {
  return { resourceSpans: [{ scopeSpans: [{ scope: { name: 's' }, spans: list }] }] };
}

function attribute(key: string, stringValue: string): object {
  return { key, value: { stringValue } };
}

describe('trace parts', () => {
  it('are one line for each trace, with ids in lower case', () => {
    const other = 'c'.repeat(32);
    const content = readTraceParts(
      'traces',
      spans(
        { traceId: TRACE, spanId: SPAN, name: 'a' },
        { traceId: other, spanId: SPAN },
        { traceId: TRACE, spanId: 'd'.repeat(16), parentSpanId: SPAN },
      ),
    );
    expect(content?.parts.map(({ traceId, spans }) => [traceId, spans.length])).toEqual([
      [TRACE.toLowerCase(), 2],
      [other, 1],
    ]);
    expect(content?.parts[0]?.line).toBe(
      `{"resourceSpans":[{"scopeSpans":[{"scope":{"name":"s"},"spans":[{"traceId":"${'a'.repeat(32)}","spanId":"${'b'.repeat(16)}","name":"a"},{"traceId":"${'a'.repeat(32)}","spanId":"${'d'.repeat(16)}","parentSpanId":"${'b'.repeat(16)}"}]}]}]}\n`,
    );
  });

  it('do not have spans without valid ids, and say how many', () => {
    const bad = [
      {},
      { traceId: TRACE },
      { traceId: '../x', spanId: SPAN },
      { traceId: '0'.repeat(32), spanId: SPAN },
      null,
    ];
    const content = readTraceParts('traces', spans({ traceId: TRACE, spanId: SPAN }, ...bad.map((span) => span ?? {})));
    expect(content?.parts).toHaveLength(1);
    expect(content?.partial).toEqual({ rejected: 5, reason: 'Spans without valid trace and span ids were not taken.' });
  });

  it('are null for what is no request', () => {
    for (const value of [null, 1, [], 'text', { resourceSpans: 1 }]) expect(readTraceParts('traces', value)).toBeNull();
    expect(readTraceParts('traces', {})).toEqual({ parts: [], endedSessions: [], partial: null });
  });

  it('have no secrets, by their form or by the key of the attribute', () => {
    const key = githubToken(1);
    const content = readTraceParts(
      'traces',
      spans({
        traceId: TRACE,
        spanId: SPAN,
        name: `call with ${key}`,
        attributes: [
          attribute(
            'gen_ai.input.messages',
            JSON.stringify([{ role: 'user', parts: [{ content: `my key is ${key}` }] }]),
          ),
          attribute('db.password', 'hunter2-Zebra!9'),
          { key: 'list', value: { kvlistValue: { values: [attribute('password', 'hunter2-Zebra!9')] } } },
        ],
        events: [{ name: 'e', attributes: [attribute('note', key)] }],
        status: { message: key },
      }),
    );
    const line = content?.parts[0]?.line ?? '';
    expect(line).not.toContain(key);
    expect(line).not.toContain('hunter2');
    const [span] = JSON.parse(line).resourceSpans[0].scopeSpans[0].spans;
    expect(JSON.parse(span.attributes[0].value.stringValue)[0].parts[0].content).toMatch(/^my key is \[REDACTED/);
  });

  it('have no secrets of the program that sends them', () => {
    const key = githubToken(1);
    const resource = { attributes: [attribute('process.command_line', `agent --key ${key}`)] };
    const scopeLogs = [{ logRecords: [{ traceId: TRACE, spanId: SPAN }] }];
    const scopeSpans = [{ spans: [{ traceId: TRACE, spanId: SPAN }] }];
    for (const content of [
      readTraceParts('traces', { resourceSpans: [{ resource, scopeSpans, schemaUrl: key }] }),
      readTraceParts('logs', { resourceLogs: [{ resource, scopeLogs, schemaUrl: key }] }),
    ]) {
      expect(content?.parts[0]?.line).toContain('agent --key [REDACTED');
      expect(content?.parts[0]?.line).not.toContain(key);
    }
  });

  it('name the conversation as it is written, so that no secret is in the name of a file', () => {
    const secret = githubToken(1);
    const content = readTraceParts(
      'traces',
      spans({ traceId: TRACE, spanId: SPAN, attributes: [attribute('gen_ai.conversation.id', secret)] }),
    );
    expect(JSON.stringify(content)).not.toContain(secret);
  });

  it('take log records of spans, and the end of a session', () => {
    const content = readTraceParts(
      'logs',
      logs(
        { traceId: TRACE, spanId: SPAN, eventName: 'gen_ai.user.message', body: { stringValue: 'hi' } },
        { eventName: 'session.end', attributes: [attribute('session.id', 'conv')] },
        { body: { stringValue: 'of no span' } },
      ),
    );
    expect(content?.parts[0]?.spans).toEqual([{ spanId: null, parentId: null, showsAgent: true, session: null }]);
    expect(content?.endedSessions).toEqual(['conv']);
    expect(content?.partial?.rejected).toBe(1);
  });

  it('keep keys that look like the prototype as data', () => {
    const value: unknown = JSON.parse(
      `{"resourceSpans":[{"__proto__":{"x":1},"scopeSpans":[{"spans":[{"traceId":"${TRACE}","spanId":"${SPAN}","__proto__":{"polluted":true}}]}]}]}`,
    );
    readTraceParts('traces', value);
    expect({}).not.toHaveProperty('polluted');
  });
});
