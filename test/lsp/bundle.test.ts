import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporary } from '../support/temporary.ts';
import { UNKNOWN_TOOL } from '../support/traces.ts';
import { Editor } from './editor.ts';

const BUNDLE = join(import.meta.dirname, '..', '..', 'dist', 'cli.js');

describe.skipIf(!existsSync(BUNDLE))('the bundled command line, where it was built', () => {
  it('serves an editor', async () => {
    await using folder = await temporary({ '.git': '', 'a.json': UNKNOWN_TOOL });
    await using editor = new Editor(folder.path, { main: BUNDLE });
    await editor.initialize();
    const uri = editor.uri('a.json');
    expect(await editor.execute('turnwise.evaluate', uri)).toMatchObject({ complete: true, sessions: 1 });
    expect(editor.shown.get(uri)).toContainEqual(expect.objectContaining({ code: 'unknown-tool' }));
    expect(await editor.leave()).toBe(0);
    expect(editor.garbage).toBe('');
  });
});
