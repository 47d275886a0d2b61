import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from '../../../src/cli/program.ts';
import { openStore } from '../../../src/store/store.ts';
import { fakeHost } from '../../support/fake-host.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const DAY = 24 * 60 * 60 * 1000;

/** A data folder with answers that were last used so many days ago. */
async function homeWith(...ages: readonly number[]) {
  const folder = await temporaryFolder();
  for (const age of ages) {
    const options = { warn: (sentence: string) => expect.unreachable(sentence), now: () => Date.now() - age * DAY };
    using store = openStore(folder.path, options);
    await store.answerCache.put(`${age} days`, 'an answer');
  }
  return folder;
}

async function cache(home: string, ...options: readonly string[]) {
  const host = fakeHost({ env: { TURNWISE_HOME: home } });
  const code = await run(['cache', ...options], host);
  return { code, ...host.written };
}

describe('turnwise cache', () => {
  it('says where it is, how big, and how old', async () => {
    await using home = await homeWith(40, 3);
    const file = join(home.path, 'judgements.db');
    using store = openStore(home.path, { warn: expect.unreachable });
    const day = new Date(store.contents()?.oldestUse ?? Number.NaN).toISOString().slice(0, 10);
    expect(await cache(home.path)).toEqual({
      code: 0,
      stdout: `${file}\n2 answers, 0.0 MB on disk, all used since ${day}\n`,
      stderr: '',
    });
    writeFileSync(`${file}.broken-1`, 'damaged');
    expect((await cache(home.path)).stdout).toContain(
      `\n${file}.broken-1: damaged and moved aside; --clear deletes it\n`,
    );
  });

  it('makes nothing where nothing is', async () => {
    await using folder = await temporaryFolder();
    const home = join(folder.path, 'home');
    expect(await cache(home)).toEqual({
      code: 0,
      stdout: `${join(home, 'judgements.db')}\n0 answers, 0.0 MB on disk\n`,
      stderr: '',
    });
    expect(existsSync(home)).toBe(false);
  });

  it.each<[string, string, number]>([
    ['--prune', 'Deleted 1 answer.\n', 2],
    ['--prune --older-than 30d', 'Deleted 2 answers.\n', 1],
    ['--prune --older-than 2', 'Deleted 3 answers.\n', 0],
    ['--prune --older-than 400d', 'Deleted 0 answers.\n', 3],
    ['--clear', 'Deleted 3 answers.\n', 0],
  ])('%s', async (options, stdout, left) => {
    // In this order, as adding forgets what is too old by then.
    await using home = await homeWith(3, 40, 100);
    expect(await cache(home.path, ...options.split(' '))).toEqual({ code: 0, stdout, stderr: '' });
    using store = openStore(home.path, { warn: expect.unreachable });
    expect(store.contents()?.entries).toBe(left);
  });

  it.each<[readonly string[], RegExp]>([
    [['--older-than', '30d'], /--older-than requires --prune/],
    [['--prune', '--clear'], /cannot be combined/],
    [['--prune', '--older-than', 'a month'], /Write it as 30d/],
    [['--prune', '--older-than', ''], /--older-than has an empty value/],
  ])('refuses %j', async (options, message) => {
    const { code, stdout, stderr } = await cache('/nowhere', ...options);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });

  it('says why it cannot', async () => {
    await using home = await temporaryFolder({ 'judgements.db/file': '' });
    const { code, stdout, stderr } = await cache(home.path);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^turnwise: Answers cannot be cached in .*EISDIR.*\n$/);
  });
});
