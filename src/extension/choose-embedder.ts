import { basename } from 'node:path';
import * as vscode from 'vscode';
import { type EmbedderChoice, type EmbedderTest, saveEmbedder, testEmbedder } from '../protocol/models.ts';
import { withCancellableProgress } from './cancellable-progress.ts';
import type { ChooseModelContext } from './choose-judge.ts';
import { escapeLabel } from './labels.ts';
import { pickServerModel } from './model-picker.ts';
import {
  type EnteredKey,
  type ModelTestOutcome,
  saveWithKey,
  setupTarget,
  showSaved,
  testUntilDecided,
} from './model-setup.ts';
import { findServers } from './running-servers.ts';
import { type ChoiceItem, type PickedServer, pickChoice, serverItems } from './server-picker.ts';

type PickedEmbedder = { readonly kind: 'words' } | { readonly kind: 'folder'; readonly path: string } | PickedServer;

/** An embedder that is ready to be tested, or needs no test. */
interface EmbedderSetup {
  readonly embedder: EmbedderChoice;
  readonly key: EnteredKey | null;
}

/**
 * Lets the user choose what compares texts by meaning: a model on a server or in a folder, which embeds a test before it and its key
 * are saved, or words only. Escape or an error before the end leaves settings, files and keys as they were. The open trace is then
 * evaluated.
 */
export async function chooseEmbedder(context: ChooseModelContext): Promise<void> {
  const { server, keys, log, evaluation, reports } = context;
  const { uri, trace } = setupTarget(context);
  const setup = await setUpEmbedder(uri, context);
  if (!setup) return;
  const { embedder, key, answered } = setup;
  const { written } = await saveWithKey(key, keys, () =>
    server.request(saveEmbedder, { uri: uri.toString(), embedder }),
  );
  const evaluated = answered === null ? undefined : trace;
  showSaved({ answered, written, evaluated }, log);
  if (evaluated) await evaluation.run([evaluated], reports.active ? 'here' : 'view');
}

/** Undefined: the user cancelled. */
async function setUpEmbedder(
  uri: vscode.Uri,
  { server, keys }: Pick<ChooseModelContext, 'server' | 'keys'>,
): Promise<(EmbedderSetup & { readonly answered: string | null }) | undefined> {
  for (let replacesKey = false; ; replacesKey = true) {
    const picked = await pickEmbedder();
    if (!picked) return undefined;
    if (picked.kind === 'words') return { embedder: { provider: 'lexical' }, key: null, answered: null };
    const setup = await setUp(picked, { server, keys, replacesKey });
    if (!setup) return undefined;
    const tested = await testUntilDecided(() => test(uri, setup, server));
    if (tested === 'change') continue;
    return tested && { ...setup, ...tested };
  }
}

function pickEmbedder(): Promise<PickedEmbedder | undefined> {
  const local: ChoiceItem<PickedEmbedder>[] = [
    {
      label: vscode.l10n.t('Words Only'),
      description: vscode.l10n.t('no model is used and nothing is sent'),
      pick: async () => ({ kind: 'words' }),
    },
    {
      label: vscode.l10n.t('Model in a Folder…'),
      description: vscode.l10n.t('saved by model2vec; nothing is sent'),
      pick: pickFolder,
    },
  ];
  const items = findServers('embedder').then((servers) =>
    serverItems(
      servers.filter(({ server }) => !server.hasNoEmbedders),
      local,
    ),
  );
  return pickChoice(vscode.l10n.t('Choose an embedder'), items);
}

async function pickFolder(): Promise<PickedEmbedder | undefined> {
  const [folder] =
    (await vscode.window.showOpenDialog({
      title: vscode.l10n.t('Folder of the Model'),
      openLabel: vscode.l10n.t('Use Model'),
      canSelectFolders: true,
      canSelectFiles: false,
    })) ?? [];
  return folder && { kind: 'folder', path: folder.fsPath };
}

async function setUp(
  picked: Exclude<PickedEmbedder, { readonly kind: 'words' }>,
  options: Pick<ChooseModelContext, 'server' | 'keys'> & { readonly replacesKey: boolean },
): Promise<EmbedderSetup | undefined> {
  if (picked.kind === 'folder') return { embedder: { provider: 'static', model: picked.path }, key: null };
  const setup = await pickServerModel(picked, { ...options, use: 'embedder' });
  if (!setup) return undefined;
  const { model, host, key } = setup;
  return { embedder: model, key: key === null ? null : { host, key } };
}

async function test(
  uri: vscode.Uri,
  { embedder, key }: EmbedderSetup,
  server: ChooseModelContext['server'],
): Promise<ModelTestOutcome> {
  const params = { uri: uri.toString(), embedder, ...(key && { key: key.key }) };
  const name = embedder.provider === 'lexical' ? embedder.provider : basename(embedder.model);
  const result = await withCancellableProgress(vscode.l10n.t('Testing {0}…', escapeLabel(name)), (token) =>
    server.request(testEmbedder, params, token),
  );
  if (result?.status === 'answered') return { answered: embeddedMessage(result) };
  return {
    problem: result?.status === 'failed' ? escapeLabel(result.error) : vscode.l10n.t('The test was cancelled.'),
  };
}

/** `nomic-embed-text answered in 0.1 s (768 dimensions).` */
function embeddedMessage({ model, dimensions, ms }: Extract<EmbedderTest, { status: 'answered' }>): string {
  const seconds = (Math.max(ms, 100) / 1000).toFixed(1);
  return vscode.l10n.t('{0} answered in {1} s ({2} dimensions).', escapeLabel(model), seconds, dimensions);
}
