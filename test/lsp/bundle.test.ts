import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CodeLensRequest } from 'vscode-languageserver/node';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { GOOD, UNKNOWN_TOOL } from '../support/traces.ts';
import { Editor } from './editor.ts';

const bundle = (name: string): string => join(import.meta.dirname, '..', '..', 'dist', name);

describe.each([
  ['command line', bundle('cli.js')],
  ['server of the extension', bundle('server.js')],
])('the bundled %s, where it was built', (_, main) => {
  describe.skipIf(!existsSync(main))('and an editor', () => {
    it('speaks the protocol', async () => {
      await using folder = await temporaryFolder({ '.git': '', 'a.json': UNKNOWN_TOOL });
      await using editor = new Editor(folder.path, { main });
      await editor.initialize();
      const uri = editor.uri('a.json');
      expect(await editor.execute('turnwise.evaluate', uri)).toMatchObject({ complete: true, sessions: 1 });
      expect(editor.shown.get(uri)).toContainEqual(expect.objectContaining({ code: 'unknown-tool' }));
      expect(await editor.leave()).toBe(0);
      expect(editor.garbage).toBe('');
    });

    it.each([true, false])(
      'call functions of a configuration in a process of their own where it is trusted: %s',
      async (trusted) => {
        const configuration = `
        const answer = { score: 0, reason: 'it took its time' };
        export default {
          custom: [{ name: 'pace', question: 'Was it fast?', scope: 'turn', scale: 'unit', evaluate: () => answer }],
          metrics: { pace: { threshold: 0.5 } },
        };`;
        await using folder = await temporaryFolder({ '.git': '', 'a.json': GOOD, 'turnwise.config.ts': configuration });
        await using editor = new Editor(folder.path, { main });
        await editor.initialize({ options: { trusted } });
        const uri = editor.uri('a.json');
        const refused = { severity: 'error', message: expect.stringContaining('does not run in an untrusted folder') };
        expect(await editor.execute('turnwise.evaluate', uri)).toMatchObject({
          complete: true,
          problems: trusted ? [] : [refused],
        });
        const lenses = await editor.connection.sendRequest(CodeLensRequest.type, { textDocument: { uri } });
        const titles = lenses?.map(({ command }) => command?.title) ?? [];
        expect(titles.some((title) => title === '✗ below its threshold · pace 0.00 / 1')).toBe(trusted);
      },
    );
  });
});
