import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { standalone } from './app.ts';
import { failingTurn, recording, sampleReport, turn } from './recording.ts';

const BUNDLE = join(import.meta.dirname, '..', '..', 'l10n', 'bundle.l10n.de.json');

it('shows a report in the language of the editor', async () => {
  await using app = await standalone();
  const log = recording(sampleReport([turn(0), failingTurn(1)]));
  await using open = await app.open(log, { translations: await readFile(BUNDLE, 'utf8') });
  const tabs = open.page.getByRole('tab');
  await open.page.getByRole('tab', { name: 'Transkript' }).waitFor();
  const titles = (await tabs.allTextContents()).map((title) => title.replace(/\s*\d+$/, ''));
  expect(titles).toEqual(['Transkript', 'Probleme', 'Metriken', 'Zeitachse', 'Lauf']);
  expect(await open.page.getByPlaceholder('Suchen').count()).toBe(1);
});
