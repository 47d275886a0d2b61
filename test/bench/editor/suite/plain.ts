import * as vscode from 'vscode';
import type { Tests } from '../../../support/vscode/suite.ts';
import { LARGE_PLAIN, NO_LANGUAGE, SMALL } from '../names.ts';
import { file, revertDocument, showDocument, typeLetters } from './documents.ts';
import { measureHostLoad, waitUntilIdle } from './host-load.ts';

import { record } from './record.ts';

const LETTERS = 20;

/** The same with files that no one knows for traces: what VS Code takes by itself. */
export const plainSteps: Tests = {
  async 'a large JSON file is opened'() {
    await showDocument(file(SMALL));
    await waitUntilIdle();
    const load = await measureHostLoad(() => showDocument(file(LARGE_PLAIN)));
    record({ openedPlain: load.made, blockOpeningPlain: load.longestBlock, workOpeningPlain: load.longestWork });
  },

  async 'somebody types in it'() {
    const load = await measureHostLoad(() => typeLetters(file(LARGE_PLAIN), LETTERS));
    record({
      blockTypingPlain: load.longestBlock,
      workTypingPlain: load.longestWork,
      busyTypingPlain: load.busy / LETTERS,
    });
    await revertDocument();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  },

  async 'a large file of no language is opened'() {
    record({ openedNoLanguage: await showDocument(file(NO_LANGUAGE)) });
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  },

  async 'the extension is activated'() {
    const extension = vscode.extensions.getExtension('turnwise.turnwise');
    if (!extension || extension.isActive) throw new Error('The extension was active before it was asked for.');
    const started = performance.now();
    await extension.activate();
    record({ activatedOnDemand: performance.now() - started });
  },
};
