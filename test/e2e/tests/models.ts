import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type StubModels, startStubModels } from '../../support/stub-models.ts';
import { withTimeout } from '../../support/vscode/timeout.ts';
import type { Window } from '../window.ts';
import type { Use, UserTests } from '../window-tests.ts';

/** Choosing a judge, API keys, and consent to send traces. */
export const modelTests: UserTests = {
  'asks for consent before it sends to a judge, and sends the stored API key': withModels(async (window, stub) => {
    // Reaches the stub, but is not a loopback address.
    const origin = stub.origin.replace('127.0.0.1', '0.0.0.0');
    await window.configure({ judge: { provider: 'openai', model: 'stub', baseUrl: `${origin}/v1` } });
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
  }),

  async 'offers to set a missing API key'(window) {
    await window.configure({ judge: { provider: 'openai', model: 'gpt-5-mini' } });
    await window.evaluate('refund.json');
    await window.page.getByText('Waiting for consent to send traces to api.openai.com').waitFor({ state: 'attached' });
    await window.answer('Evaluating sends trace text to api.openai.com', 'Allow');
    await window.answer('api.openai.com requires an API key', 'Set API Key');
    await window.page.locator('.quick-input-widget').getByText('API Key for api.openai.com').waitFor();
    await window.page.keyboard.press('Escape');
  },

  async 'runs configuration code in a trusted folder'(window) {
    const gate =
      'const minimum: number = 99;\nexport default { gates: { thresholds: { tool_call_count: minimum } } };\n';
    await writeFile(join(window.folder, 'turnwise.config.ts'), gate);
    await window.evaluate('refund.json');
    await window.page.locator('.statusbar').getByText('1 of 1 failed').waitFor();
  },

  'saves the judge chosen from a list to the configuration': withModels(async (window, stub) => {
    await window.configure({ metrics: ['helpfulness'] });
    await window.command('Turnwise: Choose Judge');
    await window.page.locator('.quick-input-list').getByText('OpenAI-compatible').click();
    const url = await window.input('Server Base URL', `${stub.origin}/v1`);
    assert.equal(url.initial, 'https://api.openai.com/v1');
    await window.input('Model', 'stub');
    await window.answer('Saved to turnwise.config.json', 'Open');
    const written = JSON.parse(await readFile(join(window.folder, 'turnwise.config.json'), 'utf8'));
    assert.deepEqual(written.judge, { provider: 'openai', model: 'stub', baseUrl: `${stub.origin}/v1` });
    assert.deepEqual(stub.requests, []);
  }),
};

function withModels(test: (window: Window, stub: StubModels) => Promise<void>): Use {
  return async (window) => {
    await using stub = await startStubModels();
    await test(window, stub);
  };
}
