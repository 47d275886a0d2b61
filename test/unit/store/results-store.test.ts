import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  DEFAULT_RESULTS_BOUNDS,
  openResultsStore,
  type ResultsStore,
  type StoredFileResults,
} from '../../../src/store/results-store.ts';
import { loadSqlite } from '../../../src/store/sqlite.ts';
import { expectedContent, writeResultsConcurrently } from '../../support/results-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const DAY = 24 * 60 * 60 * 1000;

const kept = (path: string, text = `of ${path}`, parts: Partial<StoredFileResults> = {}): StoredFileResults => ({
  path,
  hash: 'hash',
  evaluatedAt: 1,
  format: 1,
  content: new Uint8Array(Buffer.from(text)),
  ...parts,
});

/** A folder for results, whose clock the test turns. */
async function scratch() {
  const folder = await temporaryFolder();
  const clock = { now: Date.UTC(2026, 0, 1) };
  const warnings: string[] = [];
  const open = (bounds = DEFAULT_RESULTS_BOUNDS, patienceMs = 1000): ResultsStore =>
    openResultsStore(folder.path, {
      warn: (sentence) => warnings.push(sentence),
      now: () => clock.now,
      bounds,
      busyTimeoutMs: patienceMs,
    });
  return {
    path: folder.path,
    file: join(folder.path, 'results.db'),
    clock,
    warnings,
    open,
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

/** The file as SQLite alone sees it. */
function sqlite(file: string): DatabaseSync {
  const found = loadSqlite();
  if (!found) throw new Error('This Node has no SQLite.');
  return new found.DatabaseSync(file);
}

const textOf = (result: StoredFileResults | null) => result && Buffer.from(result.content).toString();

describe('stored results', () => {
  it('are read unchanged, by this store and the next', async () => {
    await using there = await scratch();
    const result = fc.record({
      path: fc.string({ minLength: 1 }).filter((path) => !path.includes('\0') && path.isWellFormed()),
      hash: fc.option(fc.string()),
      evaluatedAt: fc.nat(),
      format: fc.nat(),
      content: fc.uint8Array(),
    });
    fc.assert(
      fc.property(fc.uniqueArray(result, { selector: ({ path }) => path, maxLength: 5 }), (results) => {
        {
          using store = there.open();
          store.save(results);
          for (const result of results) expect(store.get(result.path)).toEqual(result);
        }
        using next = there.open();
        for (const result of results) expect(next.get(result.path)).toEqual(result);
      }),
      { numRuns: 30 },
    );
    expect(there.warnings).toEqual([]);
  });

  it('are replaced by later ones', async () => {
    await using there = await scratch();
    using store = there.open();
    store.save([kept('/a', 'before'), kept('/b')]);
    store.save([kept('/a', 'after', { hash: null })]);
    expect([textOf(store.get('/a')), store.get('/a')?.hash, textOf(store.get('/b'))]).toEqual(['after', null, 'of /b']);
  });

  it('are found by folder, but not by a folder with the same prefix', async () => {
    await using there = await scratch();
    using store = there.open();
    const inside = ['/ws/a.json', '/ws/deep/b.json', '/ws/deep/deeper/c.json', '/ws/ä.json'].map((path) =>
      path.replaceAll('/', sep),
    );
    const outside = ['/ws.json', '/ws-old/d.json', '/ws2', '/w', '/wt/e.json'].map((path) => path.replaceAll('/', sep));
    store.save([...inside, ...outside].map((path) => kept(path)));
    expect([...store.pathsUnder([`${sep}ws`])].sort()).toEqual([...inside].sort());
    expect([...store.pathsUnder([`${sep}ws${sep}`])].sort()).toEqual([...inside].sort());
    expect(store.pathsUnder([`${sep}ws${sep}a.json`, `${sep}ws${sep}a.json`, `${sep}none`])).toEqual([
      `${sep}ws${sep}a.json`,
    ]);
    expect(store.pathsUnder([])).toEqual([]);
    store.delete([`${sep}ws${sep}deep`, `${sep}ws2`]);
    expect([...store.pathsUnder([sep])].sort()).toEqual(
      [...inside, ...outside].filter((path) => !/deep|ws2/.test(path)).sort(),
    );
  });

  it('can be deleted by file without those in a folder of that name', async () => {
    await using there = await scratch();
    using store = there.open();
    const [folder, file] = [`${sep}ws`, `${sep}ws${sep}a.json`];
    const inside = `${sep}ws${sep}deep${sep}b.json`;
    store.save([folder, file, inside].map((path) => kept(path)));
    store.deleteFiles([folder, file, `${sep}ws${sep}deep`]);
    expect(store.pathsUnder([sep])).toEqual([inside]);
  });

  it('leave no text on the disk when deleted', async () => {
    await using there = await scratch();
    using store = there.open();
    store.save([kept('/a', 'SECRETWORD'.repeat(3000)), kept('/b', 'x'.repeat(100))]);
    store.delete(['/a']);
    for (const name of readdirSync(there.path)) {
      expect(readFileSync(join(there.path, name)).includes('SECRETWORD'), name).toBe(false);
    }
    expect(textOf(store.get('/b'))).toBe('x'.repeat(100));
  });
});

describe('the results database', () => {
  it('is not created by reading', async () => {
    await using there = await scratch();
    using store = there.open();
    expect([store.pathsUnder(['/']), store.get('/a')]).toEqual([[], null]);
    store.delete(['/']);
    store.deleteFiles(['/a']);
    store.touch(['/a']);
    expect(readdirSync(there.path)).toEqual([]);
  });

  it.skipIf(process.platform === 'win32')('shows what is kept to its user alone', async () => {
    await using there = await scratch();
    using store = there.open();
    store.save([kept('/a')]);
    expect(readdirSync(there.path).map((name) => statSync(join(there.path, name)).mode & 0o777)).toEqual([
      0o600, 0o600, 0o600,
    ]);
  });
});

describe('bounds of stored results', () => {
  it('limit files, deleting the least recently used first', async () => {
    await using there = await scratch();
    using store = there.open({ ...DEFAULT_RESULTS_BOUNDS, maxFiles: 3 });
    for (const path of ['/a', '/b', '/c']) {
      store.save([kept(path)]);
      there.clock.now += 2 * DAY;
    }
    store.touch(['/a']);
    store.save([kept('/d')]);
    expect([...store.pathsUnder(['/'])].sort()).toEqual(['/a', '/c', '/d']);
  });

  it('limit bytes', async () => {
    await using there = await scratch();
    using store = there.open({ ...DEFAULT_RESULTS_BOUNDS, maxBytes: 100 });
    store.save([kept('/a', 'x'.repeat(60)), kept('/b', 'x'.repeat(30))]);
    store.save([kept('/c', 'x'.repeat(30))]);
    expect([...store.pathsUnder(['/'])].sort()).toEqual(['/b', '/c']);
  });

  it('limit age since the last use', async () => {
    await using there = await scratch();
    using store = there.open();
    store.save([kept('/unused'), kept('/used')]);
    there.clock.now += 89 * DAY;
    store.touch(['/used']);
    there.clock.now += 2 * DAY;
    store.save([kept('/new')]);
    expect([...store.pathsUnder(['/'])].sort()).toEqual(['/new', '/used']);
  });

  it('record use once a day', async () => {
    await using there = await scratch();
    using store = there.open();
    store.save([kept('/a')]);
    const log = () => readFileSync(`${there.file}-wal`);
    there.clock.now += DAY - 1;
    const before = log();
    store.touch(['/a']);
    expect(log()).toEqual(before);
    there.clock.now += 2;
    store.touch(['/a']);
    expect(log()).not.toEqual(before);
  });
});

describe('an invalid results database', () => {
  /** Results that were kept, and nobody has open. */
  async function used() {
    const there = await scratch();
    using store = there.open();
    store.save([kept('/a')]);
    return there;
  }

  it.each([
    ['is none', (file: string) => writeFileSync(file, 'no database at all, and that for a while'.repeat(50))],
    [
      'has a damaged beginning',
      (file: string) => {
        const bytes = readFileSync(file);
        writeFileSync(file, bytes.fill(7, 0, 200));
      },
    ],
    [
      "is another program's",
      (file: string) => {
        writeFileSync(file, '');
        const other = sqlite(file);
        other.exec('CREATE TABLE theirs (x); PRAGMA application_id = 7');
        other.close();
      },
    ],
  ])('is moved aside when it %s, and what comes is kept', async (_, damage) => {
    await using there = await used();
    damage(there.file);
    using store = there.open();
    expect(store.get('/a')).toBeNull();
    store.save([kept('/b')]);
    expect(textOf(store.get('/b'))).toBe('of /b');
    expect(there.warnings).toHaveLength(1);
    expect(readdirSync(there.path).some((name) => /^results\.db\.(broken|foreign)-1$/.test(name))).toBe(true);
  });

  it('is replaced if it is damaged while open', async () => {
    await using there = await used();
    using store = there.open();
    store.save(Array.from({ length: 200 }, (_, at) => kept(`/${at}`, 'x'.repeat(2000))));
    const size = statSync(there.file).size;
    const database = sqlite(there.file);
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    database.close();
    writeFileSync(there.file, Buffer.alloc(Math.max(size, statSync(there.file).size), 7));
    store.save([kept('/b')]);
    store.save([kept('/c')]);
    expect(textOf(store.get('/c'))).toBe('of /c');
  });

  it('is not touched if it has a newer version', async () => {
    await using there = await used();
    const database = sqlite(there.file);
    database.exec('PRAGMA user_version = 2');
    database.close();
    const before = readFileSync(there.file);
    using store = there.open();
    expect(store.get('/a')).toBeNull();
    store.save([kept('/b')]);
    expect(store.get('/b')).toBeNull();
    expect(readFileSync(there.file)).toEqual(before);
    expect(there.warnings).toEqual([expect.stringContaining('was written by a newer Turnwise')]);
  });

  it.skipIf(process.platform === 'win32' || process.getuid?.() === 0)(
    'is not stored where nothing can be written',
    async () => {
      await using there = await scratch();
      chmodSync(there.path, 0o500);
      using store = there.open();
      store.save([kept('/a')]);
      expect(store.get('/a')).toBeNull();
      expect(there.warnings).toEqual([expect.stringContaining('TURNWISE_HOME can name another folder')]);
      chmodSync(there.path, 0o700);
    },
  );

  it('is skipped while locked, and used again afterwards', async () => {
    await using there = await used();
    const other = sqlite(there.file);
    other.exec('BEGIN IMMEDIATE');
    using store = there.open(DEFAULT_RESULTS_BOUNDS, 10);
    store.save([kept('/b')]);
    expect(textOf(store.get('/a'))).toBe('of /a');
    other.exec('COMMIT');
    other.close();
    store.save([kept('/c')]);
    expect([textOf(store.get('/b')), textOf(store.get('/c'))]).toEqual([null, 'of /c']);
    expect(there.warnings).toEqual([]);
  });
});

describe('several windows at once', () => {
  it('keep the results of each', async () => {
    await using folder = await temporaryFolder();
    const processes = await writeResultsConcurrently(
      ['a', 'b', 'c'].map((name) => ({ home: folder.path, name, count: 80 })),
    );
    expect(processes).toMatchObject(processes.map(() => ({ warnings: [], stderr: '' })));
    using store = openResultsStore(folder.path, { warn: (sentence) => expect.unreachable(sentence) });
    expect(store.pathsUnder(['/traces'])).toHaveLength(241);
    for (const path of processes.flatMap((child) => child.written))
      expect(textOf(store.get(path))).toBe(expectedContent(path));
  });

  it('lose no stored results when one is killed', async () => {
    await using folder = await temporaryFolder();
    const processes = await writeResultsConcurrently([
      { home: folder.path, name: 'killed', count: 100_000, killAfter: 25 },
      { home: folder.path, name: 'other', count: 60 },
    ]);
    expect(processes[0]?.written.length).toBeGreaterThanOrEqual(25);
    using store = openResultsStore(folder.path, { warn: (sentence) => expect.unreachable(sentence) });
    for (const path of processes.flatMap((child) => child.written))
      expect(textOf(store.get(path))).toBe(expectedContent(path));
    expect(existsSync(join(folder.path, 'results.db.broken-1'))).toBe(false);
  });
});
