import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type StubModels, startStubModels } from '../../support/stub-models.ts';
import { withTimeout } from '../../support/vscode/timeout.ts';
import { configured, type UserTests, withServer } from '../window-tests.ts';

/** Choosing a judge, API keys, and consent to send traces. */
export const modelTests: UserTests = {
  'asks for consent before it sends to a judge, and sends the stored API key': withServer(
    startStubModels,
    (stub) => configured({ judge: { provider: 'openai', model: 'stub', baseUrl: `${remoteOrigin(stub)}/v1` } }),
    async (window, stub) => {
      const origin = remoteOrigin(stub);
      await window.command('Turnwise: Set API Key');
      assert.equal((await window.input('Host of the API Key', null)).initial, origin);
      assert.equal((await window.input(`API Key for ${origin}`, 'key-of-stub')).type, 'password');
      await window.evaluate('refund.json');
      await window.page.getByText(`Waiting for consent to send traces to ${origin}`).waitFor({ state: 'attached' });
      await window.answer(`Evaluating sends trace text to ${origin} (openai:stub).`, 'Allow');
      await withTimeout(20_000, 'the first request', stub.arrived(1));
      await window.session('refund').waitFor();
      assert.deepEqual(
        new Set(stub.requests.map(({ headers }) => headers.authorization)),
        new Set(['Bearer key-of-stub']),
      );
    },
  ),

  'offers to set a missing API key': {
    files: configured({ judge: { provider: 'openai', model: 'gpt-5-mini' } }),
    async use(window) {
      await window.evaluate('refund.json');
      await window.page
        .getByText('Waiting for consent to send traces to api.openai.com')
        .waitFor({ state: 'attached' });
      await window.answer('Evaluating sends trace text to api.openai.com', 'Allow');
      await window.answer('api.openai.com requires an API key', 'Set API Key');
      await window.page.locator('.quick-input-widget').getByText('API Key for api.openai.com').waitFor();
      await window.page.keyboard.press('Escape');
    },
  },

  'runs configuration code in a trusted folder': {
    files: {
      'turnwise.config.ts':
        'const minimum: number = 99;\nexport default { gates: { thresholds: { tool_call_count: minimum } } };\n',
    },
    async use(window) {
      await window.evaluate('refund.json');
      await window.page.locator('.statusbar').getByText('Turnwise: 1 failed').waitFor();
    },
  },

  'saves the judge chosen from a list to the configuration': withServer(
    startStubModels,
    () => configured({ metrics: ['helpfulness'] }),
    async (window, stub) => {
      await window.command('Turnwise: Choose Judge');
      await window.page.locator('.quick-input-list').getByText('Other Server…').click();
      const url = await window.input('Server Base URL', `${stub.origin}/v1`);
      assert.equal(url.initial, '');
      await window.input('Model', 'stub');
      await window.answer('Saved to turnwise.config.json', 'Open');
      const written = JSON.parse(await readFile(join(window.folder, 'turnwise.config.json'), 'utf8'));
      assert.deepEqual(written.judge, { provider: 'openai', model: 'stub', baseUrl: `${stub.origin}/v1` });
      assert.deepEqual(
        stub.requests.map(({ method, url }) => `${method} ${url}`),
        ['GET /v1/models', 'POST /v1/chat/completions'],
      );
    },
  ),
};

/** Reaches the stub, but is not a loopback address. */
function remoteOrigin({ origin }: StubModels): string {
  return origin.replace('127.0.0.1', '0.0.0.0');
}
