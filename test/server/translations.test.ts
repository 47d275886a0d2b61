import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, vi } from 'vitest';
import { CodeActionRequest, CodeLensRequest } from 'vscode-languageserver/node';
import { evaluateFiles } from '../../src/app/evaluate-files.ts';
import { nodeFileSystem } from '../../src/input/node-file-system.ts';
import { evaluate } from '../../src/protocol/messages.ts';
import { sendRequest } from '../../src/protocol/rpc.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { UNKNOWN_TOOL } from '../support/traces.ts';

// Before the modules of the server load, as the extension does when it starts the server.
await vi.hoisted(async () => {
  const { join } = await import('node:path');
  process.env.TURNWISE_L10N_BUNDLE = join(import.meta.dirname, '..', '..', 'l10n', 'bundle.l10n.de.json');
});
await import('../../src/server/load-translations.ts');
const { ConnectedEditor } = await import('./connected-editor.ts');

it('shows lenses and actions in the language of the editor', async () => {
  await using folder = await temporaryFolder({ '.git': '', 'chat.json': UNKNOWN_TOOL });
  await using editor = await ConnectedEditor.to({ files: nodeFileSystem, folders: [folder.path], evaluateFiles });
  const uri = pathToFileURL(join(folder.path, 'chat.json')).href;
  const textDocument = { uri };
  await sendRequest(editor.connection, evaluate, { uris: [uri] });
  const lenses = await editor.connection.sendRequest(CodeLensRequest.type, { textDocument });
  expect(lenses?.map(({ command }) => command?.title)).toEqual([expect.stringMatching(/Risiko/), expect.any(String)]);
  const range = { start: { line: 22, character: 8 }, end: { line: 29, character: 9 } };
  const actions = await editor.connection.sendRequest(CodeActionRequest.type, {
    textDocument,
    range,
    context: { diagnostics: [] },
  });
  expect(actions?.map(({ title }) => title)).toContain('Schweregrad von unknown-tool festlegen…');
});
