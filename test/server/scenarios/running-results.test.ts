import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CancellationTokenSource } from 'vscode-languageserver/node';
import { sendRequest } from '../../../src/protocol/rpc.ts';
import { scenarioAgents } from '../../../src/protocol/scenarios.ts';
import { delayedReply, startStubModels } from '../../support/stub-models.ts';
import { REFUND, Shop } from './shop.ts';

/** `half` has two attempts, of which one never ends. */
const WAITING = `import { scenario } from 'turnwise';
const turns = [{ userMessage: 'Please refund order A-1001.' }];
let calls = 0;
const wait = () => {
  calls += 1;
  return calls === 1 ? {} : new Promise(() => {});
};
scenario('quick', { turns, mocks: { tools: { get_order: () => ({}) } } });
scenario('half', { conversationsPerScenario: 2, turns, mocks: { tools: { get_order: wait } } });
`;

describe('results of scenarios that run', () => {
  it('are shown attempt by attempt while others are made, and are what the run gives in the end', async () => {
    await using shop = await Shop.open({ 'waiting.sim.ts': WAITING });
    await shop.configure(undefined, { requestTimeoutMs: 60_000 });
    const stop = new CancellationTokenSource();
    const running = shop.run({ files: [{ uri: shop.uri('waiting.sim.ts') }] }, stop.token);
    await expect.poll(() => [...shop.running.keys()].sort(), { timeout: 20_000 }).toEqual(['half', 'quick']);
    const [quick, half] = [shop.running.get('quick'), shop.running.get('half')];
    expect(quick).toMatchObject({
      pending: 0,
      uri: shop.uri('waiting.sim.ts'),
      attempts: [{ trial: 1, agent: 'shop' }],
    });
    expect(half).toMatchObject({ pending: 1, attempts: [{ agent: 'shop' }] });
    expect(shop.changed).toEqual([]);
    stop.cancel();
    const { complete, results } = await running;
    expect(complete).toBe(false);
    const outcomes = ({ verdict, summary, attempts: [first] }: (typeof results)[number]) => [
      verdict,
      summary,
      first?.messages,
      first?.headline,
    ];
    const final = results.find(({ name }) => name === 'quick');
    expect(final && outcomes(final)).toEqual(quick && outcomes(quick));
  });

  it('are shown while a judge is asked about others', async () => {
    const gate = Promise.withResolvers<void>();
    const ofOther = /Please refund order A-2002|cannot be refunded yet/;
    await using judge = await startStubModels(({ prompt }) =>
      ofOther.test(prompt) ? delayedReply(gate.promise) : undefined,
    );
    await using shop = await Shop.open();
    const agents = { shop: { endpoint: shop.endpoint } };
    const settings = { judge: { provider: 'openai', model: 'j', baseUrl: judge.openai }, simulation: { agents } };
    await shop.write('turnwise.config.json', JSON.stringify(settings));
    const running = shop.run({ files: [{ uri: shop.uri() }] });
    await expect.poll(() => [...shop.running.keys()], { timeout: 20_000 }).toEqual([REFUND]);
    expect(shop.running.get(REFUND)).toMatchObject({ pending: 0, attempts: [{ trial: 1 }] });
    gate.resolve();
    expect((await running).results).toHaveLength(2);
  });

  it('wait for the end of the run where functions of the user decide', async () => {
    await using shop = await Shop.open({ 'waiting.sim.ts': WAITING });
    const simulation = { agents: { shop: { endpoint: shop.endpoint } }, requestTimeoutMs: 60_000 };
    const custom = "[{ name: 'polite', question: 'Is it polite?', scale: 'binary', evaluate: () => 1 }]";
    await rm(join(shop.project, 'turnwise.config.json'));
    await shop.write(
      'turnwise.config.mjs',
      `export default { simulation: ${JSON.stringify(simulation)}, custom: ${custom} };`,
    );
    const stop = new CancellationTokenSource();
    const running = shop.run({ files: [{ uri: shop.uri('waiting.sim.ts') }] }, stop.token);
    await expect
      .poll(() => shop.progress.filter(({ phase }) => phase === 'evaluating').length, { timeout: 20_000 })
      .toBe(2);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(shop.running.size).toBe(0);
    stop.cancel();
    await running;
  });
});

describe('the configuration', () => {
  it('says which files have scenarios, whatever their names', async () => {
    await using shop = await Shop.open();
    await shop.configure();
    const isScenarioFile = async (name: string) =>
      (await sendRequest(shop.editor.connection, scenarioAgents, { uri: shop.uri(name) })).isScenarioFile;
    expect(await isScenarioFile('refund.sim.ts')).toBe(true);
    expect(await isScenarioFile('checks/refund.ts')).toBe(false);
    const scenarios = ['checks/**/*.ts', './more/*.yaml', '!checks/helpers/**'];
    await shop.write('turnwise.config.json', JSON.stringify({ scenarios }));
    expect(await isScenarioFile('checks/refund.ts')).toBe(true);
    expect(await isScenarioFile('checks/deep/refund.ts')).toBe(true);
    expect(await isScenarioFile('checks/helpers/shop.ts')).toBe(false);
    expect(await isScenarioFile('checks/node_modules/shop/refund.ts')).toBe(false);
    expect(await isScenarioFile('more/refund.yaml')).toBe(true);
    expect(await isScenarioFile('refund.sim.ts')).toBe(false);
  });
});
