import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { labelsOf, locateResult, nextResult, setLabel, storeCalibration } from '../../src/protocol/labels.ts';
import { reveal } from '../../src/protocol/panel.ts';
import { type OpenReport, type Standalone, standalone } from './app.ts';
import { AGREEMENT, JUDGED, LABELS, LabelServer, labelPart, labelState, resultToLabel } from './labels-fixture.ts';

let app: Standalone;
beforeAll(async () => {
  app = await standalone();
}, 120_000);
afterAll(() => app[Symbol.asyncDispose]());

function open(server: LabelServer, answer = server.answer): Promise<OpenReport> {
  return app.open([], { page: 'runs', scope: LABELS, timezoneId: 'UTC', answer });
}

async function requestsOf({ page }: OpenReport, { method }: { readonly method: string }): Promise<unknown[]> {
  return page.evaluate(
    `turnwise.requests.filter((one) => one.method === ${JSON.stringify(method)}).map((one) => one.params)`,
  );
}

describe('the page of results to label', () => {
  it('shows what is asked, what was said and done, and how many labels are needed', async () => {
    await using shown = await open(new LabelServer());
    const { page } = shown;
    await page.getByText('12 of 50 held-out labels, which measure the judge; about 57 more labels in all').waitFor();
    await page.getByText('Is everything that the answer claims supported').waitFor();
    await page.getByText('Please refund order CL-1:').waitFor();
    await page.getByRole('region', { name: 'refund_order' }).getByText('amount exceeds the 42.50 EUR paid').waitFor();
    await page.getByText('Your refund of 370 EUR').waitFor();
    expect(await page.getByText('Hi, I am customer 1.').count()).toBe(0);
    await page.getByRole('button', { name: 'Show 1 Earlier Turn' }).click();
    await page.getByText('Hi, I am customer 1.').waitFor();
    expect(await page.getByRole('region', { name: 'Figures on held-out labels' }).count()).toBe(0);
    await page.getByText('turnwise calibrate judge --metric faithfulness --export labels.csv').waitFor();
  });

  it('takes a label by one key, then shows what the judge said, and goes on by another key', async () => {
    const server = new LabelServer();
    await using shown = await open(server);
    const { page } = shown;
    await page.getByText('Please refund order CL-1:').waitFor();
    expect(await page.getByText(JUDGED.reason).count()).toBe(0);
    await page.keyboard.press('f');
    await page.getByText('You disagree').waitFor();
    await page.getByText('You: fail. Judge: pass (score 5, threshold 4)').waitFor();
    await page.getByText(JUDGED.reason).waitFor();
    await page.getByText('Please refund order CL-1:').waitFor();
    expect(server.labels.get('r1')).toEqual({ label: 'fail', note: '' });
    await page.getByText('13 of 50 held-out labels').waitFor();
    await page.keyboard.press('p');
    expect(server.labels.size).toBe(1);
    await page.keyboard.press('Enter');
    await page.getByText('Please refund order CL-2:').waitFor();
    expect(await page.getByText(JUDGED.reason).count()).toBe(0);
    await page.keyboard.press('P');
    await page.getByText('You agree').waitFor();
    expect(server.labels.get('r2')?.label).toBe('pass');
  });

  it('goes on by a key that is pressed before the next result is loaded', async () => {
    const server = new LabelServer();
    const loaded = Promise.withResolvers<void>();
    await using shown = await open(server, async (method, params) => {
      if (method === nextResult.method && server.labels.size === 1) await loaded.promise;
      return server.answer(method, params);
    });
    const { page } = shown;
    await page.getByText('Please refund order CL-1:').waitFor();
    await page.keyboard.press('p');
    await page.getByText('You agree').waitFor();
    await page.keyboard.press('Enter');
    loaded.resolve();
    await page.getByText('Please refund order CL-2:').waitFor();
  });

  it('loads the next result again when that failed', async () => {
    const server = new LabelServer();
    let isBroken = true;
    await using shown = await open(server, (method, params) =>
      isBroken && method === nextResult.method && server.labels.size === 1 ? undefined : server.answer(method, params),
    );
    const { page } = shown;
    await page.getByText('Please refund order CL-1:').waitFor();
    await page.keyboard.press('p');
    await page.getByText('You agree').waitFor();
    await page.getByRole('alert').waitFor();
    isBroken = false;
    await page.keyboard.press('Enter');
    await page.getByText('Please refund order CL-2:').waitFor();
  });

  it('works with the mouse, and with buttons that name their keys', async () => {
    const server = new LabelServer();
    await using shown = await open(server);
    const { page } = shown;
    await page.getByRole('button', { name: 'Pass', exact: true }).click();
    await page.getByRole('button', { name: 'Next', exact: true }).click();
    await page.getByText('Please refund order CL-2:').waitFor();
    const fail = page.getByRole('button', { name: 'Fail', exact: true });
    expect(await fail.getAttribute('aria-keyshortcuts')).toBe('F');
    await fail.click();
    await page.getByText('You disagree').waitFor();
    expect([...server.labels]).toEqual([
      ['r1', { label: 'pass', note: '' }],
      ['r2', { label: 'fail', note: '' }],
    ]);
  });

  it('skips what the user does not know, returns to it, and keeps that over a reload', async () => {
    await using shown = await open(new LabelServer());
    const { page } = shown;
    await page.getByText('Please refund order CL-1:').waitFor();
    await page.keyboard.press('s');
    await page.getByText('Please refund order CL-2:').waitFor();
    await page.keyboard.press('z');
    await page.getByText('Please refund order CL-1:').waitFor();
    await page.keyboard.press('ArrowRight');
    await page.getByText('Please refund order CL-2:').waitFor();
    await page.reload();
    await page.getByText('Please refund order CL-2:').waitFor();
    await page.keyboard.press('s');
    await page.getByText('Please refund order CL-3:').waitFor();
    await page.keyboard.press('s');
    await page.getByText('You left 3 results open.').waitFor();
    await page.getByRole('button', { name: 'Show Skipped' }).click();
    await page.getByText('Please refund order CL-1:').waitFor();
  });

  it('takes the last label back, and asks for it again after all others, since the judge was seen', async () => {
    const server = new LabelServer();
    await using shown = await open(server);
    const { page } = shown;
    await page.getByText('Please refund order CL-1:').waitFor();
    await page.keyboard.press('p');
    await page.getByText('You agree').waitFor();
    await page.keyboard.press('Backspace');
    await page.getByText('The label was taken back. You have seen what the judge says').waitFor();
    expect(server.labels.size).toBe(0);
    expect(await page.getByText(JUDGED.reason).count()).toBe(0);
    await page.getByText('Please refund order CL-2:').waitFor();
    for (const key of ['p', 'Enter', 'p', 'Enter']) {
      await page.keyboard.press(key);
      await (key === 'p'
        ? page.getByText('You agree').waitFor()
        : page.getByText('You agree').waitFor({ state: 'detached' }));
    }
    await page.getByText('You left 1 result open.').waitFor();
  });

  it('stores a note with the label, and one that is written after it', async () => {
    const server = new LabelServer();
    await using shown = await open(server);
    const { page } = shown;
    await page.getByText('Please refund order CL-1:').waitFor();
    await page.keyboard.press('n');
    await page.keyboard.type('pfsz: it failed');
    expect(server.labels.size).toBe(0);
    await page.keyboard.press('Enter');
    await page.keyboard.press('f');
    await page.getByText('You disagree').waitFor();
    expect(server.labels.get('r1')).toEqual({ label: 'fail', note: 'pfsz: it failed' });
    await page.getByRole('textbox', { name: 'Note' }).fill('The judge trusts the agent.');
    await page.getByRole('button', { name: 'Next', exact: true }).click();
    await page.getByText('Please refund order CL-2:').waitFor();
    expect(server.labels.get('r1')).toEqual({ label: 'fail', note: 'The judge trusts the agent.' });
    expect(await page.getByRole('textbox', { name: 'Note' }).inputValue()).toBe('');
  });

  it('shows figures, disagreements and how the judge may gate, once there are enough labels', async () => {
    const state = labelState({ heldOut: 52, missing: 0, more: 0, agreement: AGREEMENT });
    await using shown = await open(new LabelServer(undefined, state));
    const { page } = shown;
    await page.getByText('52 held-out labels, enough to measure the judge').waitFor();
    const figures = page.getByRole('region', { name: 'Figures on held-out labels' });
    await figures.getByRole('row', { name: /^kappa .* 0\.66 0\.44–0\.88$/ }).waitFor();
    await figures.getByRole('row', { name: /^TPR .*32 labels\) 0\.94 0\.80–0\.98$/ }).waitFor();
    await figures.getByRole('row', { name: /^TNR .*20 labels\) 0\.70 0\.48–0\.86$/ }).waitFor();
    await figures.getByRole('row', { name: /^Corrected share .*the judge passes 71% 64% 53%–74%$/ }).waitFor();
    expect(await page.getByText('gates: { judge: calibrated }').count()).toBe(0);
    await page.getByRole('button', { name: 'Store Calibration' }).click();
    await page.getByText('Stored in turnwise.judge.json').waitFor();
    await page.getByText('gates: { judge: calibrated }').waitFor();
    expect(await requestsOf(shown, storeCalibration)).toEqual([{ run: 'r1', metric: 'faithfulness' }]);
    await page.getByRole('button', { name: 'traces/refund.jsonl:34' }).click();
    await expect.poll(() => requestsOf(shown, locateResult)).toHaveLength(1);
    await expect
      .poll(() => requestsOf(shown, reveal))
      .toEqual([{ target: { uri: 'file:///w/traces/refund.jsonl', pointer: '/33' }, focus: true }]);
    await page.getByRole('button', { name: /session-with-a-long-name/ }).click();
    await page.getByText('changed after the run or is gone.').waitFor();
  });

  it('says that a judge without agreement beyond chance cannot gate', async () => {
    const agreement = { ...AGREEMENT, isBeyondChance: false, stored: 'yes' as const };
    await using shown = await open(new LabelServer(undefined, labelState({ missing: 0, agreement })));
    await shown.page.getByText('does not agree with people beyond chance: it informs, and cannot gate.').waitFor();
    expect(await shown.page.getByText('gates: { judge: calibrated }').count()).toBe(0);
  });

  it('says why a label was not stored, and keeps the result', async () => {
    const server = new LabelServer();
    let isBroken = true;
    await using shown = await open(server, (method, params) =>
      isBroken && method === setLabel.method ? undefined : server.answer(method, params),
    );
    const { page } = shown;
    await page.getByText('Please refund order CL-1:').waitFor();
    await page.keyboard.press('p');
    await page.getByRole('alert').waitFor();
    await page.getByText('Please refund order CL-1:').waitFor();
    expect(await page.getByText(JUDGED.reason).count()).toBe(0);
    isBroken = false;
    await page.keyboard.press('p');
    await page.getByText('You agree').waitFor();
  });

  it('takes no label in an untrusted folder, and says why', async () => {
    const refusal = 'This folder is not trusted, so no label is stored. Trust it to label results.';
    const server = new LabelServer(undefined, labelState({ refusal }));
    await using shown = await open(server);
    const { page } = shown;
    await page.getByRole('alert').getByText(refusal).waitFor();
    expect(await page.getByRole('button', { name: 'Pass', exact: true }).isDisabled()).toBe(true);
    await page.keyboard.press('p');
    expect(await requestsOf(shown, setLabel)).toEqual([]);
  });

  it('says where nothing is left, what was passed over, and what does not count', async () => {
    const server = new LabelServer(
      [],
      labelState({ results: 18, notCounted: ['3 labels of the judge a/b do not count for this one.'] }),
    );
    await using shown = await open(server);
    const { page } = shown;
    await page.getByRole('heading', { name: 'All 18 results of this run have a label' }).waitFor();
    await page.getByText('38 more held-out labels are needed. Evaluate more traces').waitFor();
    await page.getByText('3 labels of the judge a/b do not count for this one.').waitFor();
    server.unreadable = 4;
    server.state = labelState();
    await shown.tell({ event: 'changed', turns: null });
    await page.getByText('4 results passed over: their traces changed after the run or are gone.').waitFor();
    await page.getByRole('heading', { name: 'No other result of this run can be labelled' }).waitFor();
  });

  it('says why it cannot be loaded, and tries again', async () => {
    const server = new LabelServer();
    let isBroken = true;
    await using shown = await open(server, (method, params) =>
      isBroken && method === labelsOf.method ? undefined : server.answer(method, params),
    );
    const { page } = shown;
    await page.getByRole('alert').waitFor();
    isBroken = false;
    await page.getByRole('button', { name: 'Try Again' }).click();
    await page.getByText('Please refund order CL-1:').waitFor();
    expect(await requestsOf(shown, nextResult)).toHaveLength(1);
  });

  it('shows texts of traces and of the judge as text', async () => {
    const text = '<img src=x onerror=alert(1)> \u202Eevil';
    const hostile = resultToLabel(1, {
      file: text,
      session: text,
      parts: [labelPart('user', text), labelPart('tool', text, { name: text, result: { text, omitted: 3 } })],
    });
    const server = new LabelServer([hostile], labelState({ asks: text, judge: text, runName: text }));
    await using shown = await open(server);
    const { page } = shown;
    await page.getByRole('button', { name: 'Fail', exact: true }).click();
    await page.getByText('You disagree').waitFor();
    expect(await page.locator('#report :is(img, script, [onerror])').count()).toBe(0);
    expect(await page.locator('#report').innerText()).not.toContain('\u202E');
  });
});
