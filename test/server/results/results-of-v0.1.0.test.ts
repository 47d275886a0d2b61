import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { deflateSync, inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { nodeFileSystem } from '../../../src/input/node-file-system.ts';
import { setSeverity, suppress } from '../../../src/protocol/finding-edits.ts';
import { restore, sessionProblems, sessions } from '../../../src/protocol/messages.ts';
import { sessionKey } from '../../../src/protocol/panel.ts';
import { resultsOutline } from '../../../src/protocol/results-outline.ts';
import { sendRequest } from '../../../src/protocol/rpc.ts';
import { openResultsStore } from '../../../src/store/results-store.ts';
import { ORIGINAL_FOLDER, workspaceOfV010 } from '../../support/workspace-of-v0.1.0.ts';
import { ConnectedEditor } from '../connected-editor.ts';

const PAGE = { offset: 0, limit: 100 };
const CONFIGURATION = 'turnwise.config.json';

/** Stored paths are absolute: replaces the folder in them. */
function moveResults(database: string, folder: string): void {
  using db = new DatabaseSync(database);
  const originalUri = pathToFileURL(ORIGINAL_FOLDER).href;
  const move = (_: string, value: unknown): unknown => {
    if (typeof value !== 'string') return value;
    if (value.startsWith(`${ORIGINAL_FOLDER}/`)) return join(folder, value.slice(ORIGINAL_FOLDER.length + 1));
    return value.replace(originalUri, pathToFileURL(folder).href);
  };
  for (const { path = null, content } of db.prepare('SELECT path, content FROM result').all()) {
    if (!(content instanceof Uint8Array)) throw new Error('A result has no content.');
    const moved = deflateSync(JSON.stringify(JSON.parse(inflateSync(content).toString(), move)));
    db.prepare('UPDATE result SET path = ?, content = ?, bytes = ? WHERE path = ?').run(
      String(move('', path)),
      moved,
      moved.length,
      path,
    );
  }
}

/** A window of this version that restores the results of 0.1.0. */
async function restored() {
  const { folder, home, ...workspace } = await workspaceOfV010();
  const warnings: string[] = [];
  const store = openResultsStore(home, { warn: (sentence) => warnings.push(sentence) });
  moveResults(store.file, folder);
  const window = await ConnectedEditor.to({ files: nodeFileSystem, store, folders: [folder] });
  const uri = (name: string) => pathToFileURL(join(folder, 'traces', name)).href;
  return {
    folder,
    window,
    warnings,
    uri,
    restore: () => sendRequest(window.connection, restore, { folders: [pathToFileURL(folder).href] }),
    async [Symbol.asyncDispose]() {
      await window[Symbol.asyncDispose]();
      store[Symbol.dispose]();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

const PLAN = 'plan-change-four-attempts.json';
const REFUND = 'refund-claimed-after-error.json';

describe('results stored by 0.1.0', () => {
  it('are restored as they were, with the current ids of rules', async () => {
    await using there = await restored();
    const { window } = there;
    expect(await there.restore()).toEqual({ files: 2 });
    expect(there.warnings).toEqual([]);
    expect(await window.states()).toEqual({ [PLAN]: 'fresh', [REFUND]: 'fresh' });
    const { rows } = await sendRequest(window.connection, sessions, PAGE);
    const problems = await Promise.all(
      rows.map(async ({ id, key, verdict }) => {
        const { rows } = await sendRequest(window.connection, sessionProblems, { session: key, ...PAGE });
        return [id, verdict, ...rows.map(({ turn, rule, label }) => `${turn} ${rule ?? label}`)];
      }),
    );
    expect(problems.sort()).toEqual([
      [
        'refund-claimed-after-error',
        'failed',
        '0 amount-stated',
        '1 success-after-error',
        '1 ungrounded-value',
        '1 error-repeated-unchanged',
        '1 amount-stated',
        '1 ungrounded-argument',
      ],
      ['task-12-trial-0', 'passed', '2 amount-stated'],
      ['task-12-trial-1', 'passed', '1 amount-stated', '3 amount-stated', '3 selection-from-search'],
      ['task-12-trial-2', 'passed', '1 amount-stated', '2 error-repeated-unchanged'],
      ['task-12-trial-3', 'passed', '1 amount-stated', '2 selection-from-search'],
    ]);
    await window.until(() => window.shown.size === 2);
    expect(window.shown.get(there.uri(PLAN))?.map(({ code }) => code)).toContain('selection-from-search');
    expect(await sendRequest(window.connection, resultsOutline, PAGE)).toMatchObject({ judges: ['judge-1'] });
  });

  it('become outdated when their sidecar changes', async () => {
    await using there = await restored();
    await writeFile(join(there.folder, 'traces', 'plan-change-four-attempts.turnwise.json'), '{}');
    await there.restore();
    expect(await there.window.states()).toEqual({ [PLAN]: 'stale', [REFUND]: 'fresh' });
  });

  it('can be suppressed and given a severity', async () => {
    await using there = await restored();
    await there.restore();
    const { connection } = there.window;
    const finding = { uri: there.uri(PLAN), rule: 'selection-from-search' };
    const session = sessionKey(finding.uri, 'task-12-trial-1');
    const reason = 'The customer chose it.';
    expect(await sendRequest(connection, suppress, { ...finding, session, turn: 3, reason })).toHaveProperty('written');
    expect(await sendRequest(connection, setSeverity, { ...finding, level: 'high' })).toHaveProperty('written');
    const rules = JSON.parse(await readFile(join(there.folder, CONFIGURATION), 'utf8')).rules;
    expect(rules).toMatchObject({ 'selection-from-search': 'high' });
  });
});
