import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json as readJson } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import type { Report } from '../../src/index.ts';
import { openRunStore } from '../../src/store/runs/run-store.ts';
import { turnwise } from '../support/cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { agent, chat, user } from '../support/traces.ts';

const TRACE = chat(user('Where is order A-1?'), agent('It left on Monday.'), user('And A-2?'), agent('Tomorrow.'));
const ANSWER = { helpfulness: { evidence: [], reason: 'It says when.', score: 4 } };

/** A folder with a code configuration, and the CLI running in it. */
async function project(configuration: string, env: Readonly<Record<string, string>> = {}) {
  const folder = await temporaryFolder({ '.git': '', 'a.json': TRACE, 'turnwise.config.ts': configuration });
  const run = async (metrics: string, ...args: string[]) => {
    const record = args.includes('--record') ? [] : ['--record', 'none'];
    const command = ['eval', 'a.json', ...record, '--format', 'json', '--metrics', metrics, ...args];
    const ended = await turnwise(command, {
      cwd: folder.path,
      env: { TURNWISE_HOME: join(folder.path, 'home'), ...env },
    });
    const report: Report = JSON.parse(ended.stdout);
    const results = (name: string) =>
      report.sessions.flatMap(({ turns }) => turns.map(({ metrics: all }) => all[name]));
    return { ...ended, run: report.run, results };
  };
  const modelVersions = async (record: string) => {
    using store = openRunStore(join(folder.path, 'home'), { cwd: folder.path, warn: (text) => expect.fail(text) });
    return (await store.find(record, folder.path)).manifest.modelVersions;
  };
  return { run, modelVersions, [Symbol.asyncDispose]: folder[Symbol.asyncDispose] };
}

const config = (keys: string) => `export default { ${keys} };`;
const ASK = `({ system, prompt, schema }) => {
  if (!system || !prompt.includes('A-1') || !schema.properties.helpfulness) throw new Error('incomplete');
  return ${JSON.stringify(ANSWER)};
}`;

describe('a judge as a function', () => {
  it('answers questions, and its calls are counted', async () => {
    await using folder = await project(config(`judge: ${ASK}`));
    const { run, results } = await folder.run('helpfulness');
    expect(results('helpfulness')).toMatchObject([
      { status: 'scored', score: 4, judge: 'function/turnwise.config.ts' },
      { status: 'scored', score: 4 },
    ]);
    expect(run.judge).toMatchObject({ provider: 'function', model: 'turnwise.config.ts' });
    expect(run.usage.judgeCalls).toBe(2);
    // Without a name, nothing is cached.
    expect((await folder.run('helpfulness')).run.usage).toMatchObject({ judgeCalls: 2, judgeCallsCached: 0 });
  });

  it('is another one after a change of its code, unless it has a name', async () => {
    const versions = async (name: string) => {
      const ofCode = async (comment: string) => {
        await using folder = await project(config(`judge: { ${name} ask: ${ASK} } ${comment}`));
        await folder.run('helpfulness', '--record', 'run.turnwise.zip');
        return await folder.modelVersions('run.turnwise.zip');
      };
      return [await ofCode(''), await ofCode(''), await ofCode('/* changed */')];
    };
    const [first, same, changed] = await versions('');
    expect(first?.['function/turnwise.config.ts']).toMatch(/^[0-9a-f]{32}$/);
    expect(same).toEqual(first);
    expect(changed).not.toEqual(first);
    expect(await versions("model: 'mine',")).toEqual([{}, {}, {}]);
  });

  it('is cached by its name', async () => {
    await using folder = await project(config(`judge: { model: 'mine', ask: async (request) => (${ASK})(request) }`));
    expect((await folder.run('helpfulness')).run.usage).toMatchObject({ judgeCalls: 2 });
    expect((await folder.run('helpfulness')).run.usage).toMatchObject({ judgeCalls: 0, judgeCallsCached: 2 });
  });

  it.each([
    [
      'throws',
      '() => {\n throw new Error("no token."); }',
      'turnwise.config.ts:2: the judge function threw an error: no token.',
    ],
    [
      'returns nothing',
      '() => {}',
      'turnwise.config.ts: the judge function returned undefined; it must return an object or its JSON.',
    ],
  ])('gives an error result when it %s', async (_, ask, reason) => {
    await using folder = await project(config(`judge: ${ask}`));
    const { results, code } = await folder.run('helpfulness', '--threshold', 'helpfulness=3');
    expect(results('helpfulness')[0]).toMatchObject({ status: 'error', reason });
    expect(code).toBe(3);
  });

  it('is replaced by --judge', async () => {
    await using folder = await project(config('judge: () => process.exit(1)'));
    const { results } = await folder.run('helpfulness', '--judge', 'rules');
    expect(results('helpfulness')[0]?.status).toBe('needs_judge');
  });
});

describe('a judge provider of the configuration', () => {
  const HOUSE = `({ model, prompt }) => {
    if (!prompt.includes('A-1')) throw new Error('incomplete');
    return { helpfulness: { evidence: [], reason: 'Answered by ' + model + '.', score: 4 } };
  }`;

  it.each([
    ['with a model', 'house:large/2', { provider: 'house', model: 'large/2' }, 'Answered by large/2.'],
    ['without a model', 'house', { provider: 'house', model: 'turnwise.config.ts' }, 'Answered by null.'],
  ])('is chosen by its name on the command line, %s', async (_, name, judge, reason) => {
    await using folder = await project(config(`providers: { house: ${HOUSE} }`));
    const { run, results, stderr } = await folder.run('helpfulness', '--judge', name);
    expect(stderr).toBe('');
    expect(run.judge).toMatchObject(judge);
    expect(results('helpfulness')[0]).toMatchObject({
      status: 'scored',
      score: 4,
      reason,
      judge: `${judge.provider}/${judge.model}`,
    });
  });

  it('is chosen by its name in the configuration, and replaced by another on the command line', async () => {
    const providers = `providers: { house: ${HOUSE}, broken: () => null }, judge: { provider: 'broken', model: 'small' }`;
    await using folder = await project(config(providers));
    const failed = await folder.run('helpfulness');
    expect(failed.run.judge).toMatchObject({ provider: 'broken', model: 'small' });
    expect(failed.results('helpfulness')[0]).toMatchObject({ status: 'error' });
    const { results } = await folder.run('helpfulness', '--judge', 'house:large');
    expect(results('helpfulness')[0]).toMatchObject({ status: 'scored', judge: 'house/large' });
  });

  it('is cached by its name and model', async () => {
    await using folder = await project(config(`providers: { house: ${HOUSE} }`));
    const calls = async (name: string) => (await folder.run('helpfulness', '--judge', name)).run.usage.judgeCalls;
    expect(await calls('house:large')).toBe(2);
    expect(await calls('house:large')).toBe(0);
    expect(await calls('house:small')).toBe(2);
  });

  it('is listed where a name is unknown', async () => {
    await using folder = await temporaryFolder({
      '.git': '',
      'a.json': TRACE,
      'turnwise.config.ts': config(`providers: { house: ${HOUSE} }`),
    });
    const { code, stderr } = await turnwise(['eval', 'a.json', '--judge', 'hause:large'], { cwd: folder.path });
    expect(code).toBe(2);
    expect(stderr).toBe(
      '--judge hause:large: judge.provider is "hause"; it must be one of "rules", "none", "openai", "ollama", "editor", "function", "house". Did you mean "house"?\n',
    );
  });
});

describe('an embedder as a function', () => {
  it('gives the vectors of metrics', async () => {
    await using folder = await project(config('embedder: (texts) => texts.map((text) => [text.length, 1])'));
    const { run, results } = await folder.run('coherence');
    expect(results('coherence')[0]).toMatchObject({ status: 'scored', source: 'embedding', threshold: 0.5 });
    expect(run.embedder).toEqual({ provider: 'function', model: 'turnwise.config.ts' });
  });

  it('gives an error result when it returns something else', async () => {
    await using folder = await project(config('embedder: { model: "mine", embed: () => 3 }'));
    expect((await folder.run('coherence')).results('coherence')[0]).toMatchObject({
      status: 'error',
      reason: expect.stringContaining('the embedder function must return a list of vectors'),
    });
  });
});

it('runs the example of the documentation', async () => {
  const page = await readFile(new URL('../../docs/configuration.md', import.meta.url), 'utf8');
  const example = /### A judge and an embedder as functions\n+```ts\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
  const server = createServer(async (request, response) => {
    const body = await readJson(request);
    const answer =
      request.url === '/answer' ? ANSWER : Array.isArray(body) && body.map((text: string) => [text.length, 1]);
    response.end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    await using folder = await project(example, { MODEL_URL: `http://127.0.0.1:${port}` });
    const { run, results, stderr } = await folder.run('helpfulness,coherence');
    expect(stderr).toBe('');
    expect(results('helpfulness')[0]).toMatchObject({ score: 4, judge: 'function/house-judge-3' });
    expect(results('coherence')[0]?.status).toBe('scored');
    expect(run.embedder?.model).toBe('house-vectors-1');
  } finally {
    server.close();
  }
});
