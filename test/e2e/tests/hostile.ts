import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { agent, chat, user } from '../../support/traces.ts';
import type { UserTests } from '../window-tests.ts';

const MEGABYTE = 1024 ** 2;

/** Text that must not be interpreted: scripts, elements, links, escape sequences, bidi controls. */
const HOSTILE = [
  '<script>alert(1); fetch("https://example.com/s")</script>',
  '<img src="https://example.com/i.png" onerror="alert(1)">',
  '<a href="javascript:alert(1)" onmouseover="alert(1)">here</a>',
  '[here](javascript:alert(1)) [there](command:workbench.action.quit) ![image](https://example.com/m.png)',
  '\u001b]8;;https://example.com/a\u0007ANSI\u001b]8;;\u0007 \u001b[31mred\u001b[0m',
  'The amount is \u202e00.5\u202c, not 5.00',
  '$(trash) {{alert(1)}}',
].join('\n\n');

/** The number of calls of one turn; every hundredth has a hostile result. */
const CALLS = 20_000;

function manyCalls(): Record<string, unknown>[] {
  return Array.from({ length: CALLS }, (_, index) => {
    const call = { id: `c${index}`, type: 'function', function: { name: '<b>look</b>', arguments: `{"at":${index}}` } };
    return [
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: call.id, content: index % 100 === 0 ? HOSTILE : `result ${index}` },
    ];
  }).flat();
}

export const hostileTests: UserTests = {
  'a hostile trace runs no script, sends no request and leaves the report usable': {
    files: {
      'hostile.json': JSON.stringify([
        user(HOSTILE),
        agent(HOSTILE),
        user(`long: ${'x'.repeat(5 * MEGABYTE)}`),
        agent('Long indeed.'),
        user('Look everywhere.'),
        ...manyCalls(),
        agent('Nothing there.'),
      ]),
    },
    async use(window) {
      const seen = watch(window.page);
      await window.evaluate('hostile.json');
      const report = await window.openReport('hostile');
      const turn = report.getByRole('article', { name: 'Turn 1' });
      await turn.getByText('fetch("https://example.com/s")').first().waitFor();
      await turn
        .getByRole('button', { name: /^Show \d+ more lines$/ })
        .first()
        .click();
      await turn.getByText('The amount is').first().hover();
      await report.getByRole('button', { name: /^Turn 2,/ }).click();
      await report.getByRole('article', { name: 'Turn 2' }).getByText('Long indeed.').waitFor();
      await report.getByRole('button', { name: /^Turn 3,/ }).click();
      await report.getByRole('article', { name: 'Turn 3' }).getByText('Look everywhere.').waitFor();
      await report.getByRole('tab', { name: 'Run' }).click();
      await report.getByRole('tabpanel', { name: 'Run' }).getByRole('heading').first().waitFor();
      assert.deepEqual(seen, []);
    },
  },

  'shows where a link in a trace leads, and does not open it without confirmation': {
    files: { 'links.json': chat(user('Where?'), agent('See [the shop](https://example.com/shop?a=1), please.')) },
    async use(window) {
      const seen = watch(window.page);
      await window.evaluate('links.json');
      const report = await window.openReport('links');
      const link = report.getByRole('article', { name: 'Turn 1' }).getByText('the shop');
      await link.click();
      const dialog = window.page
        .getByRole('dialog')
        .filter({ hasText: 'Open this link from the trace in your browser?' });
      await dialog.getByText('https://example.com/shop?a=1').waitFor();
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await dialog.waitFor({ state: 'detached' });
      assert.deepEqual(seen, []);
    },
  },
};

/** Requests of VS Code itself: for an extension's files in a webview, and to the extension gallery (not reachable here). */
const VSCODE_REQUEST = /^https:\/\/(?:[\w+-]+\.vscode-resource\.vscode-cdn\.net|open-vsx\.org\/vscode)\//;

/** Records what a page must not do: open dialogs or pages, or send requests to a server other than its own. */
function watch(page: Page): string[] {
  const seen: string[] = [];
  const own = new URL(page.url()).host;
  page.on('dialog', (dialog) => {
    seen.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.context().on('page', (other) => seen.push(`page: ${other.url()}`));
  page.context().on('request', (request) => {
    const { protocol, host } = new URL(request.url());
    const isOwn = host === own || VSCODE_REQUEST.test(request.url()) || !/^(?:https?|wss?):$/.test(protocol);
    if (!isOwn) seen.push(`request: ${request.url()}`);
  });
  return seen;
}
