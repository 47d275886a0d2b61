import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isLargeRun, largeRunQuestion } from '../../../src/server/consent/large-run.ts';
import { startStubModels } from '../../support/stub-models.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { agent, chat, user } from '../../support/traces.ts';
import { modelEditor } from './model-editor.ts';

/** One turn per question. */
function conversation(turns: number): string {
  const messages = Array.from({ length: turns }, (_, i) => [
    user(`What is ${i} and one?`),
    agent(`That is ${i + 1}, of course.`),
  ]);
  return chat(...messages.flat());
}

async function evaluate(turns: number, content: string | null, judge: object = {}) {
  await using stub = await startStubModels();
  const configuration = {
    judge: { provider: 'openai', model: 'm', baseUrl: stub.openai, price: { input: 1000, output: 1000 }, ...judge },
    metrics: { helpfulness: {} },
  };
  await using folder = await temporaryFolder({
    '.git': '',
    'chat.json': conversation(turns),
    'turnwise.config.json': JSON.stringify(configuration),
  });
  using editor = modelEditor({ home: join(folder.path, 'home'), says: () => content });
  const reports = [await editor.evaluate([join(folder.path, 'chat.json')])];
  const { length: requests } = stub.requests;
  reports.push(await editor.evaluate([join(folder.path, 'chat.json')]));
  return { reports, requests, questions: editor.questions, waits: editor.waits };
}

describe('a large evaluation', () => {
  it('asks for confirmation with its figures each time', async () => {
    const { reports, requests, questions, waits } = await evaluate(60, 'Continue');
    // The second one has its answers from the cache.
    expect(questions).toEqual([
      {
        message: expect.stringMatching(
          /^This evaluation makes \d\d+ model calls: about [\d,]+ tokens in and [\d,]+ out, at a cost of about [\d.]+\. Continue\?$/,
        ),
        answers: ['Continue', 'Rules Only', 'Cancel'],
      },
    ]);
    const [, calls] = /makes (\d+) model calls/.exec(questions[0]?.message ?? '') ?? [];
    expect(Number(calls)).toBe(requests);
    expect(requests).toBeGreaterThanOrEqual(60);
    expect(reports[0]?.run.complete).toBe(true);
    expect(waits).toEqual(['Waiting for confirmation (large run)']);
  });

  it.each(['Rules Only', null])(
    'asks no model after “%s”, says so, and asks the user again for the next run',
    async (message) => {
      const { reports, requests, questions } = await evaluate(60, message);
      expect(requests).toBe(0);
      expect(questions).toHaveLength(2);
      expect(reports[0]).toMatchObject({
        run: { judge: null, complete: true },
        problems: [{ severity: 'warning', message: expect.stringContaining('rules only') }],
      });
    },
  );

  it('does not run after "Cancel"', async () => {
    const { reports, requests } = await evaluate(60, 'Cancel');
    expect(requests).toBe(0);
    expect(reports[0]).toMatchObject({ run: { complete: false }, sessions: [] });
  });

  it('is not large where the configuration limits the calls', async () => {
    const { questions, requests } = await evaluate(60, null, { maxCalls: 50 });
    expect(questions).toEqual([]);
    expect(requests).toBe(50);
  });

  it('does not ask below the limit', async () => {
    const { questions, requests } = await evaluate(5, null);
    expect(questions).toEqual([]);
    expect(requests).toBeGreaterThan(0);
  });
});

describe('the figures of a large run', () => {
  const estimate = {
    judgeCalls: 200,
    judgeCallsCached: 12,
    promptTokens: 410_000,
    completionTokens: 36_000,
    embeddedTexts: 0,
    cost: 0.5,
  };

  it('cover all possible calls', () => {
    expect(largeRunQuestion(estimate, {})).toBe(
      'This evaluation makes 200 model calls: about 410,000 tokens in and 36,000 out, at a cost of about 0.50. Continue?',
    );
    const { cost, ...free } = estimate;
    expect(largeRunQuestion(free, { maxCalls: 100 })).toBe(
      'This evaluation makes 100 model calls: about 205,000 tokens in and 18,000 out. Continue?',
    );
  });

  it('are shown above fifty calls', () => {
    expect([50, 51].map((judgeCalls) => isLargeRun({ ...estimate, judgeCalls }, {}))).toEqual([false, true]);
  });
});
