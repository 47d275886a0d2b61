import { describe, expect, it } from 'vitest';
import type { Report } from '../../src/index.ts';
import { turnwise } from '../support/cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A native trace with a model call that reports these tokens. */
const native = (input: string, output: string) =>
  `{"turnwise":1,"sessions":[{"id":"a","turns":[{"input":"hi","output":"hello","steps":[{"type":"model","usage":{"inputTokens":${input},"outputTokens":${output}}}]}]}]}`;

const chat = (tokens: string) =>
  `{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"hello","usage":{"prompt_tokens":${tokens},"completion_tokens":3}}]}`;

const tag = (key: string, value: unknown) => ({ key, type: 'string', value });
const message = (role: string, content: string) => JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);

/** A Jaeger trace whose only span lasts so many microseconds. */
const jaeger = (duration: string) =>
  JSON.stringify({
    data: [
      {
        traceID: 't',
        spans: [
          {
            traceID: 't',
            spanID: 's',
            operationName: 'chat',
            startTime: 1_700_000_000_000_000,
            duration: 'DURATION',
            tags: [
              tag('gen_ai.operation.name', 'chat'),
              tag('gen_ai.input.messages', message('user', 'hi')),
              tag('gen_ai.output.messages', message('assistant', 'hello')),
            ],
            processID: 'p',
          },
        ],
        processes: { p: { serviceName: 'x', tags: [] } },
      },
    ],
  }).replace('"DURATION"', duration);

const TOO_LARGE = { code: 'number-too-large', severity: 'error', line: 1 };

async function evaluate(name: string, trace: string) {
  await using folder = await temporaryFolder({ '.git': '', [name]: trace });
  const gates = ['--threshold', 'token_usage=1', '--threshold', 'response_time=1', '--fail-on', 'never'];
  const { code, stdout } = await turnwise(['eval', name, '--format', 'json', ...gates], { cwd: folder.path });
  const report: Report = JSON.parse(stdout);
  return { code, report, results: report.sessions[0]?.turns[0]?.metrics ?? {} };
}

describe('a number that cannot be computed with', () => {
  it.each([
    ['a token count of 1e400', 'a.json', native('1e400', '5')],
    ['a token count of 1e400 in a chat', 'a.json', chat('1e400')],
    ['a token count of 1e400 in a JSON Lines file', 'a.jsonl', `${chat('1e400')}\n${chat('4')}\n`],
    ['a duration of 1e400', 'a.json', jaeger('1e400')],
  ])('is an error with its line: %s', async (_, name, trace) => {
    const { code, report, results } = await evaluate(name, trace);
    expect(code).toBe(2);
    expect(report.problems).toContainEqual(expect.objectContaining(TOO_LARGE));
    expect(Object.values(results).filter((result) => result.score === null && result.status === 'scored')).toEqual([]);
  });

  it('makes a gate on the sum of token counts undecided, if it is beyond the range of numbers', async () => {
    const { code, report, results } = await evaluate('a.json', native('1e308', '1e308'));
    expect([code, report.verdict, results.token_usage?.status]).toEqual([3, 'undecided', 'error']);
    expect(report.gates).toContainEqual(expect.objectContaining({ metric: 'token_usage', met: null }));
  });

  it.each(['1e308', '1e30'])(
    'leaves a span without an end, which is an error, if it is its duration: %s',
    async (duration) => {
      const { code, report } = await evaluate('a.json', jaeger(duration));
      expect(code).toBe(2);
      expect(report.problems).toContainEqual(
        expect.objectContaining({
          ...TOO_LARGE,
          message: 'Ignored the duration of this span: it leads beyond every date.',
        }),
      );
      expect((await evaluate('a.json', jaeger('5000000'))).results.response_time).toMatchObject({ score: 5000 });
    },
  );
});
