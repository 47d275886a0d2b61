import { OtelAgent } from '../../support/otel-agent.ts';
import type { UserTests } from '../window-tests.ts';

/** The agent under test: what it does where a refund fails is for a developer to fix. */
const agentThat = (failed: string) => `export default {
  simulation: {
    agents: {
      refunds: {
        type: 'custom',
        async handler(messages, { resolveTool }) {
          const { content } = messages.at(-1);
          const [order] = content.match(/A-\\d+/);
          if (content.includes('show')) {
            await resolveTool('get_order', { order });
            return { role: 'assistant', content: 'Your order was shipped.' };
          }
          try {
            await resolveTool('refund', { order });
          } catch {
            return { role: 'assistant', content: '${failed}' };
          }
          return { role: 'assistant', content: 'Your refund was issued.' };
        },
      },
    },
  },
};
`;

const CONFIGURATION = 'turnwise.config.mjs';

/** An agent that runs. */
export const liveTests: UserTests = {
  'watches an agent that fails, makes a test of the failure, fixes the agent, and the test passes': {
    files: {
      '.vscode/settings.json': JSON.stringify({ 'turnwise.livePort': 0 }),
      [CONFIGURATION]: agentThat('Your refund was issued.'),
    },
    async use(window) {
      await window.command('Turnwise: Watch My Agent');
      await window.answer('Receiving traces on port', 'Copy Set-up Lines');
      await window.clipboard(/^export OTEL_EXPORTER_OTLP_ENDPOINT=http:\/\/127\.0\.0\.1:\d+\n/);
      const status = window.page.locator('.statusbar-item').filter({ hasText: /Watching \d+/ });
      const port = /Watching (\d+)/.exec(await status.innerText())?.[1];
      await using agent = new OtelAgent({ endpoint: `http://127.0.0.1:${port}` });
      agent.turn({ conversation: 'order-1007', order: 'A-1' });
      await agent.flush();
      await window.page.getByRole('tab', { name: 'Turnwise' }).click();
      await window.result(/^order-1007-\w+\.otlp\.jsonl, No problems found/).waitFor();
      agent.turn({ conversation: 'order-1007', order: 'A-2', fails: true });
      await agent.flush();
      await window.result(/^order-1007-.*, Failed: success claimed after an error \(turn 2\)/).waitFor();
      await status.filter({ hasText: '1 session' }).waitFor();
      await window.picture('live results');
      await window.answer('Your agent: success claimed after an error in turn 2', 'Open Report');
      const report = window.report();
      await report.getByText('Your refund was issued.').first().waitFor();
      await window.page.mouse.move(0, 0);
      await window.picture('live report');
      await report.getByRole('button', { name: 'Add to Tests', exact: true }).first().click();
      await window.line('# TODO: what should').waitFor();
      await window.picture('live scenario');
      await window.page.keyboard.press('Control+s');
      await window.lens(/^Run$/).click();
      const outcome = window.page.locator('.codelens-decoration');
      await outcome.getByText('0 of 1 succeeded').waitFor();
      await window.page.locator('.editor-instance .squiggly-error').first().waitFor();
      await window.picture('live scenario fails');
      await window.write(CONFIGURATION, agentThat('The refund failed, and nothing was paid.'));
      await outcome.getByText(/outdated/).waitFor();
      await window.lens(/^Run$/).click();
      await outcome.getByText('1 of 1 succeeded').waitFor();
      await window.picture('live scenario passes');
      await status.click();
      await window.page.locator('.quick-input-list').getByText('Stop Watching').waitFor();
      await window.picture('live menu');
      await window.page.locator('.quick-input-list').getByText('Stop Watching').click();
      await status.waitFor({ state: 'hidden' });
    },
  },
};
