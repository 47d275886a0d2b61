import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { DiagnosticSeverity, DidChangeWatchedFilesNotification, FileChangeType } from 'vscode-languageserver/node';
import { evaluateFiles } from '../../../src/app/evaluate-files.ts';
import { nodeFileSystem } from '../../../src/input/node-file-system.ts';
import { evaluate } from '../../../src/protocol/messages.ts';
import { sendRequest } from '../../../src/protocol/rpc.ts';
import { createEvaluateFiles } from '../../../src/server/features/model-requests.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { GOOD } from '../../support/traces.ts';
import { ConnectedEditor } from '../connected-editor.ts';

const CONFIGURATION = `{
  "tasks": { "by": "(?<task>.+)-\\\\d\\\\.json" },
  "gates": {
    "failOn": "never",
    "for": [
      { "task": "refund", "failOn": "low" },
      { "task": "refnd", "failOn": "low" }
    ]
  }
}`;

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const resource of open.splice(0).reverse()) await resource[Symbol.asyncDispose]();
});

async function workspace() {
  const folder = await temporaryFolder({
    '.git/HEAD': '',
    'traces/turnwise.config.json': CONFIGURATION,
    'traces/refund-1.json': GOOD,
    'traces/more/cancel-1.json': GOOD,
  });
  const editor = await ConnectedEditor.to({
    files: nodeFileSystem,
    folders: [folder.path],
    evaluateFiles: {
      create: (context) => createEvaluateFiles(context, evaluateFiles, { TURNWISE_HOME: join(folder.path, '.home') }),
    },
  });
  open.push(folder, editor);
  const uri = (name: string) => pathToFileURL(join(folder.path, name)).href;
  const configuration = uri('traces/turnwise.config.json');
  return {
    editor,
    configuration,
    evaluate: (...names: string[]) => sendRequest(editor.connection, evaluate, { uris: names.map(uri) }),
    write: (text: string) => writeFile(join(folder.path, 'traces/turnwise.config.json'), text),
    shown: () => editor.shown.get(configuration) ?? [],
  };
}

const WARNING = {
  range: { start: { line: 6 } },
  severity: DiagnosticSeverity.Warning,
  message:
    'gates.for[1].task "refnd" matches no task and has no effect. Use * for any characters. Tasks: cancel, refund.',
};

describe('an entry of gates.for that nothing matches', () => {
  it.each([['traces'], ['']])(
    'is marked in its configuration after a run over its whole folder: "%s"',
    async (folder) => {
      const { shown, evaluate: run } = await workspace();
      await run(folder);
      await expect.poll(shown).toMatchObject([WARNING]);
    },
  );

  it('is not marked after a run over files, or over a folder inside', async () => {
    const { shown, evaluate: run } = await workspace();
    await run('traces/refund-1.json', 'traces/more/cancel-1.json');
    await run('traces/more');
    expect(shown()).toEqual([]);
  });

  it('stays marked until its configuration changes, or a run over the whole folder finds a match', async () => {
    const { editor, shown, evaluate: run, write, configuration } = await workspace();
    await run('traces');
    await expect.poll(shown).toHaveLength(1);
    await run('traces/refund-1.json');
    expect(shown()).toHaveLength(1);

    await editor.connection.sendNotification(DidChangeWatchedFilesNotification.type, {
      changes: [{ uri: configuration, type: FileChangeType.Changed }],
    });
    await expect.poll(shown).toEqual([]);

    await run('traces');
    await expect.poll(shown).toHaveLength(1);
    await write(CONFIGURATION.replace('refnd', 'cancel'));
    await run('traces');
    await expect.poll(shown).toEqual([]);
  });
});
