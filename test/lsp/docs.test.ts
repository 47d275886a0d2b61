import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { initialization } from '../../src/protocol/settings.ts';
import { parseInitialization } from '../../src/server/editor-settings.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { Editor } from './editor.ts';

const PAGE = join(import.meta.dirname, '..', '..', 'docs', 'editors.md');

/** The rows of the tables below a heading, by the name in their first column. */
async function table(heading: string): Promise<Map<string, readonly string[]>> {
  const [, section = ''] = (await readFile(PAGE, 'utf8')).split(`\n## ${heading}\n`);
  const [own = ''] = section.split('\n## ');
  const rows = own.matchAll(/^\| `([^`]+)` \|(.*)\|$/gm);
  return new Map(
    Array.from(rows, ([, name = '', cells = '']) => [name, cells.split(' | ').map((cell) => cell.trim())]),
  );
}

it('lists every option of the language server with its default', async () => {
  const rows = await table('Options');
  expect([...rows.keys()].sort()).toEqual(Object.keys(initialization.shape).sort());
  const { traces, ...defaults } = parseInitialization({});
  for (const [name, value] of Object.entries(defaults)) expect(rows.get(name)?.[0], name).toBe(`\`${value}\``);
  expect(rows.get('traces')?.[0]).toContain(traces[0]);
});

it('lists every command of the language server', async () => {
  await using folder = await temporaryFolder();
  await using editor = new Editor(folder.path);
  const { capabilities } = await editor.initialize();
  expect([...(await table('Commands')).keys()]).toEqual(capabilities.executeCommandProvider?.commands);
});
