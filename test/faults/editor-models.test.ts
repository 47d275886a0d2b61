import { describe, expect, it } from 'vitest';
import { ACME, type EditorFault, fakeEditor, SHAPES, text, toolCall } from '../support/editor-models.ts';
import { judgedRun } from '../support/judged-run.ts';
import { memoryCache } from '../unit/judge/support.ts';
import { sessionOf } from '../unit/metrics/views.ts';

/** Errors of VS Code have a code, and those of extensions may be anything. */
const error = (code: string, message = 'as the provider says it') => Object.assign(new Error(message), { code });
const throwing = (code: string): EditorFault => ({ throws: () => error(code) });

const MARK = 'And where is order B-2?';
const SESSION = sessionOf([{ input: 'Where is order A-1?' }, { input: MARK }]);

interface Fault {
  readonly fault: EditorFault;
  /** Why the question has no answer. */
  readonly reason: RegExp;
  /** Whether the same request may succeed when it is sent again. */
  readonly passes: boolean;
}

/** In milliseconds: a model that never ends its answer is not waited for. */
const TIMEOUT_MS = 30;

const FAULTS: Readonly<Record<string, Fault>> = {
  'no consent': { fault: throwing('NoPermissions'), reason: /may not be used by Turnwise/, passes: false },
  'no quota': { fault: throwing('Blocked'), reason: /quota may be used up/, passes: false },
  'a request that the editor cancels': { fault: throwing('Canceled'), reason: /cancelled the request/, passes: false },
  'a model that has vanished': { fault: throwing('NotFound'), reason: /no longer there/, passes: false },
  'a refusal in words': {
    fault: { parts: () => [text("Sorry, I can't assist with that.")] },
    reason: /no JSON object/,
    passes: true,
  },
  'a stream that is cut': {
    fault: { parts: () => [text('{"helpf')], ends: () => error('Unknown', 'net::ERR_CONNECTION_RESET') },
    reason: /stopped in the middle of its answer/,
    passes: true,
  },
  'an empty stream': { fault: { parts: () => [text(''), text(' ')] }, reason: /answered with no text/, passes: true },
  'an answer of another shape': {
    fault: { parts: (_, { schema }) => [schema ? toolCall({ score: 5 }) : text('{"score": 5}')] },
    reason: /does not fit/,
    passes: true,
  },
  'a call of another tool': {
    fault: { parts: (answer) => [toolCall(answer, 'run_in_terminal')] },
    reason: /a tool that it was not given: run_in_terminal/,
    passes: true,
  },
  'a text that is thrown': {
    fault: { throws: () => 'Sorry, no response' },
    reason: /Sorry, no response/,
    passes: true,
  },
  'an answer that never ends': {
    fault: { parts: () => [text('{')], ends: 'never' },
    reason: /did not answer in time/,
    passes: true,
  },
  'too many requests': {
    fault: { throws: () => Object.assign(error('Unknown'), { name: 'ChatRateLimited' }) },
    reason: /too many requests/,
    passes: true,
  },
};

function evaluate(editorModels: ReturnType<typeof fakeEditor>, sessions = [SESSION], judge: object = {}) {
  return judgedRun({
    provider: 'editor',
    editorModels,
    sessions,
    cache: memoryCache(),
    configuration: {
      metrics: ['helpfulness'],
      gates: { thresholds: { helpfulness: 3 }, minCoverage: 0.5 },
      judge: { model: 'acme/large', concurrency: 1, timeoutMs: TIMEOUT_MS, ...judge },
    },
  });
}

describe.each(Object.entries(SHAPES))('a model of the editor that %s', (_, shape) => {
  it('is a judge', async () => {
    const editor = fakeEditor(shape);
    const { report, code } = await evaluate(editor);
    expect(code).toBe(0);
    for (const { metrics } of report.sessions[0]?.turns ?? []) {
      expect(metrics.helpfulness).toMatchObject({ status: 'scored', score: 4, judge: 'editor/acme/large 2026-01' });
    }
  });

  it.each(Object.entries(FAULTS))('never passes after %s', async (_, { fault, reason }) => {
    const isAtMark = ({ messages }: { readonly messages: readonly string[] }) => messages.join('').includes(MARK);
    const editor = fakeEditor(shape, { fault: (request) => (isAtMark(request) ? fault : null) });
    const { report, code } = await evaluate(editor);
    expect(code).toBe(3);
    expect(report.verdict).toBe('undecided');
    const [first, second] = report.sessions[0]?.turns ?? [];
    expect(first?.metrics.helpfulness).toMatchObject({ status: 'scored', score: 4 });
    expect(second?.metrics.helpfulness).toMatchObject({
      status: 'error',
      score: null,
      reason: expect.stringMatching(reason),
    });
  });

  it('gives no answer to a run that was cancelled, even if it answers later', async () => {
    const stop = new AbortController();
    const late = Promise.withResolvers<void>();
    const editor = fakeEditor(shape);
    const { report } = await judgedRun({
      provider: 'editor',
      editorModels: {
        models: editor.models,
        ask: async (request, signal) => {
          stop.abort();
          const answer = await editor.ask(request, new AbortController().signal);
          expect(signal.aborted).toBe(true);
          late.resolve();
          return answer;
        },
      },
      sessions: [SESSION],
      signal: stop.signal,
      configuration: { metrics: ['helpfulness'], judge: { model: 'acme/large', concurrency: 1 } },
    });
    await late.promise;
    expect(report.run.complete).toBe(false);
    const results = report.sessions.flatMap(({ turns }) => turns).map(({ metrics }) => metrics.helpfulness?.status);
    expect(results).not.toContain('scored');
  });
});

it('at least 99 % of the questions are scored when the first request about each fails in a way that passes', async () => {
  const passing = Object.values(FAULTS).filter(({ passes }) => passes);
  const questions = Array.from({ length: 20 }, (_, index) => `Where is order C-${100 + index}?`);
  const session = sessionOf(questions.map((input) => ({ input })));
  let scored = 0;
  let asked = 0;
  for (const shape of Object.values(SHAPES)) {
    for (const { fault } of passing) {
      const failed = new Set<string>();
      const editor = fakeEditor(shape, {
        fault: ({ messages }) => {
          // A prompt shows earlier turns too: the question is about the last one.
          const about = questions.findLast((question) => messages.join('').includes(question)) ?? '';
          if (failed.has(about)) return null;
          failed.add(about);
          return fault;
        },
      });
      const { report } = await evaluate(editor, [session], { concurrency: 4 });
      const results = report.sessions.flatMap(({ turns }) => turns);
      asked += results.length;
      scored += results.filter(({ metrics }) => metrics.helpfulness?.status === 'scored').length;
    }
  }
  expect(asked).toBe(Object.keys(SHAPES).length * passing.length * questions.length);
  expect(scored / asked).toBeGreaterThanOrEqual(0.99);
}, 60_000);

describe('the tokens of a model of the editor', () => {
  it.each(['schema', 'text'])('are within 10 %% of what the provider counts (%s)', async (structuredOutput) => {
    const editor = fakeEditor(SHAPES['calls the tool'] ?? (() => []));
    const { report } = await evaluate(editor, [SESSION], { structuredOutput });
    const { promptTokens } = report.run.usage;
    expect(Math.abs(promptTokens - editor.tokens.sent) / editor.tokens.sent).toBeLessThan(0.1);
  });

  it('are limited by the budget of the judge', async () => {
    const editor = fakeEditor(SHAPES['calls the tool'] ?? (() => []));
    const { report } = await evaluate(editor, [SESSION], { maxCalls: 1 });
    expect(editor.requests).toHaveLength(1);
    expect(report.sessions[0]?.turns[1]?.metrics.helpfulness).toMatchObject({ status: 'cancelled' });
  });

  it('are not sent where the model takes fewer', async () => {
    const editor = fakeEditor(SHAPES['calls the tool'] ?? (() => []), { maxInputTokens: 10 });
    const { report } = await evaluate(editor);
    expect(editor.requests).toEqual([]);
    expect(report.sessions[0]?.turns[0]?.metrics.helpfulness).toMatchObject({
      status: 'error',
      reason: expect.stringMatching(/does not take prompts of this length: it takes 10 tokens/),
    });
  });
});

describe('the temperature', () => {
  it('is left out after the model has refused it', async () => {
    const editor = fakeEditor(SHAPES['calls the tool'] ?? (() => []), {
      fault: ({ temperature }) =>
        temperature === null ? null : { throws: () => error('Unknown', "Unsupported parameter: 'temperature'") },
    });
    const { code } = await evaluate(editor);
    expect(code).toBe(0);
    expect(editor.requests.map(({ temperature }) => temperature)).toEqual([0, null, null]);
  });
});

describe('another version of a model of the editor', () => {
  it('is another judge: no answer of the first is used', async () => {
    const cache = memoryCache();
    const run = async (version: string) => {
      const editor = fakeEditor(SHAPES['calls the tool'] ?? (() => []), { models: [{ ...ACME, version }] });
      await judgedRun({
        provider: 'editor',
        editorModels: editor,
        sessions: [SESSION],
        cache,
        configuration: { metrics: ['helpfulness'], judge: { model: 'acme/large' } },
      });
      return editor.requests.length;
    };
    expect(await run('1')).toBe(2);
    expect(await run('1')).toBe(0);
    expect(await run('2')).toBe(2);
  });
});
