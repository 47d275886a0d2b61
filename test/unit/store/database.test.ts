import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type DatabaseSchema, fileId, moveAside, openDatabase } from '../../../src/store/database.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('moveAside', () => {
  it('moves the log too, which would otherwise be applied to the new database', async () => {
    await using folder = await temporaryFolder({
      'a.db': 'data',
      'a.db-wal': 'log',
      'a.db-shm': 'index',
      'b.db': 'other',
    });
    const file = join(folder.path, 'a.db');
    const warnings: string[] = [];
    moveAside(file, fileId(file), 'broken', (sentence) => warnings.push(sentence));
    expect(readdirSync(folder.path).sort()).toEqual(['a.db.broken-1', 'a.db.broken-1-wal', 'b.db']);
    expect(warnings).toHaveLength(1);
  });

  it('keeps a database that another process has created in the meantime', async () => {
    await using folder = await temporaryFolder({ 'a.db': 'strange' });
    const file = join(folder.path, 'a.db');
    const strange = fileId(file);
    renameSync(file, `${file}.broken-1`);
    writeFileSync(file, 'new');
    moveAside(file, strange, 'broken', (sentence) => expect.unreachable(sentence));
    expect(readFileSync(file, 'utf8')).toBe('new');
  });
});

describe('openDatabase', () => {
  const first: DatabaseSchema = { version: 1, tables: 'CREATE TABLE note (text TEXT) STRICT', upgrades: [] };
  const third: DatabaseSchema = {
    version: 3,
    tables:
      'CREATE TABLE note (text TEXT, stars INTEGER NOT NULL DEFAULT 0) STRICT; CREATE TABLE tag (name TEXT) STRICT',
    upgrades: ['ALTER TABLE note ADD COLUMN stars INTEGER NOT NULL DEFAULT 0', 'CREATE TABLE tag (name TEXT) STRICT'],
  };
  const options = { busyTimeoutMs: 0, warn: (sentence: string) => expect.unreachable(sentence) };

  it('upgrades what an older version wrote, and keeps its content', async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, 'a.db');
    const older = openDatabase(file, first, options);
    older.exec("INSERT INTO note VALUES ('kept')");
    older.close();
    const upgraded = openDatabase(file, third, options);
    expect(upgraded.prepare('SELECT text, stars FROM note').get()).toEqual({ text: 'kept', stars: 0 });
    expect(upgraded.prepare('SELECT count(*) AS tags FROM tag').get()).toEqual({ tags: 0 });
    upgraded.close();
    const again = openDatabase(file, third, options);
    expect(again.prepare('SELECT text FROM note').all()).toHaveLength(1);
    again.close();
    expect(readdirSync(folder.path)).toEqual(['a.db']);
  });

  it('does not touch what a newer version wrote', async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, 'a.db');
    openDatabase(file, third, options).close();
    expect(() => openDatabase(file, first, options)).toThrow('was written by a newer Turnwise');
  });

  it('leaves an older database as it was where an upgrade fails', async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, 'a.db');
    openDatabase(file, first, options).close();
    const broken = { ...third, upgrades: ['DROP TABLE note', 'NONSENSE'] };
    expect(() => openDatabase(file, broken, options)).toThrow('syntax error');
    const older = openDatabase(file, first, options);
    expect(older.prepare('SELECT count(*) AS notes FROM note').get()).toEqual({ notes: 0 });
    older.close();
  });
});
