import { setTimeout } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { Tests } from '../../../support/vscode/suite.ts';
import { LARGE, SMALL } from '../names.ts';
import { file, firstLens, showDocument, typeLetters } from './documents.ts';
import { profileHost } from './host.ts';
import { waitUntilIdle } from './host-load.ts';
import { record } from './record.ts';

/** As the steps of the traces; how long the extension's own code keeps the host. */
export const profiledSteps: Tests = {
  async 'a large trace is opened'() {
    await showDocument(file(SMALL));
    await waitUntilIdle();
    await own('Opening', async () => {
      await showDocument(file(LARGE));
      await firstLens(file(LARGE));
    });
  },

  async 'it is evaluated'() {
    await own('Evaluating', async () => {
      await vscode.commands.executeCommand('turnwise.evaluate', file(LARGE).toString());
    });
  },

  async 'somebody types in it'() {
    await own('Typing', () => typeLetters(file(LARGE), LETTERS));
  },
};

const LETTERS = 20;
const AFTERMATH_MS = 1500;

async function own(name: string, act: () => Promise<void>): Promise<void> {
  const both = async (): Promise<void> => {
    await act();
    await setTimeout(AFTERMATH_MS);
  };
  const keep = `${file(name).fsPath}.cpuprofile`;
  const { total, longest } = await profileHost(both, '/dist/extension.cjs', keep);
  record({ [`longest${name}`]: longest, [`total${name}`]: total });
}
