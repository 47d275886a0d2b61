import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import * as l10n from '@vscode/l10n';
import { environmentWithKeys } from '../../app/host-keys.ts';
import { type ModelHost, remoteModelHosts } from '../../app/model-hosts.ts';
import { requiredModels } from '../../app/required-models.ts';
import { estimateTestTokens, testConnection } from '../../app/test-connection.ts';
import { testEmbedder } from '../../app/test-embedder.ts';
import { hostOf } from '../../core/model-host.ts';
import { ModelError, RequestRejected } from '../../llm/model-error.ts';
import { fetchModelNames } from '../../llm/model-list.ts';
import { NO_EDITOR_MODELS } from '../../llm/providers/editor.ts';
import type {
  EmbedderTest,
  EmbedderTestParams,
  JudgeTest,
  JudgeTestParams,
  ModelList,
  ModelListParams,
} from '../../protocol/models.ts';
import type { Environment } from '../../store/home.ts';
import { findApiKey } from '../consent/api-keys.ts';
import type { Editor } from '../editor.ts';
import { loadFolderConfiguration } from '../evaluation/folder-configuration.ts';
import { embedderFlags, judgeFlags } from './model-flags.ts';

type ConnectionEditor = Pick<
  Editor,
  'isTrusted' | 'findKey' | 'choose' | 'hasTurnwiseExtension' | 'listEditorModels' | 'askEditorModel'
>;

/** The names of the models of a server that the user chose. */
export async function answerListModels(
  { provider, baseUrl, key, use }: ModelListParams,
  editor: ConnectionEditor,
  env: Environment,
  signal: AbortSignal,
): Promise<ModelList> {
  if (!editor.isTrusted()) return { error: untrustedMessage(), cause: 'other' };
  const host = { host: hostOf(baseUrl) ?? baseUrl, baseUrls: [baseUrl] };
  const used = key ?? (await findApiKey(host, editor, env)) ?? undefined;
  try {
    return { models: await fetchModelNames({ provider, baseUrl, key: used, use }, signal) };
  } catch (cause) {
    if (!(cause instanceof ModelError)) throw cause;
    return { error: cause.message, cause: listErrorCause(cause) };
  }
}

function listErrorCause(error: ModelError): 'unreachable' | 'key' | 'other' {
  if (error.kind === 'connection' || error.kind === 'timeout') return 'unreachable';
  return error instanceof RequestRejected && (error.status === 401 || error.status === 403) ? 'key' : 'other';
}

/**
 * Tests a judge that the user chose, or else the one of the configuration. A folder can name any host, so that the user is asked
 * before a key goes to the latter.
 */
export async function answerTestJudge(
  { uri, judge, key }: JudgeTestParams,
  editor: ConnectionEditor,
  env: Environment,
  signal: AbortSignal,
): Promise<JudgeTest> {
  if (!editor.isTrusted()) return failed(untrustedMessage());
  const loaded = await loadFolderConfiguration(fileURLToPath(uri), editor, judge ? judgeFlags(judge) : {});
  const { configuration } = loaded;
  if (!configuration) return failed(problemsText(loaded));
  const model = requiredModels(configuration).judge;
  const [host] = model ? remoteModelHosts({ judge: model, byMetric: new Map(), embedder: null }) : [];
  if (!model || !host) return failed(l10n.t('The configuration names no judge on a server. Choose a judge first.'));
  if (host.isEditor && !editor.hasTurnwiseExtension()) return failed(NO_EDITOR_MODELS);
  if (!judge && !host.isLoopback && !(await confirmTest(host, editor))) return { status: 'cancelled' };
  const keyed = { ...loaded.keys, ...env };
  const used = host.isEditor ? null : (key ?? (await findApiKey(host, editor, keyed)));
  const keys = new Map(used === null ? [] : [[host.host, used] as const]);
  const answer = await testConnection(model, configuration, environmentWithKeys([host], keys, env), {
    signal,
    editorModels: host.isEditor ? { models: await editor.listEditorModels(), ask: editor.askEditorModel } : undefined,
  });
  if (signal.aborted) return { status: 'cancelled' };
  return typeof answer === 'string' ? failed(answer) : { status: 'answered', ...answer };
}

/** Tests an embedder that the user chose. */
export async function answerTestEmbedder(
  { uri, embedder, key }: EmbedderTestParams,
  editor: ConnectionEditor,
  env: Environment,
  signal: AbortSignal,
): Promise<EmbedderTest> {
  if (!editor.isTrusted()) return failed(untrustedMessage());
  const loaded = await loadFolderConfiguration(fileURLToPath(uri), editor, embedderFlags(embedder));
  const { configuration } = loaded;
  if (!configuration) return failed(problemsText(loaded));
  const hosts = remoteModelHosts({
    judge: null,
    byMetric: new Map(),
    embedder: requiredModels(configuration).embedder,
  });
  const keys = new Map<string, string>();
  for (const host of hosts) {
    const used = key ?? (await findApiKey(host, editor, { ...loaded.keys, ...env }));
    if (used !== null) keys.set(host.host, used);
  }
  const answer = await testEmbedder(configuration, environmentWithKeys(hosts, keys, env), { signal });
  if (signal.aborted) return { status: 'cancelled' };
  return typeof answer === 'string' ? failed(answer) : { status: 'answered', ...answer };
}

function problemsText({ problems }: Pick<Awaited<ReturnType<typeof loadFolderConfiguration>>, 'problems'>): string {
  return problems.map(({ file, message }) => `${file}: ${message}`).join(' ');
}

async function confirmTest({ host, isEditor }: ModelHost, { choose }: ConnectionEditor): Promise<boolean> {
  const tokens = estimateTestTokens();
  const text = isEditor
    ? l10n.t('Send one question of about {0} tokens to {1}? It contains no text of a trace.', tokens, host)
    : l10n.t(
        'Send one question of about {0} tokens to {1}, with its API key? It contains no text of a trace.',
        tokens,
        host,
      );
  const question = {
    id: `connection test ${randomUUID()}`,
    title: l10n.t('Waiting: send a test question to {0}?', host),
    text,
    buttons: { send: l10n.t('Send') },
  };
  return (await choose(question)) === 'send';
}

function untrustedMessage(): string {
  return l10n.t('This folder is not trusted, so no model was used and no key was read. Trust the folder to use them.');
}

function failed(error: string): { readonly status: 'failed'; readonly error: string } {
  return { status: 'failed', error };
}
