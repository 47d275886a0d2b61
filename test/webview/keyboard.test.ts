import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reveal, turnSelected } from '../../src/protocol/panel.ts';
import { type OpenReport, type Standalone, standalone } from './app.ts';
import { failingTurn, quote, recording, sampleReport, session, target, turn } from './recording.ts';
import { call } from './steps.ts';

let app: Standalone;
beforeAll(async () => {
  app = await standalone();
}, 120_000);
afterAll(() => app[Symbol.asyncDispose]());

const rows = [turn(0), failingTurn(1, {}, { label: 'repetition' }), turn(2), failingTurn(3), turn(4)];
const facets = {
  metrics: [],
  labels: [{ name: 'wrong tool', turns: 2 }],
  severities: [],
  statuses: [],
  belowThreshold: 0,
} as const;

async function editor(): Promise<OpenReport> {
  const open = await app.open(recording(sampleReport(rows, { facets })), { turn: 0 });
  await open.page.getByText('Answer 5').waitFor();
  return open;
}

/** The id of the focused element after each key press. */
async function visits({ page }: OpenReport, keys: readonly string[]): Promise<(string | null)[]> {
  const visited: (string | null)[] = [];
  for (const key of keys) {
    await page.keyboard.press(key);
    visited.push(await page.locator(':focus').getAttribute('id'));
  }
  return visited;
}

/** The app's requests to the editor, except selections. */
async function input(open: OpenReport) {
  return (await open.asked()).filter(({ method }) => method !== turnSelected.method);
}

function isInSight({ page }: OpenReport, id: string): Promise<boolean> {
  return page.evaluate(`(() => {
    const { top, bottom } = document.getElementById('${id}').getBoundingClientRect();
    const { position, height } = getComputedStyle(document.querySelector('.sticky'));
    return top >= (position === 'sticky' ? Number.parseFloat(height) : 0) && bottom <= window.innerHeight;
  })()`);
}

describe('the keyboard', () => {
  it('selects the next and previous turn with j and k', async () => {
    await using open = await editor();
    const turns = await visits(open, ['j', 'j', 'k', 'k', 'k', 'j']);
    expect(turns).toEqual([2, 3, 2, 1, 1, 2].map((number) => `turn-${number}`));
    expect(await open.page.locator('article[aria-current]').getAttribute('id')).toBe('turn-2');
  });

  it('goes through the problems one by one with n and p', async () => {
    await using open = await editor();
    expect(await visits(open, ['n', 'n', 'n', 'n', 'p', 'p', 'p'])).toEqual([
      'turn-2-failure-1',
      'turn-2-failure-2',
      'turn-4-failure-1',
      'turn-4-failure-1',
      'turn-2-failure-2',
      'turn-2-failure-1',
      'turn-2-failure-1',
    ]);
  });

  it('keeps a problem visible when its evidence opens above it', async () => {
    const long = Array.from({ length: 30 }, (_, index) => `${index}`).join('\n');
    const cited = call(0, { result: quote(long, '/result') });
    const evidence = [
      {
        note: 'the call',
        target: target('/c'),
        citation: { turn: 0, step: 0, field: 'result', item: 0, start: 0, end: long.length },
      },
    ] as const;
    const log = recording(sampleReport([{ ...failingTurn(0, { evidence: [...evidence] }), steps: [cited] }]));
    await using open = await app.open(log, { viewport: { width: 400, height: 480 } });
    await open.page.getByText('Answer 1').waitFor();
    await open.page.keyboard.press('n');
    await open.page.locator('.step.chosen').getByText('29').waitFor();
    expect(await isInSight(open, 'turn-1-failure-1')).toBe(true);
  });

  it('is no match for the mouse: the first click on evidence counts, though a folded call opens above it', async () => {
    const long = Array.from({ length: 30 }, (_, line) => `line ${line}`).join('\n');
    const cited = call(0, { name: 'find', result: quote(long, '/c') });
    const evidence = [
      {
        note: 'the line',
        target: target('/c'),
        citation: { turn: 0, step: 0, field: 'result', item: 0, start: 0, end: long.length },
      },
    ] as const;
    const log = recording(sampleReport([{ ...failingTurn(0, { evidence: [...evidence] }), steps: [cited] }]));
    await using open = await app.open(log, { viewport: { width: 400, height: 900 } });
    const link = open.page.getByRole('button', { name: 'the line' });
    const before = await link.boundingBox();
    await link.click();
    await open.page.locator('.step.chosen').waitFor();
    expect(await link.boundingBox()).not.toEqual(before);
    expect(await input(open)).toEqual([{ method: reveal.method, params: { target: target('/c'), focus: false } }]);
  });

  it('opens the JSON of the selected turn or problem with Enter', async () => {
    await using open = await editor();
    for (const key of ['Enter', 'n', 'Enter']) await open.page.keyboard.press(key);
    expect(await input(open)).toEqual(
      [rows[0]?.target, target('/failing')].map((item) => ({
        method: reveal.method,
        params: { target: item, focus: true },
      })),
    );
  });

  it('goes back from a problem to its turn with Escape, and never leaves the panel', async () => {
    await using open = await editor();
    expect(await visits(open, ['n', 'Escape', 'Escape'])).toEqual(['turn-2-failure-1', 'turn-2', 'turn-2']);
    expect(await input(open)).toEqual([]);
  });

  it('focuses the search field with /, types letters in it, and clears and leaves it with Escape', async () => {
    await using open = await editor();
    await open.page.keyboard.press('/');
    const field = open.page.getByRole('textbox', { name: 'Find in transcript' });
    await open.page.keyboard.type('jn?');
    expect(await field.inputValue()).toBe('jn?');
    await open.page.keyboard.press('Escape');
    expect(await field.inputValue()).toBe('');
    expect(await open.page.locator(':focus').getAttribute('id')).toBe('turn-1');
  });

  it('focuses the filter with f, also from another tab and in a narrow panel', async () => {
    await using open = await editor();
    await open.page.setViewportSize({ width: 400, height: 800 });
    await open.page.getByRole('tab', { name: 'Run' }).click();
    await open.page.keyboard.press('f');
    expect(await open.page.locator(':focus').getAttribute('aria-label')).toBe('Filter by problem');
    await open.page.getByRole('tab', { name: 'Transcript', selected: true }).waitFor();
  });

  it('shows the shortcuts with ? and restores the focus', async () => {
    await using open = await editor();
    await open.page.keyboard.press('Escape');
    await open.page.keyboard.press('?');
    const dialog = open.page.getByRole('dialog', { name: 'Keyboard Shortcuts' });
    for (const text of ['next turn', 'previous problem', 'open the JSON at the evidence']) {
      await dialog.getByText(text).waitFor();
    }
    // Shortcuts are disabled while the dialog is open.
    await open.page.keyboard.press('j');
    await open.page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await open.page.locator(':focus').getAttribute('id')).toBe('turn-1');
    expect(await input(open)).toEqual([]);
  });

  it('asks the editor only to show locations, whatever sequence of keys is pressed', async () => {
    await using open = await editor();
    const keys = ['j', 'k', 'n', 'p', 'Enter', 'f', '/', 'Escape', '?'];
    const sequence = fc.sample(fc.constantFrom(...keys), { numRuns: 120, seed: 7 });
    for (const key of sequence) await open.page.keyboard.press(key);
    const methods = new Set((await open.asked()).map(({ method }) => method));
    expect([...methods].filter((method) => method !== reveal.method && method !== turnSelected.method)).toEqual([]);
    expect(methods).toContain(reveal.method);
  });

  it('treats the strip as one tab stop and moves in it with arrow keys', async () => {
    await using open = await editor();
    const strip = open.page.getByRole('toolbar', { name: 'Problems by turn' });
    await strip.getByRole('button', { name: 'Turn 1', exact: false }).first().focus();
    const names: (string | null)[] = [];
    for (const key of ['ArrowRight', 'End', 'ArrowRight', 'ArrowLeft', 'Home']) {
      await open.page.keyboard.press(key);
      names.push(await strip.locator('button:focus').getAttribute('aria-label'));
    }
    expect(names).toEqual([
      'Turn 2, 2 problems',
      'Turn 5, 0 problems',
      'Turn 5, 0 problems',
      'Problem 1 of turn 4, high',
      'Turn 1, 0 problems',
    ]);
    expect(await strip.locator('button[tabindex="0"]').count()).toBe(1);
  });

  it('treats the tabs as one tab stop and cycles through them with arrow keys', async () => {
    await using open = await editor();
    await open.page.getByRole('tab', { name: 'Transcript' }).focus();
    const names: (string | null)[] = [];
    for (const key of ['ArrowRight', 'End', 'ArrowRight', 'ArrowLeft', 'Home']) {
      await open.page.keyboard.press(key);
      names.push(await open.page.locator('[role=tab][aria-selected=true]:focus').textContent());
    }
    expect(names).toEqual(['Problems 3', 'Run', 'Transcript', 'Run', 'Transcript']);
    await open.page.getByRole('tabpanel', { name: 'Transcript' }).waitFor();
  });
});

describe('the editor and the panel', () => {
  const selections = async (open: OpenReport) =>
    (await open.asked()).filter(({ method }) => method === turnSelected.method);

  it('notifies the editor of a selected turn after a delay', async () => {
    await using open = await editor();
    await open.page.clock.install();
    await open.page.clock.pauseAt(Date.now() + 60_000);
    for (const key of ['j', 'j']) {
      await open.page.keyboard.press(key);
      await open.page.clock.runFor(50);
    }
    expect(await selections(open)).toEqual([]);
    await open.page.clock.runFor(500);
    expect(await selections(open)).toEqual([{ method: turnSelected.method, params: { session, turn: 2 } }]);
  });

  it('selects the turn that the editor names without notifying it', async () => {
    await using open = await editor();
    await open.page.clock.install();
    await open.tell({ event: 'select', session, turn: 3 });
    await open.page.locator('#turn-4[aria-current]').waitFor();
    await open.page.clock.runFor(500);
    expect(await selections(open)).toEqual([]);
    await open.page.keyboard.press('j');
    await open.page.clock.runFor(500);
    expect(await selections(open)).toEqual([{ method: turnSelected.method, params: { session, turn: 4 } }]);
  });
});
