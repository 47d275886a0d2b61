import { spawnSync } from 'node:child_process';
import { mkdirSync, openSync, readdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { loadSqlite } from '../../src/store/sqlite.ts';
import { openStore } from '../../src/store/store.ts';
import { expectedAnswer, writeConcurrently } from '../support/store-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A store, and the sentences that it says. */
function storeIn(home: string, patienceMs = 5000) {
  const warnings: string[] = [];
  const clock = { now: Date.now() };
  const warn = (sentence: string) => warnings.push(sentence);
  const store = openStore(home, { warn, busyTimeoutMs: patienceMs, now: () => clock.now });
  return {
    store,
    file: store.file,
    answers: store.answerCache,
    warnings,
    clock,
    [Symbol.dispose]: () => store.close(),
  };
}

/** A data folder in which an answer is kept, and nobody has it open. */
async function used() {
  const folder = await temporaryFolder();
  using store = storeIn(folder.path);
  await store.answers.put('before', 'an answer');
  return folder;
}

const LOCKED = (file: string) => `${file} is locked by another program. Meanwhile no answers are cached.`;

/** The file as SQLite alone sees it. */
function sqlite(file: string): DatabaseSync {
  const found = loadSqlite();
  if (!found) throw new Error('This Node has no SQLite.');
  return new found.DatabaseSync(file);
}

function isSound(file: string): boolean {
  const database = sqlite(file);
  const sound = database.prepare('PRAGMA integrity_check').get()?.integrity_check === 'ok';
  database.close();
  return sound;
}

describe('several processes at once', () => {
  it('create one store, share one key, and store all answers', async () => {
    await using folder = await temporaryFolder();
    const writings = ['a', 'b', 'c', 'd'].map((name) => ({ home: folder.path, name, count: 250 }));
    const processes = await writeConcurrently(writings);
    expect(processes).toMatchObject(writings.map(() => ({ warnings: [], stderr: '' })));
    expect(new Set(processes.map(({ key }) => key)).size).toBe(1);

    using store = storeIn(folder.path);
    expect(Buffer.from(store.store.boundaryKey).toString('hex')).toBe(processes[0]?.key);
    expect(store.store.contents()).toMatchObject({ entries: 1000 });
    for (const key of processes.flatMap(({ written }) => written))
      expect(await store.answers.get(key)).toBe(expectedAnswer(key));
  });

  it('lose no stored answer and leave a valid file when killed while writing', async () => {
    await using folder = await temporaryFolder();
    for (const killAfter of [1, 40, 120]) {
      const processes = await writeConcurrently([
        { home: folder.path, name: `killed${killAfter}`, count: 100_000, killAfter },
        { home: folder.path, name: `other${killAfter}`, count: 100 },
      ]);
      const [killed, other] = processes;
      expect(killed?.written.length).toBeGreaterThanOrEqual(killAfter);
      expect(killed?.written.length).toBeLessThan(100_000);
      expect(other).toMatchObject({ warnings: [], stderr: '' });
      expect(other?.written).toHaveLength(100);

      using store = storeIn(folder.path);
      const keys = processes.flatMap(({ written }) => written);
      expect(await Promise.all(keys.map((key) => store.answers.get(key)))).toEqual(keys.map(expectedAnswer));
      expect(store.warnings).toEqual([]);
    }
    expect(isSound(join(folder.path, 'judgements.db'))).toBe(true);
  });

  it('continue reading if one of them stopped while writing', async () => {
    await using folder = await used();
    using store = storeIn(folder.path, 1);
    const stopped = sqlite(store.file);
    stopped.exec('BEGIN IMMEDIATE');
    await store.answers.put('now', 'an answer');
    await store.answers.put('later', 'an answer');
    stopped.close();
    expect(store.warnings).toEqual([LOCKED(store.file)]);
    expect(await store.answers.get('before')).toBe('an answer');
    expect(await store.answers.get('now')).toBeNull();
    store.clock.now += 1001;
    await store.answers.put('now', 'an answer');
    expect(await store.answers.get('now')).toBe('an answer');
  });

  it('try again if one of them locks the store at the start, without waiting each time', async () => {
    await using folder = await used();
    using store = storeIn(folder.path, 300);
    const other = sqlite(store.file);
    other.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    const start = performance.now();
    for (let i = 0; i < 100; i += 1) {
      expect(await store.answers.get('before')).toBeNull();
      await store.answers.put('now', 'an answer');
    }
    store.clock.now += 1001;
    expect(await store.answers.get('before')).toBeNull();
    // One wait of 300 ms, one of 50 ms; 200 such waits would take a minute.
    expect(performance.now() - start).toBeLessThan(10_000);
    other.exec('COMMIT');
    other.close();
    expect(await store.answers.get('before')).toBeNull();
    store.clock.now += 1001;
    await store.answers.put('now', 'an answer');
    expect(await Promise.all(['before', 'now'].map((key) => store.answers.get(key)))).toEqual([
      'an answer',
      'an answer',
    ]);
    expect(store.warnings).toEqual([LOCKED(store.file)]);
  });
});

describe('an invalid store', () => {
  it.each<[string, (file: string) => void]>([
    ['text', (file) => writeFileSync(file, 'This is no database. '.repeat(2000))],
    ['a few bytes', (file) => writeFileSync(file, 'SQL')],
    ['a half of it', (file) => writeFileSync(file, readFileSync(file).subarray(0, 5000))],
    ['zeros', (file) => writeFileSync(file, new Uint8Array(8192))],
    ['a damaged schema', (file) => overwrite(file, 100, 4000)],
  ])('is moved aside with a warning: %s', async (_, damage) => {
    await using folder = await used();
    const file = join(folder.path, 'judgements.db');
    damage(file);
    const damaged = readFileSync(file);
    {
      using store = storeIn(folder.path);
      expect(await store.answers.get('before')).toBeNull();
      await store.answers.put('after', 'another');
      expect(store.warnings).toEqual([
        `The cache ${file} was damaged. It was moved to ${file}.broken-1, and a new one was created.`,
      ]);
    }
    using again = storeIn(folder.path);
    expect(await again.answers.get('after')).toBe('another');
    expect(again.warnings).toEqual([]);
    expect(readFileSync(`${file}.broken-1`)).toEqual(damaged);
  });

  it('is detected later if its beginning is valid', async () => {
    await using folder = await temporaryFolder();
    {
      using store = storeIn(folder.path);
      for (let i = 0; i < 200; i += 1) await store.answers.put(`key-${i}`, expectedAnswer(`key-${i}`));
    }
    const file = join(folder.path, 'judgements.db');
    overwrite(file, 5 * 4096, 100 * 4096);
    using store = storeIn(folder.path);
    for (let i = 0; i < 200; i += 1) await store.answers.get(`key-${i}`);
    await store.answers.put('after', 'another');
    expect(await store.answers.get('after')).toBe('another');
    expect(store.warnings).toEqual([
      `The cache ${file} was damaged. It was moved to ${file}.broken-1, and a new one was created.`,
    ]);
    expect(isSound(file)).toBe(true);
  });

  it('is moved to a new name each time', async () => {
    await using folder = await used();
    const file = join(folder.path, 'judgements.db');
    for (const text of ['first', 'second']) {
      writeFileSync(file, text);
      using store = storeIn(folder.path);
      await store.answers.get('before');
    }
    expect(readFileSync(`${file}.broken-1`, 'utf8')).toBe('first');
    expect(readFileSync(`${file}.broken-2`, 'utf8')).toBe('second');
  });

  it('is moved aside, and never deleted, if it belongs to another program', async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, 'judgements.db');
    const other = sqlite(file);
    other.exec("CREATE TABLE note (text TEXT); INSERT INTO note VALUES ('mine')");
    other.close();
    using store = storeIn(folder.path);
    await store.answers.put('key', 'an answer');
    expect(await store.answers.get('key')).toBe('an answer');
    expect(store.warnings).toEqual([
      `The cache ${file} belongs to another program. It was moved to ${file}.foreign-1, and a new one was created.`,
    ]);
    store.store.clear();
    const kept = sqlite(`${file}.foreign-1`);
    expect(kept.prepare('SELECT text FROM note').get()).toMatchObject({ text: 'mine' });
    kept.close();
  });

  it('is not touched if it has a newer version', async () => {
    await using folder = await used();
    const file = join(folder.path, 'judgements.db');
    const newer = sqlite(file);
    newer.exec('PRAGMA user_version = 2');
    newer.close();
    const bytes = readFileSync(file);
    using store = storeIn(folder.path);
    expect(await store.answers.get('before')).toBeNull();
    await store.answers.put('key', 'an answer');
    expect(store.warnings).toEqual([
      `Answers cannot be cached in ${folder.path}: ${file} was written by a newer Turnwise; update Turnwise, or set TURNWISE_HOME to use another folder.`,
    ]);
    expect(readFileSync(file)).toEqual(bytes);
    expect(readdirSync(folder.path)).toEqual(['judgements.db']);
  });
});

describe('a store that cannot be written warns once and continues', () => {
  it('in a folder that cannot be created', async () => {
    await using folder = await temporaryFolder({ file: '' });
    const home = join(folder.path, 'file', 'home');
    using store = storeIn(home);
    expect(await store.answers.get('key')).toBeNull();
    await store.answers.put('key', 'an answer');
    expect(await store.answers.get('key')).toBeNull();
    expect(store.warnings).toHaveLength(1);
    expect(store.warnings[0]).toMatch(
      /^Answers cannot be cached in .*home: ENOTDIR.* Set TURNWISE_HOME to use another folder\.$/,
    );
    expect(store.store.boundaryKey).toHaveLength(32);
    expect(store.store.boundaryKey).toBe(store.store.boundaryKey);
  });

  it('if a folder has the name of the file', async () => {
    await using folder = await temporaryFolder();
    mkdirSync(join(folder.path, 'judgements.db'));
    using store = storeIn(folder.path);
    await store.answers.put('key', 'an answer');
    expect(store.warnings).toEqual([expect.stringContaining('EISDIR')]);
  });

  it('on a Node without SQLite, with a stable boundary key', async () => {
    await using folder = await temporaryFolder();
    const command = [process.execPath, '--no-experimental-sqlite'] as const;
    const run = async () =>
      (await writeConcurrently([{ home: folder.path, name: 'a', count: 3, command: [...command] }]))[0];
    const first = await run();
    expect(first?.warnings).toEqual([
      `Answers cannot be cached in ${folder.path}: Node ${process.version} has no SQLite; use Node 22.13 or newer.`,
    ]);
    expect(first?.written).toHaveLength(3);
    expect((await run())?.key).toBe(first?.key);
    expect(readdirSync(folder.path)).toEqual(['boundary-key']);
  });

  it.skipIf(process.platform === 'win32')('on a full disk, where stored answers are still used', async () => {
    await using folder = await temporaryFolder();
    // Blocks of 512 bytes that a file may have: beyond them, writing fails as it does on a full disk.
    const [full] = await writeConcurrently([
      {
        home: folder.path,
        name: 'a',
        count: 1000,
        command: ['sh', '-c', 'ulimit -f 400; exec "$@"', 'sh', process.execPath],
      },
    ]);
    expect(full).toMatchObject({ stderr: '' });
    expect(full?.warnings).toHaveLength(1);
    expect(full?.warnings[0]).toMatch(/^Answers are no longer cached: .*\. Answers that are cached already/);
    using store = storeIn(folder.path);
    expect(await store.answers.get('a-0')).toBe(expectedAnswer('a-0'));
    await store.answers.put('room', 'again');
    expect(await store.answers.get('room')).toBe('again');
    expect(store.warnings).toEqual([]);
    expect(isSound(store.file)).toBe(true);
  });
});

describe("Node's warning that SQLite is experimental", () => {
  it('is suppressed, and no other warning is', () => {
    const { stderr } = spawnSync(
      process.execPath,
      [
        '--input-type=module',
        '--eval',
        `const { loadSqlite } = await import(process.env.SQLITE);
         new (loadSqlite().DatabaseSync)(':memory:').close();
         process.emitWarning('SQLite was asked for', 'ExperimentalWarning');
         process.emitWarning('something else', 'ExperimentalWarning');`,
      ],
      {
        encoding: 'utf8',
        env: { PATH: process.env.PATH, SQLITE: join(import.meta.dirname, '../../src/store/sqlite.ts') },
      },
    );
    expect(stderr.match(/Warning: .*/g)).toEqual(['Warning: SQLite was asked for', 'Warning: something else']);
  });
});

function overwrite(file: string, from: number, bytes: number): void {
  const handle = openSync(file, 'r+');
  writeSync(handle, new Uint8Array(bytes).fill(0xa5), 0, bytes, from);
}
