import { describe, expect, it } from 'vitest';
import { turnwise } from '../support/cli.ts';
import { answer, startStubModels } from '../support/stub-models.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const KEY = 'sk-of-the-configuration';
const TRACE = JSON.stringify([
  { role: 'user', content: 'Where is order A-1? My password=Zk8qT3vLw9RmXc2J' },
  { role: 'assistant', content: 'It is on its way.' },
]);

const configuration = (baseURL: string, provider = `'openai-compatible'`) => `
  import { defineConfig, QualitativeMetric, QuantitativeMetric } from '@agentesting/agentest';
  class Tone extends QuantitativeMetric {
    readonly name = 'tone';
    async score(input) {
      const schema = { type: 'object', properties: { score: { type: 'number' } }, required: ['score'] };
      const { object } = await this.llm.generateObject({
        schema,
        messages: [
          { role: 'system', content: 'Rate the tone from 1 to 5.' },
          { role: 'user', content: input.userMessage + ' / ' + input.agentMessage },
        ],
      });
      return { value: object.score, reason: 'Warm.' };
    }
  }
  class Voice extends QualitativeMetric {
    readonly name = 'voice';
    async evaluate(input) {
      const { text } = await this.llm.generateText({ messages: [{ role: 'user', content: 'Name the voice of: ' + input.agentMessage }] });
      return { value: text, reason: 'As said.' };
    }
  }
  export default defineConfig({
    ${baseURL === '' ? '' : `provider: ${provider}, model: 'm', providerOptions: { baseURL: '${baseURL}', apiKey: '${KEY}' },`}
    metrics: [],
    customMetrics: [new Tone(), new Voice()],
    thresholds: { tone: 4.5 },
  });`;

describe('custom metrics of an Agentest configuration', () => {
  it('ask the judge of the run, with the key in the file', async () => {
    await using stub = await startStubModels(({ prompt }) =>
      prompt.includes('Rate the tone') ? answer({ tone_1: { score: 4 } }) : answer({ voice_1: { text: 'on brand' } }),
    );
    await using folder = await temporaryFolder({
      'agentest.config.ts': configuration(`${stub.openai}`),
      'trace.json': TRACE,
    });
    const { stdout, stderr, code } = await turnwise(
      ['eval', 'trace.json', '--format', 'json', '--fail-on', 'never', '--verbose'],
      {
        cwd: folder.path,
      },
    );
    const report = JSON.parse(stdout);
    expect(report.sessions[0].turns[0].metrics).toMatchObject({
      tone: { status: 'scored', score: 4, source: 'judge', judge: 'openai/m', reason: 'Warm.' },
      voice: { status: 'scored', label: 'on brand', source: 'judge' },
    });
    expect(report.gates).toContainEqual(
      expect.objectContaining({ scope: 'session', metric: 'tone', threshold: 4.5, actual: 4, met: false }),
    );
    expect(report.run.usage.judgeCalls).toBe(2);
    expect(code).toBe(1);
    const tone = stub.requests.find(({ prompt }) => prompt.includes('Rate the tone'));
    expect(tone?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(tone?.prompt).toContain('It is on its way.');
    expect(tone?.prompt).not.toContain('Zk8qT3');
    expect(stderr).toContain('providerOptions.apiKey');
    expect(stdout + stderr).not.toContain(KEY);

    const again = await turnwise(['eval', 'trace.json', '--format', 'json', '--fail-on', 'never'], {
      cwd: folder.path,
    });
    expect(JSON.parse(again.stdout).run.usage).toMatchObject({ judgeCalls: 0, judgeCallsCached: 2 });
  });

  it('need a judge where there is none', async () => {
    await using folder = await temporaryFolder({ 'agentest.config.ts': configuration(''), 'trace.json': TRACE });
    const { stdout, code } = await turnwise(['eval', 'trace.json', '--format', 'json', '--fail-on', 'never'], {
      cwd: folder.path,
    });
    expect(JSON.parse(stdout).sessions[0].turns[0].metrics).toMatchObject({
      tone: { status: 'needs_judge', score: null },
      voice: { status: 'needs_judge' },
    });
    expect(code).toBe(3);
  });
});
