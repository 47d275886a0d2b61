import { setTimeout } from 'node:timers/promises';
import * as vscode from 'vscode';
import { processesOf } from '../../../support/vscode/processes.ts';
import type { Tests } from '../../../support/vscode/suite.ts';
import { withTimeout } from '../../../support/vscode/timeout.ts';
import { computeSpread } from '../figures.ts';
import { LARGE, LONG, NO_TOOL, SMALL, TOOL } from '../names.ts';
import { file, firstLens, revertDocument, showDocument, typeLetters } from './documents.ts';
import { busyOf, hostMemory, memoryOf } from './host.ts';
import { measureHostLoad, waitUntilIdle } from './host-load.ts';
import { record } from './record.ts';

const LETTERS = 20;
const EDITS = 3;

/** What happens in a window whose folder has traces that are known by their names. */
export const traceSteps: Tests = {
  async 'a large trace is opened'() {
    await extension().activate();
    await showDocument(file(SMALL));
    await waitUntilIdle();
    record({ hostMemoryBefore: hostMemory() });
    const uri = file(LARGE);
    const load = await measureHostLoad(async () => {
      const started = performance.now();
      const editor = await showDocument(uri);
      await firstLens(uri);
      return { opened: editor, lens: performance.now() - started };
    });
    record({
      opened: load.made.opened,
      firstLens: load.made.lens,
      blockOpening: load.longestBlock,
      workOpening: load.longestWork,
    });
    record({ hostMemoryOpened: hostMemory(), serverMemoryBefore: memoryOf(server()) });
  },

  async 'it is evaluated'() {
    const uri = file(LARGE);
    const load = await measureHostLoad(async () => {
      const started = performance.now();
      await vscode.commands.executeCommand('turnwise.evaluate', uri.toString());
      return performance.now() - started;
    });
    record({ evaluated: load.made, blockEvaluating: load.longestBlock, workEvaluating: load.longestWork });
    record({ hostMemoryEvaluated: hostMemory(), serverMemoryEvaluated: memoryOf(server()) });
  },

  async 'it is closed and opened again'() {
    const uri = file(LARGE);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await showDocument(uri);
    const started = performance.now();
    await firstLens(uri);
    record({ lensAgain: performance.now() - started });
  },

  async 'somebody types in it'() {
    const before = busyOf(server());
    const load = await measureHostLoad(() => typeLetters(file(LARGE), LETTERS));
    record({
      blockTyping: load.longestBlock,
      workTyping: load.longestWork,
      busyTyping: load.busy / LETTERS,
      serverTyping: (busyOf(server()) - before) / LETTERS,
    });
    await revertDocument();
  },

  async 'one turn of a long session is edited and saved'() {
    const uri = file(LONG);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await showDocument(uri);
    const started = performance.now();
    await vscode.commands.executeCommand('turnwise.evaluate', uri.toString());
    record({ longEvaluated: performance.now() - started });
    const times: number[] = [];
    for (let edit = 0; edit < EDITS; edit += 1) {
      times.push(await misnamed(uri, true));
      times.push(await misnamed(uri, false));
    }
    record({ longSaved: computeSpread(times)?.median ?? Number.NaN, longSavedMost: Math.max(...times) });
  },

  async 'all is cleared'() {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await vscode.commands.executeCommand('turnwise.clear');
    await setTimeout(AFTER_CLEARING_MS);
    record({ hostMemoryCleared: hostMemory(), serverMemoryCleared: memoryOf(server()) });
  },
};

const AFTER_CLEARING_MS = 3000;

/** Edits a turn in the middle so that its tool is unknown, or known again. @returns from saving to seeing it. */
async function misnamed(uri: vscode.Uri, isWrong: boolean): Promise<number> {
  const document = await vscode.workspace.openTextDocument(uri);
  const [from, to] = isWrong ? [TOOL, NO_TOOL] : [NO_TOOL, TOOL];
  const text = document.getText();
  const at = isWrong ? text.indexOf(from, text.length / 2) : text.indexOf(from);
  if (at < 0) throw new Error(`"${from}" is not in ${uri.path}.`);
  const edit = new vscode.WorkspaceEdit();
  edit.replace(uri, new vscode.Range(document.positionAt(at), document.positionAt(at + from.length)), to);
  await vscode.workspace.applyEdit(edit);
  // What follows from the edit itself is over.
  await setTimeout(500);
  const before = findings(uri);
  const started = performance.now();
  const seen = changed(uri, () => findings(uri) !== before);
  await document.save();
  await withTimeout(30_000, 'what is found after saving', seen);
  return performance.now() - started;
}

function findings(uri: vscode.Uri): number {
  return vscode.languages.getDiagnostics(uri).filter(({ source }) => source === 'Turnwise').length;
}

async function changed(uri: vscode.Uri, isSo: () => boolean): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const listener = vscode.languages.onDidChangeDiagnostics(({ uris }) => {
    if (uris.some((one) => one.toString() === uri.toString()) && isSo()) resolve();
  });
  await promise;
  listener.dispose();
}

function extension(): vscode.Extension<unknown> {
  const extension = vscode.extensions.getExtension('turnwise.turnwise');
  if (!extension) throw new Error('The extension is not installed.');
  return extension;
}

function server(): number {
  const [id] = processesOf(vscode.Uri.joinPath(extension().extensionUri, 'dist', 'server.js').fsPath);
  if (id === undefined) throw new Error('The language server does not run.');
  return id;
}
