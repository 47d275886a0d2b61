import { describe, expect, it } from 'vitest';
import {
  DidChangeWatchedFilesNotification,
  DidChangeWorkspaceFoldersNotification,
  DidDeleteFilesNotification,
  DidRenameFilesNotification,
  FileChangeType,
  type FileEvent,
} from 'vscode-languageserver/node';
import { DEFAULT_SCENARIOS } from '../../../src/core/scenario-file-names.ts';
import { clear, evaluate, sessions, traceFilesFound } from '../../../src/protocol/messages.ts';
import { sendRequest } from '../../../src/protocol/rpc.ts';
import { settingsChanged } from '../../../src/protocol/settings.ts';
import { ChangingFiles } from '../../unit/server/sync/changing-files.ts';
import { ConnectedEditor, trace } from '../connected-editor.ts';

const { Created, Changed, Deleted } = FileChangeType;
const A = '/ws/traces/a.trace.json';
const B = '/ws/traces/b.trace.json';
const C = '/ws/traces/c.trace.json';
const uri = (path: string) => `file://${path}`;

/** A server that has evaluated two files in a folder. */
async function evaluated() {
  const files = new ChangingFiles({ [A]: trace(), [B]: trace({ turns: 3 }) });
  const editor = await ConnectedEditor.to({ files, folders: ['/ws'] });
  await sendRequest(editor.connection, evaluate, { uris: [uri('/ws/traces')] });
  files.reads.length = 0;
  const tell = (changes: Readonly<Record<string, FileChangeType>>) =>
    editor.connection.sendNotification(DidChangeWatchedFilesNotification.type, {
      changes: Object.entries(changes).map(([path, type]) => ({ uri: uri(path), type })),
    });
  return { editor, files, tell, [Symbol.asyncDispose]: () => editor[Symbol.asyncDispose]() };
}

const both = { 'a.trace.json': 'fresh', 'b.trace.json': 'fresh' };

describe('a file with results', () => {
  it('is stale when another program writes it, and fresh when it is restored', async () => {
    await using there = await evaluated();
    const { editor, files, tell } = there;
    files.write(A, trace({ turns: 4 }));
    await tell({ [A]: Changed });
    await editor.untilStates({ ...both, 'a.trace.json': 'stale' });
    files.write(A, trace());
    await tell({ [A]: Changed });
    await editor.untilStates(both);
    expect(files.reads).toEqual([A, A]);
  });

  it('is read once per change, however often the change is reported', async () => {
    await using there = await evaluated();
    const { editor, files, tell } = there;
    files.write(A, trace({ turns: 4 }));
    await tell({ [A]: Changed });
    await tell({ [A]: Changed });
    await editor.untilStates({ ...both, 'a.trace.json': 'stale' });
    await tell({ [A]: Changed });
    files.delete(B);
    await tell({ [A]: Changed, [B]: Deleted });
    await editor.untilStates({ 'a.trace.json': 'stale', 'b.trace.json': 'gone' });
    expect(files.reads).toEqual([A]);
  });

  it('loses its results when it is deleted, and gets them back when it is restored', async () => {
    await using there = await evaluated();
    const { editor, files, tell } = there;
    const diagnostics = editor.shown.get(uri(A));
    expect(diagnostics).not.toHaveLength(0);
    files.delete(A);
    await tell({ [A]: Deleted });
    await editor.untilStates({ ...both, 'a.trace.json': 'gone' });
    await editor.until(() => editor.shown.get(uri(A))?.length === 0);
    files.write(A, trace());
    await tell({ [A]: Created });
    await editor.untilStates(both);
    await editor.until(() => editor.shown.get(uri(A))?.length === diagnostics?.length);
  });

  it('has the state of the disk after any kind of reported change', async () => {
    await using there = await evaluated();
    const { editor, files, tell } = there;
    // Written by putting another file in its place.
    files.write(A, trace({ turns: 4 }));
    await tell({ [A]: Deleted });
    await editor.untilStates({ ...both, 'a.trace.json': 'stale' });
  });

  it('loses its results when its folder is deleted', async () => {
    await using there = await evaluated();
    const { editor, files, tell } = there;
    files.delete(A);
    files.delete(B);
    await tell({ '/ws/traces': Deleted });
    await editor.untilStates({ 'a.trace.json': 'gone', 'b.trace.json': 'gone' });
  });

  it.each([
    ['its sidecar', '/ws/traces/a.turnwise.json', { ...both, 'a.trace.json': 'stale' }],
    ['the configuration', '/ws/turnwise.config.json', { 'a.trace.json': 'stale', 'b.trace.json': 'stale' }],
    [
      'a configuration that is nearer',
      '/ws/traces/turnwise.config.yaml',
      { 'a.trace.json': 'stale', 'b.trace.json': 'stale' },
    ],
  ])('is stale when %s appears, until it is evaluated with it', async (_, path, states) => {
    await using there = await evaluated();
    const { editor, files, tell } = there;
    files.write(path, '{"goal":"To test."}');
    await tell({ [path]: Created });
    await editor.untilStates(states);
    const changed = path.includes('config') ? 'configuration' : 'sidecar';
    expect((await editor.rows()).find(({ uri }) => uri.endsWith('/a.trace.json'))?.changed).toBe(changed);
    files.delete(path);
    await tell({ [path]: Deleted });
    await editor.untilStates(both);
  });

  it('depends on the sidecar that it was evaluated with', async () => {
    await using there = await evaluated();
    const { editor, files, tell } = there;
    const sidecar = '/ws/traces/a.turnwise.json';
    files.write(sidecar, '{"goal":"To test."}');
    await sendRequest(editor.connection, evaluate, { uris: [uri(A)] });
    await tell({ [sidecar]: Changed });
    files.write(sidecar, '{"goal":"Something else."}');
    await tell({ [sidecar]: Changed });
    await editor.untilStates({ ...both, 'a.trace.json': 'stale' });
    files.write(sidecar, '{"goal":"To test."}');
    await tell({ [sidecar]: Changed });
    await editor.untilStates(both);
  });
});

describe('a renamed file', () => {
  const keys = async (editor: ConnectedEditor) => {
    const { rows } = await sendRequest(editor.connection, sessions, { offset: 0, limit: 10 });
    return rows.map(({ key, state, location }) => [key.split('#')[0], state, location.uri]).sort();
  };

  it.each<[string, Readonly<Record<string, FileChangeType>>[]]>([
    ['told together', [{ [A]: Deleted, [C]: Created }]],
    ['told in another order', [{ [C]: Created, [A]: Deleted }]],
    ['told one after the other', [{ [A]: Deleted }, { [C]: Created }]],
    ['told the new one first', [{ [C]: Created }, { [A]: Deleted }]],
  ])('keeps its results, %s', async (_, batches) => {
    await using there = await evaluated();
    const { editor, files, tell } = there;
    files.rename(A, C);
    for (const batch of batches) await tell(batch);
    await editor.untilStates({ 'b.trace.json': 'fresh', 'c.trace.json': 'fresh' });
    expect(await keys(editor)).toEqual([
      [uri(B), 'fresh', uri(B)],
      [uri(C), 'fresh', uri(C)],
    ]);
    await editor.until(() => (editor.shown.get(uri(C))?.length ?? 0) > 0 && editor.shown.get(uri(A))?.length === 0);
  });

  it('keeps them when the editor reports the rename, also of its folder, without reading the file', async () => {
    await using there = await evaluated();
    const { editor, files } = there;
    files.rename(A, '/ws/old/a.trace.json');
    files.rename(B, '/ws/old/b.trace.json');
    await editor.connection.sendNotification(DidRenameFilesNotification.type, {
      files: [{ oldUri: uri('/ws/traces'), newUri: uri('/ws/old') }],
    });
    await editor.until(() => (editor.shown.get(uri('/ws/old/b.trace.json'))?.length ?? 0) > 0);
    expect(await keys(editor)).toEqual([
      [uri('/ws/old/a.trace.json'), 'fresh', uri('/ws/old/a.trace.json')],
      [uri('/ws/old/b.trace.json'), 'fresh', uri('/ws/old/b.trace.json')],
    ]);
  });

  it('loses them when its text differs', async () => {
    await using there = await evaluated();
    const { editor, files, tell } = there;
    files.rename(A, C);
    files.write(C, trace({ says: 'It is gone.' }));
    await tell({ [A]: Deleted, [C]: Created });
    await editor.untilStates({ 'a.trace.json': 'gone', 'b.trace.json': 'fresh', 'c.trace.json': 'new' });
  });

  it('is not searched for while no file is gone', async () => {
    await using there = await evaluated();
    const { editor, files, tell } = there;
    files.write(C, trace());
    await tell({ [C]: Created });
    await editor.untilStates({ ...both, 'c.trace.json': 'new' });
    expect(files.reads).toEqual([]);
  });

  it('is stale when its sidecar is not renamed with it', async () => {
    await using there = await evaluated();
    const { editor, files, tell } = there;
    files.write('/ws/traces/a.turnwise.json', '{"goal":"To test."}');
    await sendRequest(editor.connection, evaluate, { uris: [uri(A)] });
    files.rename(A, C);
    await tell({ [A]: Deleted, [C]: Created });
    await editor.untilStates({ 'b.trace.json': 'fresh', 'c.trace.json': 'stale' });
    files.rename('/ws/traces/a.turnwise.json', '/ws/traces/c.turnwise.json');
    await tell({ '/ws/traces/c.turnwise.json': Created });
    await editor.untilStates({ 'b.trace.json': 'fresh', 'c.trace.json': 'fresh' });
  });
});

describe('files deleted in the editor', () => {
  it('lose their results', async () => {
    await using there = await evaluated();
    const { editor, files } = there;
    files.delete(A);
    await editor.connection.sendNotification(DidDeleteFilesNotification.type, { files: [{ uri: uri(A) }] });
    await editor.untilStates({ ...both, 'a.trace.json': 'gone' });
  });
});

describe('candidate files', () => {
  const tellFound = (editor: ConnectedEditor, ...paths: readonly string[]) =>
    editor.connection.sendNotification(traceFilesFound.method, { uris: paths.map(uri) });

  it('are listed after evaluated files when the editor has found them', async () => {
    await using there = await evaluated();
    const { editor, files } = there;
    await tellFound(editor, C, A, '/ws/package.json');
    await editor.untilStates({ ...both, 'c.trace.json': 'new' });
    expect((await editor.rows()).at(-1)).toEqual({
      uri: uri(C),
      state: 'new',
      sessions: 0,
      headlines: expect.objectContaining({ failed: 0, clean: 0 }),
      risk: null,
      problems: [],
    });
    expect(files.reads).toEqual([]);
  });

  it('exclude configurations of this and other tools, also with wide globs', async () => {
    const files = new ChangingFiles({});
    await using editor = await ConnectedEditor.to({ files, folders: ['/.up/ws'], options: { traces: ['*.json'] } });
    const others = ['.vscode/settings.json', 'turnwise.config.json', 'a.turnwise.json', 'package.json'];
    await tellFound(editor, '/.up/ws/a.json', ...others.map((name) => `/.up/ws/${name}`));
    await editor.untilStates({ 'a.json': 'new' });
    const changes = others.map((name): FileEvent => ({ uri: uri(`/.up/ws/${name}`), type: Created }));
    await editor.connection.sendNotification(DidChangeWatchedFilesNotification.type, { changes });
    expect(await editor.states()).toEqual({ 'a.json': 'new' });
  });

  it('are removed when a new search does not find them', async () => {
    await using there = await evaluated();
    const { editor } = there;
    await tellFound(editor, A, C);
    await editor.untilStates({ ...both, 'c.trace.json': 'new' });
    await tellFound(editor, A);
    await editor.untilStates(both);
  });

  it('follow the disk', async () => {
    await using there = await evaluated();
    const { editor, tell } = there;
    await tell({ [C]: Created, '/ws/package.json': Created });
    await editor.untilStates({ ...both, 'c.trace.json': 'new' });
    await tell({ [C]: Deleted });
    await editor.untilStates(both);
  });

  it('are no longer candidates once evaluated, until the results are cleared', async () => {
    await using there = await evaluated();
    const { editor, files } = there;
    files.write(C, trace());
    await tellFound(editor, A, C);
    await editor.untilStates({ ...both, 'c.trace.json': 'new' });
    await sendRequest(editor.connection, evaluate, { uris: [uri(C)] });
    await editor.untilStates({ ...both, 'c.trace.json': 'fresh' });
    await sendRequest(editor.connection, clear, {});
    expect(await editor.states()).toEqual({ 'a.trace.json': 'new', 'c.trace.json': 'new' });
  });
});

describe('the watched files', () => {
  const patterns = (editor: ConnectedEditor) =>
    [...editor.watchers.values()].flat().map(({ globPattern, kind }) => {
      const pattern =
        typeof globPattern === 'string' ? globPattern : `${String(globPattern.baseUri)} ${globPattern.pattern}`;
      return kind === undefined ? pattern : `${pattern} (${kind})`;
    });

  it('are candidates and what affects their evaluation', async () => {
    await using editor = await ConnectedEditor.to({
      files: new ChangingFiles(),
      options: { traces: ['**/*.mine.json'] },
    });
    await editor.until(() => editor.watchers.size > 0);
    expect(patterns(editor)).toEqual([
      '**/*.mine.json',
      '**/*.turnwise.json',
      '**/{turnwise,agentest}.config.{ts,js,mjs,json,yaml,yml}',
      '**/test_config.json',
      '**/turnwise.risk.json',
      ...DEFAULT_SCENARIOS,
    ]);
    const now = { traces: ['runs/*.json'], lenses: true, inlayHints: true, evaluateOnSave: true, trusted: true };
    await editor.connection.sendNotification(settingsChanged.method, now);
    // Editors compare globs with absolute paths.
    await editor.until(() => patterns(editor)[0] === '**/runs/*.json' && editor.watchers.size === 1);
  });

  it('are the folders of files with results, until those are cleared', async () => {
    await using there = await evaluated();
    const { editor, files } = there;
    files.write('/elsewhere/d.json', trace());
    await sendRequest(editor.connection, evaluate, { uris: [uri('/elsewhere/d.json')] });
    await editor.until(() => editor.watchers.size === 3);
    expect(patterns(editor).slice(-3)).toEqual(['file:///ws/traces *', 'file:///ws traces (4)', 'file:///elsewhere *']);
    await sendRequest(editor.connection, evaluate, { uris: [uri('/ws')] });
    await sendRequest(editor.connection, clear, {});
    await editor.until(() => editor.watchers.size === 1);
  });

  it('are in the open folders', async () => {
    const files = new ChangingFiles();
    files.write('/later/deep/d.json', trace());
    await using editor = await ConnectedEditor.to({ files, folders: ['/ws'] });
    await editor.connection.sendNotification(DidChangeWorkspaceFoldersNotification.type, {
      event: { added: [{ uri: 'file:///later', name: 'later' }], removed: [{ uri: 'file:///ws', name: 'ws' }] },
    });
    await sendRequest(editor.connection, evaluate, { uris: [uri('/later/deep/d.json')] });
    await editor.until(() => editor.watchers.size === 2);
    expect(patterns(editor).slice(-2)).toEqual(['file:///later/deep *', 'file:///later deep (4)']);
  });
});
