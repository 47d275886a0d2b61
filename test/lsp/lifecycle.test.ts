import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { DidOpenTextDocumentNotification, ErrorCodes, HoverRequest, ShutdownRequest } from 'vscode-languageserver/node';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { GOOD } from '../support/traces.ts';
import { Editor, type Start } from './editor.ts';

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const resource of open.splice(0).reverse()) await resource[Symbol.asyncDispose]();
});

async function editor(start?: Start, files: Readonly<Record<string, string>> = {}): Promise<Editor> {
  const folder = await temporaryFolder({ '.git': '', ...files });
  const started = new Editor(folder.path, start);
  open.push(folder, started);
  return started;
}

/** A process that stands for an editor, until it is killed. */
async function somebody() {
  const child = spawn(process.execPath, ['-e', 'console.log(1); setInterval(() => {}, 1e6)'], { stdio: 'pipe' });
  await once(child.stdout, 'data');
  open.push({ [Symbol.asyncDispose]: async () => void child.kill('SIGKILL') });
  return { child, id: child.pid ?? 0 };
}

const WITHIN = { timeout: 20_000, interval: 20 };

const hover = { textDocument: { uri: 'file:///a.json' }, position: { line: 0, character: 0 } };

describe('initialization', () => {
  it('offers UTF-16 positions only, also to an editor that prefers others', async () => {
    const { capabilities, serverInfo } = await (await editor()).initialize({
      capabilities: { general: { positionEncodings: ['utf-8', 'utf-32', 'utf-16'] } },
    });
    expect(capabilities).toMatchObject({
      positionEncoding: 'utf-16',
      codeLensProvider: {},
      hoverProvider: true,
      inlayHintProvider: true,
      executeCommandProvider: {
        commands: ['turnwise.evaluate', 'turnwise.evaluateAgain', 'turnwise.clear'],
        workDoneProgress: true,
      },
    });
    expect(serverInfo).toMatchObject({ name: 'turnwise' });
  });

  it('declares no commands to the VS Code extension, which registers them itself', async () => {
    const { capabilities } = await (await editor()).initialize({ options: { client: 'vscode' } });
    expect(capabilities).not.toHaveProperty('executeCommandProvider');
  });

  it('answers no request before initialize, and drops notifications', async () => {
    const started = await editor();
    const { connection } = started;
    const refused = { code: ErrorCodes.ServerNotInitialized };
    await expect(connection.sendRequest(HoverRequest.type, hover)).rejects.toMatchObject(refused);
    await expect(connection.sendRequest('no/method')).rejects.toMatchObject(refused);
    await expect(connection.sendRequest(ShutdownRequest.type)).rejects.toMatchObject(refused);
    const textDocument = { uri: 'file:///a.json', languageId: 'json', version: 1, text: '[]' };
    await connection.sendNotification(DidOpenTextDocumentNotification.type, { textDocument });
    await expect(connection.sendRequest(HoverRequest.type, hover)).rejects.toMatchObject(refused);
    expect(started.garbage).toBe('');
  });

  it('happens once', async () => {
    const started = await editor();
    await started.initialize();
    await expect(started.initialize()).rejects.toMatchObject({ code: ErrorCodes.InvalidRequest });
  });

  it('reports invalid options', async () => {
    const started = await editor();
    await expect(started.initialize({ options: { lenses: 'yes', traces: [1] } })).rejects.toMatchObject({
      code: ErrorCodes.InvalidParams,
      message: expect.stringMatching(/Invalid initialization options for Turnwise\..*traces\.0: .*lenses: /),
    });
  });

  it.each([[null], [{}], [[]], [undefined], [{ somebodyElse: { lenses: 1 } }]])('accepts %j', async (options) => {
    await expect((await editor()).initialize({ options })).resolves.toMatchObject({ serverInfo: { name: 'turnwise' } });
  });
});

describe('an unknown message', () => {
  it('is answered with MethodNotFound if it is a request, and ignored if it is a notification', async () => {
    const started = await editor();
    await started.initialize();
    const unknown = { code: ErrorCodes.MethodNotFound };
    await expect(started.connection.sendRequest('textDocument/definition', hover)).rejects.toMatchObject(unknown);
    await expect(started.connection.sendRequest('$/no/method')).rejects.toMatchObject(unknown);
    await started.connection.sendNotification('$/no/notification', {});
    await started.connection.sendNotification('no/notification', {});
    expect(await started.leave()).toBe(0);
  });

  it('does not stop the server', async () => {
    const started = await editor();
    await started.initialize();
    const unreadable = ['{', '', '\u0000', '{"jsonrpc":"2.0","method":"$/cancelRequest"}'];
    const meaningless = ['[]', 'null', '7', '"x"', '{"jsonrpc":"2.0"}', '{"jsonrpc":"2.0","id":3}'];
    for (const body of [...unreadable, ...meaningless]) started.raw(body);
    await started.until(() => started.complaints.length === unreadable.length);
    for (const header of ['Content-Type: none', 'No header', 'Content-Length: many']) {
      const before = started.complaints.length;
      started.raw('', header);
      await started.until(() => started.complaints.length > before);
    }
    for (const complaint of started.complaints) expect(complaint).toContain(String(ErrorCodes.ParseError));
    const { connection } = started;
    for (const params of [null, [], [1, 2], {}, { textDocument: null }, { textDocument: { uri: 7 } }]) {
      await expect(connection.sendRequest('textDocument/hover', params)).rejects.toThrow();
      await connection.sendNotification('textDocument/didChange', params);
      await connection.sendNotification('workspace/didChangeConfiguration', params);
    }
    await expect(connection.sendRequest(HoverRequest.type, hover)).resolves.toBeNull();
    expect(await started.leave()).toBe(0);
  });
});

/** Runs code in the process of the server, when the server runs already. */
async function during(code: string): Promise<Editor> {
  const started = await editor({
    nodeArgs: ['--import', `data:text/javascript,process.on("SIGUSR2", () => { ${code} })`],
  });
  await started.initialize();
  started.process.kill('SIGUSR2');
  return started;
}

describe('an unexpected error in the process', () => {
  it('is written to standard error, not among the messages', async () => {
    const started = await during('console.log("noise"); console.info("more"); console.error("end");');
    await started.until(() => started.errors.includes('end'));
    expect(started.errors).toBe('noise\nmore\nend\n');
    expect(await started.leave()).toBe(0);
    expect(started.garbage).toBe('');
  });

  it('does not stop the server when no request waits for it', async () => {
    const started = await during('Promise.reject(new Error("lost"));');
    await started.until(() => started.errors.includes('Error: lost\n    at '));
    expect(await started.leave()).toBe(0);
  });
});

describe('between requests', () => {
  it('no timer is pending in the process', async () => {
    const code = `console.error('timers', process.getActiveResourcesInfo().filter((one) => one === 'Timeout').length);`;
    const started = await editor(
      { nodeArgs: ['--import', `data:text/javascript,process.on("SIGUSR2", () => { ${code} })`] },
      { 'a.json': GOOD },
    );
    await started.initialize();
    await started.execute('turnwise.evaluate', started.uri('a.json'));
    // What is refreshed once more, within a fifth of a second, comes to its end.
    await vi.waitFor(() => {
      started.process.kill('SIGUSR2');
      expect(started.errors.trimEnd().split('\n').at(-1)).toBe('timers 0');
    }, WITHIN);
  });
});

describe('the end of the server', () => {
  it('is shutdown and exit, with nothing in between', async () => {
    const started = await editor();
    await started.initialize();
    const { connection } = started;
    await expect(connection.sendRequest(ShutdownRequest.type)).resolves.toBeNull();
    const refused = { code: ErrorCodes.InvalidRequest };
    await expect(connection.sendRequest(ShutdownRequest.type)).rejects.toMatchObject(refused);
    await expect(connection.sendRequest(HoverRequest.type, hover)).rejects.toMatchObject(refused);
    await expect(started.initialize()).rejects.toMatchObject(refused);
    await connection.sendNotification('exit');
    expect(await started.ended).toBe(0);
    expect(started.garbage).toBe('');
  });

  it('has exit code 1 without a shutdown', async () => {
    const [introduced, silent] = [await editor(), await editor()];
    await introduced.initialize();
    for (const { connection } of [introduced, silent]) await connection.sendNotification('exit');
    expect(await Promise.all([introduced.ended, silent.ended])).toEqual([1, 1]);
  });

  it('follows when the editor closes its pipe', async () => {
    const [abrupt, polite] = [await editor(), await editor()];
    await Promise.all([abrupt.initialize(), polite.initialize()]);
    await polite.connection.sendRequest(ShutdownRequest.type);
    for (const { process } of [abrupt, polite]) process.stdin.end();
    expect(await Promise.all([abrupt.ended, polite.ended])).toEqual([1, 0]);
  });

  it('follows when the editor closes its pipe during an evaluation', async () => {
    const turns = JSON.stringify(Array.from({ length: 3000 }, () => JSON.parse(GOOD)).flat());
    const started = await editor({}, { 'long.json': turns });
    await started.initialize();
    started.execute('turnwise.evaluate', started.uri('long.json')).catch(() => {});
    await started.until(() => [...started.progress.values()].flat().length > 0);
    started.process.stdin.end();
    expect(await started.ended).toBe(1);
  });

  it("follows the end of the editor's process, even if its pipe is open", async () => {
    const { child, id } = await somebody();
    const [told, given] = [await editor(), await editor({ args: ['--clientProcessId', String(id)] })];
    await told.initialize({ processId: id });
    await given.initialize();
    child.kill('SIGKILL');
    expect(await Promise.all([told.ended, given.ended])).toEqual([1, 1]);
  });

  it.each<[string, string, (started: Editor) => void]>([
    ['counts in circles', 'for (;;);', ({ process }) => process.stdin.end()],
    [
      'waits for ever',
      'setInterval(() => {}, 1000); await new Promise(() => {});',
      ({ process }) => process.kill('SIGKILL'),
    ],
  ])('also ends the process of a configuration that %s', async (_, code, leave) => {
    const configuration = `
      import { writeFileSync } from 'node:fs';
      console.log('noise');
      writeFileSync(new URL('./pid', import.meta.url), String(process.pid));
      ${code}
      export default {};`;
    const started = await editor({}, { 'a.json': GOOD, 'turnwise.config.mjs': configuration });
    await started.initialize();
    started.execute('turnwise.evaluate', started.uri('a.json')).catch(() => {});
    const id = await vi.waitFor(async () => {
      const written = Number(await readFile(join(started.cwd, 'pid'), 'utf8'));
      expect(written).toBeGreaterThan(0);
      return written;
    }, WITHIN);
    leave(started);
    await started.ended;
    await vi.waitFor(() => expect(() => process.kill(id, 0)).toThrow('ESRCH'), WITHIN);
    expect(started.garbage).toBe('');
  });
});
