import assert from 'node:assert/strict';
import { configured, type UserTests } from '../window-tests.ts';

const SCENARIO = `name: A parcel that arrived broken
agent: recorded
goal: Get the money back.
turns:
  - userMessage: Where is my order A-1001?
    assertions:
      toolCalls:
        matchMode: strict
        expected:
          - { name: find_order, args: { order_id: A-1001 } }
  - userMessage: It arrived broken. Please refund it.
    assertions:
      toolCalls:
        matchMode: strict
        expected:
          - { name: refund_order, args: { order_id: A-1001, amount: 42.5 } }
`;

/** What somebody does who has just installed the extension. */
export const firstMinutesTests: UserTests = {
  async 'two clicks after the installation, a report shows the first problem of a sample'(window) {
    await window.page.getByRole('tab', { name: 'Turnwise' }).click();
    await window.page.getByText('open a sample trace').click();
    const report = window.report();
    await report.getByText('Failed: success claimed after an error (turn 2)').first().waitFor();
    await report.locator('#turn-2').getByText('Good news').first().waitFor();
    await window.picture('sample-report');
    await window.picture('walkthrough-evaluate', { x: 0, y: 36, width: 720, height: 450 });
    await window.picture('walkthrough-problem', { x: 352, y: 200, width: 844, height: 527 });
  },

  async 'the walkthrough has its pictures, and a step is done when its button was used'(window) {
    // A narrow page of a walkthrough has no pictures.
    await window.page.setViewportSize({ width: 1600, height: 900 });
    await window.command('Welcome: Open Walkthrough...');
    await window.page.getByPlaceholder('Select a walkthrough to open').fill('Get Started with Turnwise');
    await window.page.keyboard.press('Enter');
    const step = (title: string) => window.page.getByRole('button', { name: title });
    await step('Evaluate a trace').waitFor();
    for (const title of ['Write a scenario', 'Choose a judge', 'Read a problem', 'Evaluate a trace']) {
      await step(title).click();
      const picture = window.page.locator('.getting-started-media img:visible').first();
      await picture.waitFor();
      await picture.evaluate('(image) => image.decode()');
    }
    await window.picture('walkthrough');
    const isDone = (title: string) => step(title).getByRole('checkbox').getAttribute('aria-checked');
    assert.equal(await isDone('Evaluate a trace'), 'false');
    await window.page.getByRole('button', { name: 'Open a Sample Trace' }).click();
    await window.report().getByText('Failed: success claimed after an error (turn 2)').first().waitFor();
    await window.page.getByRole('tab', { name: /^Welcome/ }).click();
    await step('Evaluate a trace').getByRole('checkbox', { checked: true }).waitFor();
    assert.equal(await isDone('Choose a judge'), 'false');
  },

  'a scenario runs from its lens, which then says what was not met and opens the report': {
    files: {
      'refund.scenario.yaml': SCENARIO,
      ...configured({ simulation: { agents: { recorded: { type: 'replay', file: 'refund.json' } } } }),
    },
    async use(window) {
      await window.open('refund.scenario.yaml');
      await window.lens(/^Run$/).click();
      await window.page.locator('.codelens-decoration').getByText('0 of 1 succeeded').waitFor();
      await window.page.locator('.editor-instance .squiggly-error').first().waitFor();
      await window.picture('walkthrough-scenario', { x: 352, y: 36, width: 720, height: 450 });
      await window.lens(/^Report$/).click();
      await window
        .report()
        .getByText(/^Failed: .*refund_order/)
        .first()
        .waitFor();
    },
  },

  async 'Choose Judge lists what can judge, and Escape changes nothing'(window) {
    await window.command('Turnwise: Choose Judge');
    const list = window.page.locator('.quick-input-widget').filter({ hasText: 'Choose a judge model' });
    await list.getByText('Rules only').waitFor();
    await window.picture('walkthrough-judge', { x: 240, y: 0, width: 720, height: 450 });
    await window.page.keyboard.press('Escape');
    await list.waitFor({ state: 'hidden' });
    await window.explorerItem('refund.json').waitFor();
    assert.equal(await window.explorerItem('turnwise.config.json').count(), 0);
  },
};
