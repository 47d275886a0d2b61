import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileId, moveAside } from '../../../src/store/database.ts';
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
