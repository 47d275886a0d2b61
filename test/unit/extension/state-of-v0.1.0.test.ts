import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod/mini';
import manifest from '../../../package.json' with { type: 'json' };
import { ApiKeys } from '../../../src/extension/api-keys.ts';
import type { LanguageServer, LanguageServerConnection } from '../../../src/extension/language-server.ts';
import { panelState } from '../../../src/protocol/panel.ts';
import { fakeServer } from './fake-server.ts';

/** Settings that a user of 0.1.0 may have changed. */
const SETTINGS = {
  'turnwise.traces': ['runs/*.json'],
  'turnwise.lenses': false,
  'turnwise.inlayHints': false,
  'turnwise.evaluateOnSave': false,
  'turnwise.revealOnSelect': false,
};

vi.mock('vscode', async () => {
  const fake = await import('./fake-vscode.ts');
  const getConfiguration = (section: string) => ({
    get: (name: string) => Object.entries(SETTINGS).find(([id]) => id === `${section}.${name}`)?.[1],
  });
  return {
    ...fake,
    commands: { executeCommand: async () => undefined },
    workspace: { ...fake.workspace, getConfiguration, isTrusted: true, workspaceFolders: undefined },
  };
});
const { ResultsModel } = await import('../../../src/extension/results-model.ts');
const { currentSettings } = await import('../../../src/extension/settings.ts');
const { ViewSettingsStore } = await import('../../../src/extension/view-settings.ts');
const { StateRestore } = await import('../../../src/extension/state-restore.ts');

/** The workspace state as 0.1.0 left it. */
function workspaceState() {
  const values = new Map<string, unknown>([
    ['turnwise.kept', true],
    ['turnwise.grouping', 'verdict'],
  ]);
  return {
    keys: () => [...values.keys()],
    get: (key: string) => values.get(key),
    update: async (key: string, value: unknown) => void values.set(key, value),
  };
}

describe('the state of an extension of version 0.1.0', () => {
  it('makes the server restore the results', async () => {
    const onStart: ((connection: LanguageServerConnection) => Promise<void>)[] = [];
    const server: Pick<LanguageServer, 'state' | 'onStart'> = { state: 'on', onStart: (run) => void onStart.push(run) };
    const model = new ResultsModel(fakeServer({}).server, { warn: () => {} });
    const restoring = new StateRestore(server, model, workspaceState());
    expect(restoring.hasStoredResults).toBe(true);
    const sent: string[] = [];
    const connection: LanguageServerConnection = {
      sendNotification: async () => {},
      sendRequest: async (method: string) => {
        sent.push(method);
        return { files: 2 };
      },
    };
    for (const run of onStart) await run(connection);
    expect(sent).toEqual(['turnwise/restore']);
  });

  it('keeps the grouping of the Results view', () => {
    expect(new ViewSettingsStore(workspaceState(), async () => {}).value).toMatchObject({
      grouping: 'outcome',
      problemsOnly: false,
    });
  });

  it('keeps API keys', async () => {
    const secrets = new Map([['turnwise.keys', '[["api.example.com","key-a"],["models.example.com:8443","key-b"]]']]);
    const keys = new ApiKeys({
      get: async (name) => secrets.get(name),
      store: async (name, value) => void secrets.set(name, value),
      delete: async (name) => void secrets.delete(name),
    });
    expect(await keys.hosts()).toEqual(['api.example.com', 'models.example.com:8443']);
    expect(await keys.get('models.example.com:8443')).toBe('key-b');
  });

  it('keeps the session and the turn of a report panel', () => {
    const state = { session: 'file:///t/a.json#one', turn: 3, view: { tab: 'failures' } };
    expect(z.parse(panelState, state)).toEqual(state);
    expect(manifest.activationEvents).toContain('onWebviewPanel:turnwise.report');
  });

  it('keeps the settings', () => {
    expect(Object.keys(manifest.contributes.configuration.properties)).toEqual(
      expect.arrayContaining(Object.keys(SETTINGS)),
    );
    expect(currentSettings()).toEqual({
      traces: ['runs/*.json'],
      lenses: false,
      inlayHints: false,
      evaluateOnSave: false,
      editorModelsOnSave: false,
      evaluateOnChange: 'evaluated',
      livePort: 4318,
      liveMaxSize: 500,
      liveKeepDays: 30,
      liveNotify: true,
      trusted: true,
    });
  });
});
