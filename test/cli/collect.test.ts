import { mkdir, readdir, readFile, symlink, utimes } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { fileOf } from '../../src/receiver/live-file.ts';
import { turnwise } from '../support/cli.ts';
import { endSession, OtelAgent } from '../support/otel-agent.ts';
import { commandIn, runningCommand } from '../support/running-command.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

type Running = ReturnType<typeof commandIn>;

async function collecting(...args: string[]) {
  const running = await runningCommand({ '.git': '' }, 'collect', '--port', '0', ...args);
  return { ...running, endpoint: await endpointOf(running), live: join(running.path, '.turnwise', 'live') };
}

async function endpointOf(running: Running): Promise<string> {
  await running.until('export OTEL_EXPORTER_OTLP_ENDPOINT=');
  const [, endpoint = ''] = /export OTEL_EXPORTER_OTLP_ENDPOINT=(\S+)/.exec(running.written.stdout) ?? [];
  return endpoint;
}

async function sessionFiles(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith('.jsonl')).sort();
}

/** The sessions of the folder, as a user evaluates them. */
async function evaluated(cwd: string) {
  const { stdout } = await turnwise(['eval', '.turnwise/live', '--format', 'json'], { cwd });
  const { sessions }: { sessions: { id: string; turns: unknown[]; headline: { kind: string } }[] } = JSON.parse(stdout);
  const shown = sessions.map(({ id, turns, headline }) => ({ id, turns: turns.length, kind: headline.kind }));
  return shown.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

describe('collect', { timeout: 120_000 }, () => {
  it('writes and evaluates what the exporters of JavaScript send, in JSON, protobuf and gzip', async () => {
    await using it = await collecting('--idle', '600');
    for (const encoding of ['json', 'protobuf'] as const) {
      for (const isCompressed of [false, true]) {
        await using agent = new OtelAgent({ endpoint: it.endpoint, encoding, isCompressed });
        agent.request('/health');
        agent.turn({ conversation: `${encoding}-${isCompressed}`, order: 'A-1' });
        agent.turn({ conversation: `${encoding}-${isCompressed}`, order: 'A-2', fails: true });
        await agent.flush();
      }
    }
    await it.until('Now 4 sessions: 4 failed.');
    expect(it.written.stdout).toMatch(/✗ Failed: success claimed after an error \(turn 2\)[^✗]*· new · in progress/);
    expect(it.written.stdout).not.toContain('· complete');
    await endSession(it.endpoint, 'json-true');
    await it.until('json-true · risk High · complete');
    expect(await it.interrupt()).toBe(0);
    expect(it.written.stderr).toBe('\nturnwise: stopped receiving. Nothing is written any more.\n');
    expect(await sessionFiles(it.live)).toHaveLength(4);
    const names = ['json-false', 'json-true', 'protobuf-false', 'protobuf-true'];
    expect(await evaluated(it.path)).toEqual(names.map((id) => ({ id, turns: 2, kind: 'failed' })));
    // Neither the lock nor the port is left.
    expect((await readdir(it.live)).filter((name) => !name.endsWith('.jsonl'))).toEqual(['.gitignore']);
    expect(await readFile(join(it.live, '.gitignore'), 'utf8')).toBe('*\n');
  });

  it.each([
    { encoding: 'json', isCompressed: false },
    { encoding: 'json', isCompressed: true },
    { encoding: 'protobuf', isCompressed: false },
    { encoding: 'protobuf', isCompressed: true },
  ] as const)(
    'reads messages in the log records that the exporters of JavaScript send: $encoding, compressed: $isCompressed',
    async (how) => {
      await using it = await collecting('--idle', '600');
      await using agent = new OtelAgent({ endpoint: it.endpoint, ...how, logsMessages: true });
      agent.note('of no span, and rejected');
      agent.turn({ conversation: 'c', order: 'A-1', fails: true });
      await agent.flush();
      await it.until('✗ Failed: success claimed after an error (turn 1)');
      const [file = ''] = await sessionFiles(it.live);
      const text = await readFile(join(it.live, file), 'utf8');
      expect(text).toContain('"resourceLogs"');
      expect(text).toContain('Please refund order A-1.');
      expect(text).not.toContain('of no span');
    },
  );

  it('takes what the exporter of Python sends', async () => {
    await using it = await collecting('--idle', '600');
    const recorded = await readFile(join(import.meta.dirname, '..', 'fixtures', 'otlp', 'python-sdk-1.45.0.bin'));
    const response = await fetch(`${it.endpoint}/v1/traces`, {
      method: 'POST',
      headers: {
        'User-Agent': 'OTel-OTLP-Exporter-Python/1.45.0',
        'Accept-Encoding': 'gzip, deflate',
        Accept: '*/*',
        'Content-Type': 'application/x-protobuf',
        'Content-Encoding': 'gzip',
      },
      body: gzipSync(recorded),
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Type')).toBe('application/x-protobuf');
    expect((await response.arrayBuffer()).byteLength).toBe(0);
    await it.until('Now 1 session: failed.');
    expect(await evaluated(it.path)).toEqual([{ id: 'conv-python', turns: 1, kind: 'failed' }]);
  });

  it('writes no secrets', async () => {
    await using it = await collecting();
    await using agent = new OtelAgent({ endpoint: it.endpoint });
    agent.turn({ conversation: 'c', order: 'A-1, my password=Tr0ub4dor&3x!' });
    await agent.flush();
    await it.until('Now 1 session');
    const [file = ''] = await sessionFiles(it.live);
    const text = await readFile(join(it.live, file), 'utf8');
    expect(text).toContain('Please show order A-1');
    expect(text).not.toContain('Tr0ub4dor');
  });

  it('receives on the next port when one is taken, and shows the line to copy', async () => {
    await using folder = await temporaryFolder({ '.git': '' });
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const address = taken.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    try {
      await using it = commandIn(folder.path, 'collect', '--port', String(port));
      const endpoint = await endpointOf(it);
      const next = Number(new URL(endpoint).port);
      expect(next).toBeGreaterThan(port);
      expect(it.written.stdout).toContain(`Port ${port} is taken; receiving on ${next}.`);
    } finally {
      taken.close();
    }
  });

  it('takes over the folder and its sessions when the process before it is killed', async () => {
    await using first = await collecting();
    await using second = commandIn(first.path, 'collect', '--port', '0');
    await second.until(
      `Another process receives traces into .turnwise/live (OTEL_EXPORTER_OTLP_ENDPOINT=${first.endpoint}).`,
    );
    {
      await using agent = new OtelAgent({ endpoint: first.endpoint });
      agent.turn({ conversation: 'c', order: 'A-1' });
      await agent.flush();
    }
    await first.kill();
    const endpoint = await endpointOf(second);
    await using agent = new OtelAgent({ endpoint });
    agent.turn({ conversation: 'c', order: 'A-2', fails: true });
    await agent.flush();
    await second.until('success claimed after an error (turn 2)');
    expect(await sessionFiles(first.live)).toHaveLength(1);
    expect(await evaluated(first.path)).toEqual([{ id: 'c', turns: 2, kind: 'failed' }]);
  });

  it('leaves files that can be read when it is killed in the middle', async () => {
    await using it = await collecting();
    await using agent = new OtelAgent({ endpoint: it.endpoint });
    const send = (order: number) => {
      for (const conversation of ['a', 'b', 'c']) agent.turn({ conversation, order: `A-${order}` });
      return agent.flush();
    };
    for (let order = 0; order < 10; order += 1) await send(order);
    // The receiver is killed while it takes these; whether an exporter learns of it does not matter here.
    const flushes = Array.from({ length: 20 }, (_, order) => send(10 + order).catch(() => {}));
    await Promise.all([...flushes, it.kill()]);
    const sessions = await evaluated(it.path);
    expect(sessions.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    for (const { turns } of sessions) expect(turns).toBeGreaterThanOrEqual(10);
  });

  it('deletes the oldest sessions for new ones, says so, and counts them no more', async () => {
    await using it = await collecting('--max-size', '1', '--idle', '1');
    await using agent = new OtelAgent({ endpoint: it.endpoint });
    const send = async (conversation: string, size: number) => {
      agent.turn({ conversation, order: `A-1 ${'word '.repeat(size)}` });
      await agent.flush();
    };
    for (const conversation of ['a', 'b']) {
      await send(conversation, 10_000);
      await it.until(`${fileOf(conversation)}:1 · risk High · complete`);
    }
    await send('c', 10_000);
    await it.until('Deleted the oldest session to stay within 1 MB (--max-size). Now 1 session: without problems.');
    await it.until(`${fileOf('c')}:1 · risk High · complete`);
    expect(it.written.stdout).toMatch(/Now 2 sessions: 2 without problems\.\s*$/);
    expect(await sessionFiles(it.live)).toEqual(['b', 'c'].map(fileOf).sort());
    // Nothing is deleted for what cannot fit.
    await send('d', 50_000);
    await it.until('The folder is full', 'stderr');
    expect(await sessionFiles(it.live)).toEqual(['b', 'c'].map(fileOf).sort());
  });

  it('deletes sessions that have not changed for as many days as --keep says, and says so', async () => {
    const [old, recent] = [fileOf('old'), fileOf('recent')];
    await using folder = await temporaryFolder({
      '.git': '',
      [`.turnwise/live/${old}`]: '{}\n',
      [`.turnwise/live/${recent}`]: '{}\n',
    });
    const live = join(folder.path, '.turnwise', 'live');
    const then = new Date(Date.now() - 3 * 24 * 60 * 60_000);
    await utimes(join(live, old), then, then);
    await using it = commandIn(folder.path, 'collect', '--port', '0', '--keep', '2');
    await endpointOf(it);
    expect(await sessionFiles(live)).toEqual([recent]);
    expect(it.written.stdout).toMatch(/^Deleted 1 session that had not changed for 2 days \(--keep\)\.\n/);
  });

  it('does not write through a link out of the project', async () => {
    await using elsewhere = await temporaryFolder();
    await using folder = await temporaryFolder({ '.git': '' });
    await mkdir(join(folder.path, '.turnwise'));
    await symlink(elsewhere.path, join(folder.path, '.turnwise', 'live'));
    const { code, stderr } = await turnwise(['collect', '--port', '0'], { cwd: folder.path });
    expect(code).toBe(2);
    expect(stderr).toBe('turnwise: .turnwise/live is a link out of this folder. Name a folder with --out.\n');
    expect(await readdir(elsewhere.path)).toEqual([]);
  });

  it('needs a port', async () => {
    await using folder = await temporaryFolder();
    const { code, stderr } = await turnwise(['collect', '--port', 'http'], { cwd: folder.path });
    expect(code).toBe(2);
    expect(stderr).toContain('Must be a port, 0 to 65535.');
  });
});
