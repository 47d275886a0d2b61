import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { requireConsent } from '../../src/cli/model-consent.ts';
import { run } from '../../src/cli/program.ts';
import { loadConfiguration } from '../../src/config/load.ts';
import { REGISTRY } from '../../src/config/registry.ts';
import { ConsentFile } from '../../src/store/consent-file.ts';
import { turnwise } from '../support/cli.ts';
import { fakeHost } from '../support/fake-host.ts';
import { answer, type StubModels, startStubModels } from '../support/stub-models.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { agent, chat, user } from '../support/traces.ts';

const JUDGEMENT = answer({ helpfulness: { evidence: [], reason: 'It says where it is.', score: 4 } });
const KEY = 'tw-key-0123456789';

/** What a user who clones it gets: traces, and a configuration that names a server by an address that is not loopback. */
async function clonedRepository(stub: Pick<StubModels, 'origin'>, configuration: object = {}) {
  const url = stub.origin.replace('127.0.0.1', '0.0.0.0');
  const folder = await temporaryFolder({
    '.git': '',
    'a.json': chat(user('Where is my order?'), agent('It left on Monday.')),
    'turnwise.config.yaml': JSON.stringify({
      judge: { provider: 'openai', model: 'm', baseUrl: `${url}/v1` },
      metrics: ['helpfulness'],
      ...configuration,
    }),
  });
  const env = { TURNWISE_HOME: join(folder.path, 'home'), TURNWISE_API_KEY: KEY };
  return {
    path: folder.path,
    env,
    home: env.TURNWISE_HOME,
    host: url,
    run: (args: readonly string[], more: Readonly<Record<string, string>> = {}) =>
      turnwise(args, { cwd: folder.path, env: { ...env, ...more } }),
    [Symbol.asyncDispose]: folder[Symbol.asyncDispose],
  };
}

const EVAL = ['eval', 'a.json', '--no-cache', '--quiet'];
const keys = ({ requests }: StubModels) => requests.map(({ headers }) => headers.authorization);

describe('a host that only a configuration file names', () => {
  it('gets nothing in CI, until the printed line is run once', async () => {
    await using stub = await startStubModels(() => JUDGEMENT);
    await using clone = await clonedRepository(stub);
    const refused = await clone.run(EVAL);
    expect(refused).toEqual({
      code: 2,
      stdout: '',
      stderr: `turnwise: turnwise.config.yaml sends text of your traces to ${clone.host} (openai:m), which you have not allowed. Nothing was sent. To allow it, run:\nturnwise trust ${clone.host}\n`,
    });
    expect(stub.requests).toEqual([]);
    const [line = ''] = refused.stderr.trimEnd().split('\n').slice(-1);
    const [command, ...words] = line.split(' ');
    expect(command).toBe('turnwise');
    expect(await clone.run(words)).toMatchObject({ code: 0, stderr: '' });
    expect(await clone.run(EVAL)).toMatchObject({ code: 0, stderr: '' });
    expect(keys(stub)).toEqual([`Bearer ${KEY}`]);
  });

  it.each([
    ['--judge-url', (host: string) => ({ args: ['--judge', 'openai:m', '--judge-url', `${host}/v1`], env: {} })],
    ['TURNWISE_TRUSTED_HOSTS', (host: string) => ({ args: [], env: { TURNWISE_TRUSTED_HOSTS: `a.example, ${host}` } })],
  ])('gets traces and the key if the user names it by %s', async (_, name) => {
    await using stub = await startStubModels(() => JUDGEMENT);
    await using clone = await clonedRepository(stub);
    const { args, env } = name(clone.host);
    expect(await clone.run([...EVAL, ...args], env)).toMatchObject({ code: 0, stderr: '' });
    expect(keys(stub)).toEqual([`Bearer ${KEY}`]);
  });

  it('gets traces, but not the key, with --yes', async () => {
    await using stub = await startStubModels(() => JUDGEMENT);
    await using clone = await clonedRepository(stub);
    const { code, stderr } = await clone.run(['eval', 'a.json', '--no-cache', '--yes']);
    expect(code).toBe(0);
    expect(stderr).toContain(
      `turnwise: TURNWISE_API_KEY is not sent to ${clone.host}, which only turnwise.config.yaml names. To send it: turnwise trust ${clone.host}\n`,
    );
    expect(keys(stub)).toEqual([undefined]);
    expect(await clone.run(EVAL)).toMatchObject({ code: 2 });
  });

  it('gets no key because another host gets one', async () => {
    await using judging = await startStubModels(() => JUDGEMENT);
    await using embedding = await startStubModels();
    const embedder = {
      provider: 'openai',
      model: 'e',
      baseUrl: `${embedding.origin.replace('127.0.0.1', '0.0.0.0')}/v1`,
    };
    await using clone = await clonedRepository(judging, { embedder, metrics: ['helpfulness', 'coherence'] });
    await clone.run(['trust', clone.host]);
    const refused = await clone.run(EVAL);
    expect([refused.code, refused.stderr.trimEnd().split('\n').at(-1)]).toEqual([
      2,
      `turnwise trust ${embedding.origin.replace('127.0.0.1', '0.0.0.0')}`,
    ]);
    await clone.run([...EVAL, '--yes']);
    expect(new Set(keys(judging))).toEqual(new Set([`Bearer ${KEY}`]));
    expect(new Set(keys(embedding))).toEqual(new Set([undefined]));
  });

  it('needs no consent for a dry run, which sends nothing, nor on this machine', async () => {
    await using stub = await startStubModels(() => JUDGEMENT);
    await using clone = await clonedRepository(stub);
    expect(await clone.run([...EVAL, '--dry-run'])).toMatchObject({ code: 0, stderr: '' });
    expect(stub.requests).toEqual([]);
    await using here = await clonedRepository({ origin: stub.origin.replace('127.0.0.1', 'localhost') });
    expect(await here.run(EVAL)).toMatchObject({ code: 0, stderr: '' });
    expect(keys(stub)).toEqual([`Bearer ${KEY}`]);
  });

  it('counts as allowed where an editor allowed it for the folder, and as refused where it said Never', async () => {
    await using stub = await startStubModels(() => JUDGEMENT);
    await using clone = await clonedRepository(stub);
    const consents = new ConsentFile(clone.home);
    await consents.append({ folder: clone.path, host: clone.host, answer: 'allow' });
    expect(await clone.run(EVAL)).toMatchObject({ code: 0 });
    await consents.append({ folder: clone.path, host: clone.host, answer: 'never' });
    expect(await clone.run([...EVAL, '--yes'])).toMatchObject({ code: 2 });
    await clone.run(['trust', clone.host]);
    expect(await clone.run(EVAL)).toMatchObject({ code: 0 });
    expect(stub.requests).toHaveLength(2);
  });
});

/** Runs the check alone, with a terminal that answers. */
async function check(
  path: string,
  home: string,
  { reply = null, env: own = {} }: { readonly reply?: string | null; readonly env?: Readonly<Record<string, string>> },
) {
  const asked: string[] = [];
  const host = fakeHost({
    cwd: path,
    env: { TURNWISE_HOME: home, TURNWISE_API_KEY: KEY, ...own },
    ask: async (question) => {
      asked.push(question);
      return reply;
    },
  });
  const loaded = await loadConfiguration({ cwd: path, registry: REGISTRY });
  if (!loaded.configuration) throw new Error('The configuration is invalid.');
  const request = { configuration: loaded.configuration, loaded, args: {}, signal: new AbortController().signal };
  const env = await requireConsent(request, host).catch((error: Error) => error.message.split('\n').at(-1));
  return { asked, env };
}

describe('the key of a vendor', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it.each([
    ['turnwise.config.json', { judge: { provider: 'openai', model: 'm' } }, 'OPENAI_API_KEY', 'https://api.openai.com'],
    ['agentest.config.json', { provider: 'anthropic' }, 'ANTHROPIC_API_KEY', 'https://api.anthropic.com'],
  ])('in the environment allows its host in %s, and is all that is sent there', async (file, value, name, origin) => {
    await using folder = await temporaryFolder({ '.git': '', [file]: JSON.stringify(value) });
    const home = join(folder.path, 'home');
    vi.stubEnv(name, 'vendor-key-0123456789');
    const env = { [name]: 'vendor-key-0123456789' };
    const result = await check(folder.path, home, { env });
    expect(result.asked).toEqual([]);
    expect(result.env).toMatchObject({ [`TURNWISE_API_KEY ${origin}`]: 'vendor-key-0123456789' });
    expect(result.env).not.toHaveProperty('TURNWISE_API_KEY');
    const other = JSON.stringify({ judge: { provider: 'openai', model: 'm', baseUrl: `${origin}.evil.example/v1` } });
    await using evil = await temporaryFolder({ '.git': '', 'turnwise.config.json': other });
    expect((await check(evil.path, home, { env })).asked).toHaveLength(1);
  });
});

describe('the question at a terminal', () => {
  it.runIf(process.platform === 'linux')('is asked at a real terminal, and answered there', async () => {
    await using stub = await startStubModels(() => JUDGEMENT);
    await using clone = await clonedRepository(stub);
    // `script` of util-linux runs a command at a terminal of its own.
    const atTerminal = (stdin: string) => turnwise(EVAL, { cwd: clone.path, env: clone.env, stdin, terminal: true });
    const refused = await atTerminal('n\n');
    expect([refused.code, refused.stdout]).toEqual([2, expect.stringContaining(`to ${clone.host} (openai:m).`)]);
    expect(stub.requests).toEqual([]);
    expect((await atTerminal('y\n')).code).toBe(0);
    const again = await atTerminal('');
    expect([again.code, again.stdout]).toEqual([0, expect.not.stringContaining('[y/N]')]);
    expect(keys(stub)).toEqual([`Bearer ${KEY}`, `Bearer ${KEY}`]);
  });

  it('names the host and what is sent, and is asked once', async () => {
    await using clone = await clonedRepository({ origin: 'https://llm.example.com' });
    const first = await check(clone.path, clone.home, { reply: 'y' });
    expect(first.asked).toEqual([
      'turnwise.config.yaml sends text of your traces and the key in TURNWISE_API_KEY to llm.example.com (openai:m).\nAllow it for this configuration from now on? [y/N] ',
    ]);
    expect(first.env).toEqual({ TURNWISE_HOME: clone.home, 'TURNWISE_API_KEY https://llm.example.com': KEY });
    expect((await check(clone.path, clone.home, {})).asked).toEqual([]);
  });

  it.each(['', 'n', 'yeah', null])('takes %j as no, and asks again in the next run', async (reply) => {
    await using clone = await clonedRepository({ origin: 'https://llm.example.com' });
    for (const _ of ['first', 'second']) {
      const { asked, env } = await check(clone.path, clone.home, { reply });
      expect([asked.length, env]).toEqual([1, 'turnwise trust llm.example.com']);
    }
  });

  it('prints a line that is one command, whatever the name of the host', async () => {
    await using clone = await clonedRepository({ origin: "https://a;touch$(id)'.example" });
    expect((await check(clone.path, clone.home, { reply: 'n' })).env).toBe(
      "turnwise trust 'a;touch$(id)'\\''.example'",
    );
  });
});

describe('turnwise trust', () => {
  async function trust(cwd: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const host = fakeHost({ cwd, env: { TURNWISE_HOME: join(cwd, 'home'), ...env } });
    return { code: await run(['trust', ...args], host), ...host.written };
  }

  it('adds, lists and revokes hosts, with the consents of editors', async () => {
    await using folder = await temporaryFolder();
    const { path } = folder;
    expect((await trust(path, [])).stdout).toBe('No host is trusted. `turnwise trust HOST` trusts one.\n');
    expect(await trust(path, ['https://llm.example.com/v1', 'http://10.0.0.5:8000'])).toMatchObject({
      code: 0,
      stdout:
        'llm.example.com is trusted: configurations may send it text of traces, and the key in TURNWISE_API_KEY.\n' +
        'http://10.0.0.5:8000 is trusted: configurations may send it text of traces, and the key in TURNWISE_API_KEY.\n',
    });
    const consents = new ConsentFile(join(path, 'home'));
    await consents.append({ folder: '/work', host: 'llm.example.com', answer: 'never' });
    await consents.append({ folder: '/work', host: 'api.openai.com', answer: 'allow' });
    expect((await trust(path, [], { TURNWISE_TRUSTED_HOSTS: 'ci.example' })).stdout.split('\n').slice(0, 6)).toEqual([
      'host                  traces   where',
      'ci.example            allowed  this environment (TURNWISE_TRUSTED_HOSTS)',
      'http://10.0.0.5:8000  allowed  all folders',
      'llm.example.com       allowed  all folders',
      'api.openai.com        allowed  /work',
      'llm.example.com       never    /work',
    ]);
    expect(await trust(path, ['--revoke', 'llm.example.com'])).toMatchObject({
      code: 0,
      stdout: 'llm.example.com is no longer trusted, in no folder.\n',
    });
    expect((await trust(path, [])).stdout).not.toContain('llm.example.com');
    expect(await consents.find('/anywhere', 'llm.example.com')).toBeNull();
    expect(await consents.find('/anywhere', 'http://10.0.0.5:8000')).toBe('allow');
    expect(await readFile(consents.path, 'utf8')).toContain('api.openai.com');
  });

  it('revokes what the user of an editor has allowed its own models, which no command line can allow', async () => {
    await using folder = await temporaryFolder();
    const consents = new ConsentFile(join(folder.path, 'home'));
    await consents.append({ folder: '/work', host: 'editor:copilot', answer: 'allow' });
    expect(await trust(folder.path, ['editor:copilot'])).toMatchObject({ code: 2 });
    expect(await trust(folder.path, ['--revoke', 'editor:copilot'])).toMatchObject({ code: 0 });
    expect(await consents.find('/work', 'editor:copilot')).toBeNull();
  });

  it.each([
    [['two words'], 'turnwise trust: "two words" is not a host.'],
    [['--revoke'], '--revoke requires a host: turnwise trust --revoke HOST.'],
    [['--revoke', 'unknown.example'], 'No answer is stored about unknown.example.'],
  ])('rejects %j', async (args, message) => {
    await using folder = await temporaryFolder();
    const { code, stderr } = await trust(folder.path, args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it('says which file it cannot write, and which variable is wrong', async () => {
    await using folder = await temporaryFolder({ home: '' });
    expect(await trust(folder.path, ['a.example'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('consent.jsonl cannot be written: '),
    });
    expect(await trust(folder.path, [], { TURNWISE_TRUSTED_HOSTS: 'file:///etc' })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('TURNWISE_TRUSTED_HOSTS: "file:///etc" is not a host.'),
    });
  });
});
