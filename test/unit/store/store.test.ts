import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_CACHE_BOUNDS, openStore, type Store } from '../../../src/store/store.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const DAY = 24 * 60 * 60 * 1000;

/** A store whose clock the test turns. Every warning is a failure. */
async function scratch() {
  const folder = await temporaryFolder();
  const clock = { now: Date.UTC(2026, 0, 1) };
  const open = (): Store => {
    return openStore(folder.path, { warn: (sentence) => expect.unreachable(sentence), now: () => clock.now });
  };
  return { folder, path: folder.path, clock, open, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

const keyed = fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), hours: fc.nat({ max: 60 }) });

describe('cached answers', () => {
  it('are read unchanged, by this store and the next', async () => {
    await using there = await scratch();
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.string({ unit: 'binary' }), { maxKeys: 5 }), async (answers) => {
        {
          using store = there.open();
          for (const [key, answer] of Object.entries(answers)) await store.answerCache.put(key, answer);
          for (const [key, answer] of Object.entries(answers)) expect(await store.answerCache.get(key)).toBe(answer);
        }
        using next = there.open();
        for (const [key, answer] of Object.entries(answers)) expect(await next.answerCache.get(key)).toBe(answer);
      }),
      { numRuns: 40 },
    );
  });

  it.each(['', 'before\0behind', '\0', '{"reason":"grün 😀"}'])('are stored completely: %j', async (answer) => {
    await using there = await scratch();
    using store = there.open();
    await store.answerCache.put('key', answer);
    expect(await store.answerCache.get('key')).toBe(answer);
  });

  it('are replaced by later ones', async () => {
    await using there = await scratch();
    using store = there.open();
    await store.answerCache.put('key', 'an answer');
    await store.answerCache.put('key', 'ä');
    expect(await store.answerCache.get('key')).toBe('ä');
    expect(await store.answerCache.get('another')).toBeNull();
    expect(store.contents()).toMatchObject({ entries: 1, bytes: 2 });
  });

  it('are neither read nor stored once the store is closed', async () => {
    await using there = await scratch();
    const store = there.open();
    await store.answerCache.put('key', 'an answer');
    store.close();
    expect(await store.answerCache.get('key')).toBeNull();
    await store.answerCache.put('late', 'an answer');
    using next = there.open();
    expect(await next.answerCache.get('late')).toBeNull();
    expect(await next.answerCache.get('key')).toBe('an answer');
  });
});

describe('the answer database', () => {
  it('is not created before it is needed', async () => {
    await using there = await scratch();
    using store = there.open();
    expect(store.contents()).toEqual({ entries: 0, bytes: 0, bytesOnDisk: 0, oldestUse: null, damaged: [] });
    expect(store.prune()).toEqual({ entries: 0, bytes: 0 });
    expect(store.clear()).toEqual({ entries: 0, bytes: 0 });
    expect(existsSync(store.file)).toBe(false);
    expect(readdirSync(there.path)).toEqual([]);
  });

  it.skipIf(process.platform === 'win32')('is readable by its user alone', async () => {
    await using folder = await temporaryFolder();
    const home = join(folder.path, 'data', 'turnwise');
    using store = openStore(home, { warn: (sentence) => expect.unreachable(sentence) });
    await store.answerCache.put('key', 'an answer');
    expect(statSync(home).mode & 0o777).toBe(0o700);
    const modes = readdirSync(home).map((name) => [name, statSync(join(home, name)).mode & 0o777]);
    expect(modes).toEqual([
      ['judgements.db', 0o600],
      ['judgements.db-shm', 0o600],
      ['judgements.db-wal', 0o600],
    ]);
  });
});

describe('the last use of an answer', () => {
  it('is recorded once a day, and reading writes nothing else', async () => {
    await using there = await scratch();
    const { clock } = there;
    const start = clock.now;
    using store = there.open();
    await store.answerCache.put('key', 'an answer');
    const log = () => readFileSync(`${store.file}-wal`);

    clock.now = start + DAY - 1;
    const before = log();
    await store.answerCache.get('key');
    expect(log()).toEqual(before);
    expect(store.contents()?.oldestUse).toBe(start);

    clock.now = start + DAY;
    await store.answerCache.get('key');
    expect(store.contents()?.oldestUse).toBe(start + DAY);
  });
});

describe('pruning answers', () => {
  it('deletes answers that were not used for so many days', async () => {
    await using there = await scratch();
    using store = there.open();
    await store.answerCache.put('unused', 'an answer');
    await store.answerCache.put('used', 'another');
    there.clock.now += 20 * DAY;
    await store.answerCache.get('used');
    there.clock.now += 10 * DAY + 1;
    expect(store.prune({ olderThanDays: 30 })).toEqual({ entries: 1, bytes: 9 });
    expect(await store.answerCache.get('unused')).toBeNull();
    expect(await store.answerCache.get('used')).toBe('another');
    expect(store.prune({ olderThanDays: 30 })).toEqual({ entries: 0, bytes: 0 });
  });

  it('keeps as many recently used answers as fit', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(keyed, { maxLength: 12 }), fc.nat({ max: 70 }), async (uses, maxBytes) => {
        await using there = await scratch();
        using store = there.open();
        const used = new Map<string, number>();
        for (const { key, hours } of uses) {
          // An hour at least, so that no two were used at the same time.
          there.clock.now += (hours + 1) * DAY;
          if ((await store.answerCache.get(key)) === null) await store.answerCache.put(key, key.repeat(10));
          used.delete(key);
          used.set(key, there.clock.now);
        }
        const room = Math.floor(maxBytes / 10);
        const kept = room === 0 ? [] : [...used.keys()].slice(-room);
        expect(store.prune({ maxBytes })).toEqual({
          entries: used.size - kept.length,
          bytes: 10 * (used.size - kept.length),
        });
        expect(
          (await Promise.all([...used.keys()].map((key) => store.answerCache.get(key)))).flatMap(
            (value) => value?.[0] ?? [],
          ),
        ).toEqual(kept);
      }),
      { numRuns: 30 },
    );
  });

  it('deletes all excess answers, and returns the space', async () => {
    await using there = await scratch();
    using store = there.open();
    for (let i = 0; i < 1300; i += 1) await store.answerCache.put(`key-${i}`, 'x'.repeat(3000));
    expect(store.prune({ maxBytes: 150_000 })).toEqual({ entries: 1250, bytes: 3_750_000 });
    expect(store.contents()).toMatchObject({ entries: 50, bytes: 150_000 });
    store.close();
    expect(statSync(store.file).size).toBeLessThan(400_000);
  });

  it('happens once a day when an answer is added', async () => {
    await using there = await scratch();
    const add = async (key: string) => {
      using store = there.open();
      await store.answerCache.put(key, 'an answer');
      return store.contents()?.entries;
    };
    expect(await add('first')).toBe(1);
    there.clock.now += DEFAULT_CACHE_BOUNDS.olderThanDays * DAY - 1;
    expect(await add('second')).toBe(2);
    there.clock.now += DAY - 1;
    // "first" is too old by now, but it was looked after less than a day ago.
    expect(await add('third')).toBe(3);
    there.clock.now += 2;
    expect(await add('fourth')).toBe(3);
  });

  it('is done in steps, so that nothing waits for it', async () => {
    await using there = await scratch();
    {
      using store = there.open();
      for (let i = 0; i < 700; i += 1) await store.answerCache.put(`key-${i}`, 'an answer');
    }
    there.clock.now += (DEFAULT_CACHE_BOUNDS.olderThanDays + 1) * DAY;
    using store = there.open();
    await store.answerCache.put('new', 'an answer');
    expect(store.contents()?.entries).toBe(201);
    await store.answerCache.put('newer', 'an answer');
    expect(store.contents()?.entries).toBe(2);
  });

  it('is not postponed forever by a wrong clock', async () => {
    await using there = await scratch();
    const { clock } = there;
    const now = clock.now;
    {
      using store = there.open();
      await store.answerCache.put('old', 'an answer');
      clock.now = now + 1000 * 365 * DAY;
    }
    {
      using store = there.open();
      await store.answerCache.put('of the future', 'an answer');
      clock.now = now + 1;
      await store.answerCache.put('old', 'an answer');
    }
    clock.now = now + (DEFAULT_CACHE_BOUNDS.olderThanDays + 1) * DAY;
    using store = there.open();
    await store.answerCache.put('new', 'an answer');
    expect(await store.answerCache.get('old')).toBeNull();
  });
});

describe('clearing answers', () => {
  it('leaves no text of an answer on the disk', async () => {
    await using there = await scratch();
    using store = there.open();
    const secret = 'words of a trace';
    for (let i = 0; i < 50; i += 1) await store.answerCache.put(`key-${i}`, secret.repeat(1 + i * 10));
    writeFileSync(`${store.file}.broken-1`, secret);
    expect(store.contents()).toMatchObject({ entries: 50, damaged: [`${store.file}.broken-1`] });

    expect(store.clear()?.entries).toBe(50);
    expect(store.contents()).toMatchObject({ entries: 0, bytes: 0, oldestUse: null, damaged: [] });
    const left = readdirSync(there.path).filter((name) => readFileSync(join(there.path, name)).includes(secret));
    expect(left).toEqual([]);
    await store.answerCache.put('key', 'an answer');
    expect(await store.answerCache.get('key')).toBe('an answer');
  });

  it('keeps the boundary key', async () => {
    await using there = await scratch();
    const key = there.open().boundaryKey;
    using store = there.open();
    await store.answerCache.put('key', 'an answer');
    store.clear();
    expect(there.open().boundaryKey).toEqual(key);
  });
});
