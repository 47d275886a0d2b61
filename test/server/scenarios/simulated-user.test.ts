import { afterEach, describe, expect, it, vi } from 'vitest';
import { ShowMessageRequest, WorkspaceFoldersRequest } from 'vscode-languageserver/node';
import { sendRequest } from '../../../src/protocol/rpc.ts';
import { scenarioUserPrompt } from '../../../src/protocol/scenarios.ts';
import { answer, type StubModels, startStubModels } from '../../support/stub-models.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { elsewhere } from '../consent/model-editor.ts';
import { Shop } from './shop.ts';

const TALK = `import { scenario } from 'turnwise';
scenario('talk', { profile: 'A customer', goal: 'order A-1001 is refunded', conversationsPerScenario: 1 });
`;

afterEach(() => {
  vi.unstubAllEnvs();
});

/** Runs a scenario whose user a model on another host plays. @param says what the person answers who is asked */
async function talk(model: StubModels, says: 'Allow' | 'Not Now') {
  await using home = await temporaryFolder();
  vi.stubEnv('TURNWISE_HOME', home.path);
  await using shop = await Shop.open({ 'talk.sim.ts': TALK });
  const settings = {
    judge: { provider: 'openai', model: 'actor', baseUrl: `${elsewhere(model)}/v1` },
    simulation: { agents: { shop: { endpoint: shop.endpoint } } },
  };
  await shop.write('turnwise.config.json', JSON.stringify(settings));
  const asked: { readonly message: string; readonly sentBefore: number }[] = [];
  const { connection } = shop.editor;
  connection.onRequest(WorkspaceFoldersRequest.type, () => [{ uri: shop.uri('.'), name: 'shop' }]);
  connection.onRequest(ShowMessageRequest.type, ({ message }) => {
    asked.push({ message, sentBefore: model.requests.length });
    // The evaluation asks a second time only here, where it has a consent of its own.
    return { title: asked.length === 1 ? says : 'Not Now' };
  });
  const { results, problems } = await shop.run({ files: [{ uri: shop.uri('talk.sim.ts') }] });
  return { asked, problems, attempt: results[0]?.attempts[0] };
}

describe('a simulated user', () => {
  it('has a prompt that can be read: exact for data, with placeholders for code, which is not run', async () => {
    const yaml = 'name: talk\nprofile: A customer\ngoal: a refund\n';
    await using shop = await Shop.open({ 'talk.sim.ts': TALK, 'talk.scenario.yaml': yaml });
    const settings = { simulation: { simulator: 'ollama:actor' } };
    await shop.write('turnwise.config.json', JSON.stringify(settings));
    const promptOf = (name: string, text?: string) =>
      sendRequest(shop.editor.connection, scenarioUserPrompt, { uri: shop.uri(name), name: 'talk', text });
    const { model, system, first, next, answer: schema } = await promptOf('talk.scenario.yaml');
    expect(model).toBe('ollama/actor');
    expect(system).toContain('Who you are: A customer\nWhat you want: a refund\n');
    expect(first).toEqual(['The conversation begins. Say what you want.']);
    expect(next.at(-1)).toBe('What do you say next?');
    expect(schema).toContain('"shouldStop"');
    expect((await promptOf('talk.scenario.yaml', yaml.replace('a refund', 'an apology'))).system).toContain(
      'an apology',
    );
    expect((await promptOf('talk.sim.ts')).system).toContain('Who you are: {{profile}}\n');
  });

  it('asks for consent before anything is sent, and then talks to the agent', async () => {
    await using model = await startStubModels(({ prompt }) =>
      prompt.includes('The conversation begins.')
        ? answer({ message: 'Please refund order A-1001.', shouldStop: false })
        : prompt.includes('What do you say next?')
          ? answer({ message: 'Thanks.', shouldStop: true })
          : undefined,
    );
    const { asked, attempt } = await talk(model, 'Allow');
    expect(asked[0]?.sentBefore).toBe(0);
    expect(asked[0]?.message).toMatch(/ to http:\/\/0\.0\.0\.0:\d+ \(.*actor\)\. Allow it for /);
    expect(model.requests[0]?.prompt).toContain('order A-1001 is refunded');
    expect(attempt).toMatchObject({ turns: 1 });
  });

  it('sends nothing without consent: the attempt is an error that says why', async () => {
    await using model = await startStubModels();
    const { asked, attempt, problems } = await talk(model, 'Not Now');
    expect(asked[0]?.message).toMatch(/^Evaluating sends trace text to /);
    expect(model.requests).toEqual([]);
    const sentence =
      /^http:\/\/0\.0\.0\.0:\d+ was not used: there is no consent to send traces of .* Its user was not simulated\.$/;
    expect(attempt).toMatchObject({ verdict: 'undecided', turns: 0 });
    expect(attempt?.messages[0]?.text).toMatch(sentence);
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^Attempt 1 of "talk" did not finish: http:\/\/0\.0\.0\.0:\d+ was not used: /),
    ]);
  });
});
