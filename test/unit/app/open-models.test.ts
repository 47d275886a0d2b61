import { describe, expect, it } from 'vitest';
import { type OpenModels, type OpenModelsOptions, openModels } from '../../../src/app/open-models.ts';
import { checkConfiguration } from '../../../src/config/check.ts';
import { REGISTRY } from '../../../src/config/registry.ts';
import type { ConfigurationInput } from '../../../src/config/schema.ts';
import { error, startStubModels, vectors } from '../../support/stub-models.ts';
import { question, SESSION, scriptedModel } from '../judge/support.ts';

const { signal } = new AbortController();
const helpful = question('helpful');

function editor(input: ConfigurationInput, options: Partial<OpenModelsOptions> = {}): OpenModels {
  const { configuration } = checkConfiguration(input, REGISTRY);
  if (!configuration) throw new Error('The configuration is wrong.');
  return openModels(configuration, {}, { signal, answerCache: null, boundaryKey: new Uint8Array(32), ...options });
}

describe('judges', () => {
  it('are shared by metrics with the same model', () => {
    const judge = { provider: 'openai', model: 'a' } as const;
    const metrics = {
      helpfulness: { judge: 'openai:b' },
      task_completion: { judge: 'openai/b' },
      goal_completion: { judge: 'openai:a' },
    };
    const { defaultJudge: common, byMetric: own } = editor({ judge, metrics }).judges;
    expect(own.get('helpfulness')).toBe(own.get('task_completion'));
    expect(own.get('goal_completion')).toBe(common);
    expect(own.get('helpfulness')).not.toBe(common);
  });

  it('get fewer questions per call for small models, or as many as configured', () => {
    const together = (judge: ConfigurationInput['judge']) => editor({ judge }).judges.defaultJudge?.questionsPerCall;
    expect(together({ provider: 'ollama', model: 'm' })).toBe(4);
    const judged = REGISTRY.metrics.filter(({ needs, optIn }) => needs.includes('judge') && !optIn);
    expect(together({ provider: 'openai', model: 'm' })).toBeGreaterThanOrEqual(judged.length);
    expect(together({ provider: 'openai', model: 'm', questionsPerCall: 1 })).toBe(1);
  });
});

describe('a judge', () => {
  /** How answers are requested of a server, which `configured` overrides. */
  async function requestedAs(baseUrl: string, configured?: 'schema') {
    const model = scriptedModel();
    const judge = {
      provider: 'openai',
      model: 'm',
      baseUrl,
      ...(configured && { structuredOutput: configured }),
    } as const;
    const { judges } = editor({ judge }, { replaceModel: () => model });
    await judges.defaultJudge?.forSession(SESSION).askTurn(0, helpful);
    return model.prompts[0]?.structured;
  }

  it('is asked in words where its server ignores schemas without an error, unless configured', async () => {
    expect(await requestedAs('https://api.openai.com/v1')).toBe('schema');
    expect(await requestedAs('https://api.anthropic.com/v1')).toBe('text');
    expect(await requestedAs('https://api.anthropic.com/v1', 'schema')).toBe('schema');
  });
});

describe('an embedder', () => {
  const AWS = 'AKIAQ3EGRAA7ZBCDQRST';
  const embedder = (baseUrl: string, redact = true) =>
    editor({ judge: { redact }, embedder: { provider: 'openai', model: 'e', baseUrl } }).embedder;

  it('is sent no known secret, unless configured', async () => {
    await using stub = await startStubModels();
    await embedder(stub.openai)?.embed([`The key is ${AWS}.`], signal);
    await embedder(stub.openai, false)?.embed([`The key is ${AWS}.`], signal);
    expect(stub.requests.map(({ input }) => input)).toEqual([
      ['The key is [REDACTED AWS access key].'],
      [`The key is ${AWS}.`],
    ]);
  });

  it('is asked again if its server failed', async () => {
    await using stub = await startStubModels(({ number }) =>
      number === 0 ? error(503, 'busy', { retryAfter: '0' }) : vectors([[1, 2]]),
    );
    expect(await embedder(stub.openai)?.embed(['a'], signal)).toEqual([new Float32Array([1, 2])]);
    expect(stub.requests).toHaveLength(2);
  });
});
