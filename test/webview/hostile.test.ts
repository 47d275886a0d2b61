import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { stepRows } from '../../src/panel/step-rows.ts';
import { openLink } from '../../src/protocol/panel.ts';
import { explanations, problemGroups, type ReportHeader } from '../../src/protocol/report.ts';
import { fullText, steps } from '../../src/protocol/turn-rows.ts';
import * as held from '../unit/server/report/session-fixture.ts';
import { type OpenReport, type Standalone, standalone } from './app.ts';
import { failure, NO_FACETS, quote, recording, sampleReport, score, session, target, turn } from './recording.ts';
import { call } from './steps.ts';

let app: Standalone;
beforeAll(async () => {
  app = await standalone();
}, 120_000);
afterAll(() => app[Symbol.asyncDispose]());

/** Trace text that tries to be more than text. */
const HOSTILE = [
  '<script>alert(1)</script>',
  '<img src=https://example.com/x.png onerror=alert(1)>',
  '<svg onload=alert(1)><style>*{display:none}</style></svg>',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<a href="javascript:alert(1)">here</a>',
  '[here](javascript:alert(1))',
  '[here](command:workbench.action.quit)',
  '![image](https://example.com/b.png)',
  '<link rel=stylesheet href=https://example.com/x.css>',
  '"><button onclick=alert(1)>Press</button>',
  '{{alert(1)}} $(trash)',
].join('\n\n');

/** Steps with hostile text in every field. */
function step(index: number) {
  return held.tool({ name: `step_${index + 1}`, result: index % 3 === 0 ? HOSTILE : 'It was done.' });
}

async function isOnlyText({ page }: OpenReport): Promise<void> {
  const made = '#report :is(img, script, a, iframe, style, link, object, embed, video, audio, form[action])';
  expect(await page.locator(made).evaluateAll((all) => all.map((item) => `${item}`))).toEqual([]);
  const live = '#report :is([onerror], [onclick], [onload], [href], [src])';
  expect(await page.locator(live).evaluateAll((all) => all.map((item) => `${item}`))).toEqual([]);
  expect(await page.getByRole('button', { name: 'Press', exact: true }).count()).toBe(0);
  // Only virtual list gaps have an inline style: a height.
  const styles = await page.evaluate<string[]>(`[...document.querySelectorAll('#report [style]')]
    .filter((one) => !/^height: [\\d.]+px;$/.test(one.getAttribute('style'))).map((one) => one.outerHTML)`);
  expect(styles).toEqual([]);
}

describe('a hostile trace', () => {
  const evidence = { note: HOSTILE, target: target('/x'), citation: null };
  const result = failure(0, { label: HOSTILE, reason: `\`${HOSTILE}\` ${HOSTILE}`, evidence: [evidence, evidence] });
  const row = turn(0, {
    input: quote(HOSTILE, '/i'),
    output: quote(HOSTILE, '/o'),
    steps: [
      call(0, {
        name: HOSTILE,
        arguments: { text: HOSTILE, omitted: 0 },
        outcome: 'error',
        result: quote(HOSTILE, '/r'),
        error: quote(HOSTILE, '/e'),
      }),
      {
        type: 'model',
        index: 1,
        target: target('/m'),
        durationMs: null,
        text: { text: HOSTILE, omitted: 0 },
        reasoning: { text: HOSTILE, omitted: 0 },
        error: { text: HOSTILE, omitted: 0 },
        model: HOSTILE,
        speaker: HOSTILE,
        tokens: null,
      },
      {
        type: 'retrieval',
        index: 2,
        target: target('/q'),
        durationMs: null,
        query: { text: HOSTILE, omitted: 0 },
        documents: [{ id: HOSTILE, text: HOSTILE, omitted: 0, score: 0.5 }],
        documentsOmitted: 0,
      },
      { type: 'agent', index: 3, target: target('/a'), durationMs: null, name: HOSTILE, turns: 9, calls: 99 },
    ],
    problems: [result],
    observations: [
      {
        rule: 'r',
        title: HOSTILE,
        reason: HOSTILE,
        target: target('/x'),
        evidence: [evidence],
        evidenceOmitted: 0,
        feedback: null,
      },
    ],
    suppressed: [
      { rule: 'r', finding: HOSTILE, reason: HOSTILE, target: target('/x'), evidence: [], evidenceOmitted: 0 },
    ],
    scores: [
      score(HOSTILE, 0.1, {
        reason: HOSTILE,
        band: { name: HOSTILE, meaning: HOSTILE },
        judge: HOSTILE,
        labels: [HOSTILE, HOSTILE],
      }),
    ],
    unscored: [{ status: 'error', metrics: 1, reasons: [{ reason: HOSTILE, metrics: [HOSTILE] }] }],
    feedback: { value: 'up', note: HOSTILE, at: null },
  });
  const header: Partial<ReportHeader> = {
    id: HOSTILE,
    file: { name: HOSTILE, uri: 'file:///x.json' },
    format: HOSTILE,
    headline: { kind: 'failed', text: HOSTILE, turn: 0 },
    worst: [{ title: HOSTILE, turn: 0, position: 0, severity: 'high' }],
    gates: [{ scope: 'run', metric: HOSTILE, threshold: 0.5, actual: 0.1, met: false, reason: HOSTILE }],
    judges: [HOSTILE],
    risk: null,
    riskReason: HOSTILE,
    facets: { ...NO_FACETS, labels: [{ name: HOSTILE, turns: 1 }] },
    sessionsInFile: 2,
  };
  const more = [
    {
      method: problemGroups.method,
      params: { session },
      result: {
        groups: [
          {
            label: HOSTILE,
            severity: 'high',
            title: HOSTILE,
            explanation: HOSTILE,
            count: 1,
            occurrences: [result],
            occurrencesOmitted: 0,
          },
        ],
        groupsOmitted: 0,
      },
    },
    {
      method: explanations.method,
      params: { session },
      result: {
        metrics: [
          {
            metric: HOSTILE,
            question: HOSTILE,
            score: null,
            sentences: [HOSTILE],
            terms: [
              {
                of: 'signal',
                name: HOSTILE,
                amount: 0.1,
                unit: HOSTILE,
                sentence: HOSTILE,
                parts: [
                  { name: HOSTILE, amount: 1 },
                  { name: HOSTILE, amount: 1 },
                ],
                turns: [0],
                turnsOmitted: 0,
                marks: ['flagged'],
              },
            ],
            termsOmitted: 0,
          },
        ],
        quadrant: { reliability: 0.1, consistency: 0.1, sentence: HOSTILE },
        means: [],
      },
    },
  ];

  it('is shown as text everywhere, runs no script and makes no request', async () => {
    await using open = await app.open(recording(sampleReport([row], header, more)));
    const { page } = open;
    const article = page.getByRole('article', { name: 'Turn 1' });
    await article.waitFor();
    const closed = article.locator('.opener[aria-expanded=false]');
    while ((await closed.count()) > 0) await closed.first().click();
    await isOnlyText(open);
    for (const tab of ['Problems', 'Metrics', 'Run']) {
      await page.getByRole('tab', { name: tab }).click();
      await page.getByRole('tabpanel', { name: tab }).getByText('<script>alert(1)</script>').first().waitFor();
      await isOnlyText(open);
    }
  });

  it('shows full URLs, and opens only web links', async () => {
    const message = 'See [your bank](https://example.com/really/somewhere/else) or [this](command:quit).';
    await using open = await app.open(recording(sampleReport([turn(0, { output: quote(message, '/o') })])));
    const links = open.page.locator('.agent .link');
    await links.first().waitFor();
    expect(await links.allTextContents()).toEqual(['https://example.com/really/somewhere/else']);
    expect(await open.page.locator('.agent .text').textContent()).toContain('[this](command:quit)');
    await links.click();
    expect((await open.asked()).filter(({ method }) => method === openLink.method)).toEqual([
      { method: openLink.method, params: { url: 'https://example.com/really/somewhere/else' } },
    ]);
  });

  it('cannot change the direction of adjacent text or hide characters', async () => {
    const message = `safe\u202Eexe.fdp\u001B[2J\u001B[31mred\u200B\u0007\uD800 end`;
    await using open = await app.open(recording(sampleReport([turn(0, { output: quote(message, '/o') })])));
    const shown = (await open.page.locator('.agent .text').textContent()) ?? '';
    expect(shown).toBe('safeRLOexe.fdpESC[2JESC[31mredZWSPBEL\uFFFD end');
    expect(await open.page.locator('.agent .invisible').allTextContents()).toEqual([
      'RLO',
      'ESC',
      'ESC',
      'ZWSP',
      'BEL',
    ]);
  });

  it('stays usable with a line of five megabytes', async () => {
    const line = 'x'.repeat(5_000_000);
    const row5 = turn(0, { output: quote(line.slice(0, 4000), '/o', line.length - 4000) });
    const address = { session, path: [], turn: 0, step: null, field: 'output', item: 0 };
    const log = recording(
      sampleReport([row5, turn(1)], {}, [{ method: fullText.method, params: address, text: line }]),
    );
    await using open = await app.open(log, { viewport: { width: 400, height: 800 } });
    await open.page.getByRole('button', { name: 'Show 3,360 more characters' }).click();
    await open.page.getByRole('button', { name: 'Show 20,000 of 4,996,000 further characters' }).click();
    await open.page.getByRole('button', { name: 'Show 20,000 of 4,976,000 further characters' }).waitFor();
    expect(await open.page.evaluate('document.documentElement.scrollWidth')).toBe(400);
    await open.page.keyboard.press('j');
    await open.page.keyboard.press('j');
    expect(await open.page.locator(':focus').getAttribute('id')).toBe('turn-2');
  });

  it('renders and fetches only visible steps of a million, and stays responsive', async () => {
    const huge = held.turn({ steps: Array.from({ length: 1_000_000 }, (_, index) => step(index)) });
    const evaluated = held.row(held.createSession({ turns: [[huge, {}]] }));
    const fetched: number[] = [];
    const answer = (method: string, params: unknown): unknown => {
      if (method !== steps.method) throw new Error(`Nobody answers ${method}.`);
      const { from, count } = z.parse(steps.params, params);
      fetched.push(from);
      return {
        rows: stepRows(huge, { file: held.FILE, calls: null }, from, count),
        omitted: Math.max(0, huge.steps.length - from - count),
      };
    };
    const log = recording(sampleReport([evaluated, turn(1)]));
    await using open = await app.open(log, { answer, viewport: { width: 400, height: 800 } });
    const { page } = open;
    await page.getByRole('button', { name: 'Show 999,980 more steps' }).click();
    const list = page.getByRole('list', { name: 'Steps 1 to 20000 of 1,000,000' });
    await list.getByText('step_21', { exact: true }).waitFor();
    expect(await list.getByRole('listitem').count()).toBeLessThan(120);
    await page.getByRole('button', { name: 'Later steps' }).click();
    await page.getByText('step_20001', { exact: true }).waitFor();
    await isOnlyText(open);
    expect(fetched.length).toBeLessThan(20);
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await expect.poll(() => page.locator(':focus').getAttribute('id')).toBe('turn-2');
    await page.getByText('Answer 2').waitFor();
    await page.getByRole('tab', { name: 'Run' }).click();
    await page.getByRole('region', { name: 'This run' }).waitFor();
  });

  it.each(['*a ', '[a](', '`', '- ', '\u202E'])('that repeats %j renders without delay', async (part) => {
    const message = part.repeat(4000 / part.length);
    const rows = Array.from({ length: 20 }, (_, index) =>
      turn(index, { input: quote(message, '/i'), output: quote(message, '/o') }),
    );
    const started = performance.now();
    await using open = await app.open(recording(sampleReport(rows)));
    await open.page
      .getByRole('button', { name: /^Show .* more character/ })
      .first()
      .click();
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});
