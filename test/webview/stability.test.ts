import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TurnRow } from '../../src/protocol/turn-rows.ts';
import { type Standalone, standalone } from './app.ts';
import {
  failingTurn,
  NO_FACETS,
  type Parts,
  quote,
  recording,
  sampleReport,
  score,
  session,
  signalsOf,
  turn,
} from './recording.ts';
import { call } from './steps.ts';

let app: Standalone;
beforeAll(async () => {
  app = await standalone();
}, 120_000);
afterAll(() => app[Symbol.asyncDispose]());

const COUNT = 30;
const NOTHING_YET = { waiting: true, problems: [], scores: [] } as const;
const LONG = 'It was called again with the same arguments although nothing had changed in between. '.repeat(4);

/** An evaluated turn; heights vary, so that estimates are wrong. */
function evaluatedTurn(index: number): TurnRow {
  return {
    ...(index % 3 === 2 ? failingTurn(index, { reason: LONG }) : turn(index)),
    input: quote(`Question ${index + 1}${'\n.'.repeat(index % 7)}`, `/${index}/input`),
    steps: [call(0), call(1)],
    scores: [score('task_completion', 0.7), score('loop_detection', 0.2)],
  };
}

/** The report after `done` turns are evaluated. */
function upTo(done: number): Parts {
  const rows = Array.from({ length: COUNT }, (_, index) =>
    index < done ? evaluatedTurn(index) : { ...evaluatedTurn(index), ...NOTHING_YET },
  );
  const failures = rows.filter((row) => row.problems.length > 0);
  const signal = {
    metric: 'confidence',
    question: null,
    scale: [0, 1],
    threshold: 0.5,
    lowerIsBetter: false,
    values: rows.map((_, index) => (index < done ? 0.4 : null)),
  } as const;
  const isDone = done === COUNT;
  return sampleReport(
    rows,
    {
      revision: done,
      turnsDone: isDone ? null : done,
      verdict: failures.length > 0 ? 'failed' : 'passed',
      risk: done === 0 ? null : 0.1 + done / 50,
      riskReason: done === 0 ? 'No turn is evaluated.' : null,
      coverage: { scored: done * 7, of: done * 30 },
      facets:
        failures.length === 0 ? NO_FACETS : { ...NO_FACETS, labels: [{ name: 'wrong tool', turns: failures.length }] },
      run: {
        ...sampleReport([]).header.run,
        startedAt: isDone ? '2026-01-02T03:04:05.000Z' : null,
        durationMs: isDone ? 4100 : null,
      },
    },
    done === 0 ? [signalsOf([])] : [signalsOf([signal])],
  );
}

interface Shift {
  /** Descriptions of what has moved. */
  readonly moved: readonly string[];
}

/** Records every element that moves, by its turn or another description. */
const WATCH = `
  globalThis.shifts = [];
  const labelOf = ({ node, previousRect, currentRect }) => {
    const element = node instanceof Element ? node : node?.parentElement;
    const within = element?.closest('article') ?? element?.querySelector(':scope > article');
    const from = [previousRect.left, previousRect.top], to = [currentRect.left, currentRect.top];
    return within?.id ?? \`\${element?.className} from \${from} to \${to}\`;
  };
  // A text that changes may begin a pixel earlier; a problem adds a mark before those of later turns.
  const isSeen = ({ node, previousRect, currentRect }) =>
    Math.abs(previousRect.left - currentRect.left) + Math.abs(previousRect.top - currentRect.top) > 1 &&
    !(node?.parentElement ?? node)?.closest('.marks');
  new PerformanceObserver((list) => {
    for (const { sources } of list.getEntries()) globalThis.shifts.push({ moved: sources.filter(isSeen).map(labelOf) });
  }).observe({ type: 'layout-shift', buffered: true });`;

/** What has moved so far; waits for a frame, because layout shifts are reported after it. */
async function moved(page: Page): Promise<readonly string[]> {
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))');
  const shifts = await page.evaluate<Shift[]>('globalThis.shifts.splice(0)');
  return shifts.flatMap((shift) => shift.moved);
}

describe.each([400, 1200])('at %d px', (width) => {
  const viewport = { width, height: 900 };

  it('moves nothing while a report loads', async () => {
    await using open = await app.open(recording({ ...upTo(COUNT), header: { ...upTo(COUNT).header } }), { viewport });
    const { page } = open;
    await page.evaluate(WATCH);
    await page.getByText('Answer 2', { exact: true }).waitFor();
    expect(await moved(page)).toEqual([]);
  });

  it('moves only turns that are not evaluated yet while results arrive', async () => {
    await using open = await app.open(recording(upTo(0)), { viewport });
    const { page } = open;
    await page.evaluate(WATCH);
    await page.getByText('Evaluating this turn…').first().waitFor();
    expect(await moved(page)).toEqual([]);
    for (const done of [1, 2, 3, 6, 9, 20, COUNT]) {
      const news = Array.from({ length: COUNT }, (_, index) => index);
      await open.change(recording(upTo(done)), news);
      await page.getByText(done === COUNT ? 'Evaluation finished' : `${done} of ${COUNT} turns`).waitFor();
      const article = page.getByRole('article', { name: `Turn ${Math.min(done, 2)}`, exact: true });
      await article.getByRole('button', { name: /more score/ }).waitFor();
      const waiting = news.slice(done).map((index) => `turn-${index + 1}`);
      expect((await moved(page)).filter((item) => !waiting.includes(item))).toEqual([]);
    }
  });

  it('keeps visible content in place while turns above it are evaluated', async () => {
    await using open = await app.open(recording(upTo(0)), { viewport });
    const { page } = open;
    await page.evaluate(WATCH);
    await page.getByText('Evaluating this turn…').first().waitFor();
    await open.tell({ event: 'select', session, turn: 5 });
    await page.locator('#turn-6[aria-current]').waitFor();
    const top = () => page.evaluate<number>("document.getElementById('turn-6').getBoundingClientRect().top");
    const before = await top();
    await moved(page);
    await open.change(recording(upTo(3)), [0, 1, 2]);
    await page.locator('#turn-3').getByRole('list', { name: 'Scores' }).waitFor();
    await expect.poll(async () => Math.abs((await top()) - before)).toBeLessThan(2);
    expect(await moved(page)).toEqual([]);
  });
});
