import { randomUUID } from 'node:crypto';
import { basename, resolve } from 'node:path';
import * as l10n from '@vscode/l10n';
import { estimateUsage } from '../../app/estimate.ts';
import { environmentWithKeys } from '../../app/host-keys.ts';
import { type ModelHost, modelDisplayName, remoteModelHosts } from '../../app/model-hosts.ts';
import { requiredModels, requiredSimulator } from '../../app/required-models.ts';
import { staticModelFolder } from '../../app/static-model.ts';
import type { Configuration } from '../../config/schema.ts';
import { withoutEmbedder, withoutJudges, withoutModels } from '../../config/without-models.ts';
import { raceAbort } from '../../core/async/race-abort.ts';
import { EDITOR_PROVIDER } from '../../core/editor-models.ts';
import type { Session } from '../../core/session.ts';
import type { EditorModels } from '../../llm/providers/editor.ts';
import type { Environment } from '../../store/home.ts';
import { traceFolders } from '../disk/open-folders.ts';
import type { ModelEditor } from '../editor.ts';
import { findApiKey, requiredKeyVariable } from './api-keys.ts';
import { type Consent, consentQuestion } from './consent.ts';
import { isLargeRun, largeRunAnswers, largeRunQuestion, largeRunTitle, limitedCalls } from './large-run.ts';

/** What an evaluation wants to do. */
export interface AccessRequest {
  /** Nobody asked for models: no question is asked, and none is used. */
  readonly rulesOnly: boolean;
  /** Nobody asked for the evaluation: a judge in the editor is not used, and no other in its place. */
  readonly withoutEditorModels: boolean;
  readonly sessions: readonly Session[];
  readonly configuration: Configuration;
  /** Files and folders to evaluate. */
  readonly paths: readonly string[];
  /** The folder for paths outside all open folders. */
  readonly cwd: string;
  /** Keys that configurations lead to, for servers that the editor and the environment have none for. */
  readonly keys: Environment;
  readonly signal: AbortSignal;
  /** Awaited before the user is asked and a judge is used: what needs no judge need not wait for either. */
  readonly beforeJudge: () => Promise<void>;
  /** Called with what the evaluation waits for, while the user is asked. */
  readonly onWait: (what: string) => void;
}

/** What else wants to use the models of a configuration: a run of scenarios, or the tool of a coding agent. */
export type ModelUseRequest = Pick<AccessRequest, 'configuration' | 'paths' | 'cwd' | 'keys' | 'signal' | 'onWait'>;

/** What an evaluation may do. */
export interface AccessDecision {
  readonly configuration: Configuration;
  /** With keys for exactly the hosts that it may ask. */
  readonly env: Environment;
  readonly hosts: readonly ModelHost[];
  readonly keys: ReadonlyMap<string, string>;
  /** The editor's own models, where it may ask any. */
  readonly editorModels?: EditorModels | undefined;
  /** Whether models were not used although the configuration names some that may be used. */
  readonly rulesOnly?: boolean;
  /** Why access is limited, one sentence each. */
  readonly reasons: readonly string[];
  /** About how many calls a judge gets; null where it is not known. */
  readonly calls: number | null;
  /** The user cancelled the evaluation. */
  readonly isCancelled: boolean;
}

/** Decides which models an evaluation may use: those that the user allows and that have a key. */
export class ModelAccess {
  readonly #editor: ModelEditor;
  readonly #consent: Pick<Consent, 'request' | 'path'>;
  readonly #env: Environment;

  /** @param env the process environment: the data folder, and keys that the editor does not store. */
  constructor(editor: ModelEditor, consent: Pick<Consent, 'request' | 'path'>, env: Environment) {
    this.#editor = editor;
    this.#consent = consent;
    this.#env = env;
  }

  /** Never rejects. Asks nothing once it is aborted. */
  async decide(request: AccessRequest): Promise<AccessDecision> {
    const { configuration, sessions } = request;
    if (!this.#editor.isTrusted()) return this.#decideUntrusted(request);
    const hosts = remoteModelHosts(requiredModels(configuration));
    const isLeftOut = request.withoutEditorModels && hosts.some(({ isEditor }) => isEditor);
    if (request.rulesOnly || isLeftOut) {
      return { ...this.#decision(withoutModels(configuration)), rulesOnly: true };
    }
    if (hosts.length === 0) return this.#decision(configuration);
    if (sessions.length === 0) return this.#decision(withoutModels(configuration));
    if (hosts.some(({ isJudge }) => isJudge)) await request.beforeJudge();
    const decision = await this.allowModels(request);
    return request.signal.aborted ? decision : this.#confirmLargeRun(decision, request);
  }

  /** The models that may be used where the user has agreed to what they take. Asks nothing once it is aborted. */
  async allowModels(request: ModelUseRequest): Promise<AccessDecision> {
    const { configuration, signal } = request;
    const hosts = remoteModelHosts(requiredModels(configuration));
    const { left, keys, reasons } = await this.#permittedModels(hosts, request);
    if (signal.aborted) return this.#decision(withoutModels(configuration));
    const decision = this.#decision(left, reasons, keys);
    const editorModels = decision.hosts.some(({ isEditor }) => isEditor) ? await this.#editorModels() : undefined;
    return { ...decision, editorModels };
  }

  /**
   * Whether a model may play the users of scenarios. Asks nothing once it is aborted.
   *
   * @returns the environment with its key, or sentences that say why not.
   */
  async allowSimulator(request: ModelUseRequest): Promise<Environment | string> {
    const judge = requiredSimulator(request.configuration);
    if (judge?.provider === EDITOR_PROVIDER) {
      return l10n.t(
        "The editor's own models only judge. Name another model in {0} to play users.",
        '`simulation.simulator`',
      );
    }
    const hosts = judge ? remoteModelHosts({ judge, byMetric: new Map(), embedder: null }) : [];
    const keys = new Map<string, string>();
    for (const host of hosts) {
      const sentence = (await this.#whyNot(host, request)) ?? (await this.#takeKey(host, keys, request));
      if (request.signal.aborted) return CANCELLED;
      if (sentence !== null) return `${sentence} ${l10n.t('Its user was not simulated.')}`;
    }
    return environmentWithKeys(hosts, keys, this.#env);
  }

  /** Without any model, not even one in a folder that the configuration names: its files may come from anybody. */
  #decideUntrusted({ configuration, sessions, rulesOnly }: AccessRequest): AccessDecision {
    const folder = staticModelFolder(configuration);
    const ofFolder =
      folder === null ? [] : [modelDisplayName({ provider: 'static', model: basename(resolve(folder)) })];
    const hosts = remoteModelHosts(requiredModels(configuration));
    const models = [...hosts.flatMap((host) => host.models), ...ofFolder];
    if (models.length === 0) return this.#decision(configuration);
    const left = withoutEmbedder(withoutModels(configuration));
    if (rulesOnly || sessions.length === 0) return this.#decision(left);
    const sentence = untrustedMessage(models);
    this.#editor.notify(sentence);
    return this.#decision(left, [sentence]);
  }

  /** The configuration without the models that may not be used. */
  async #permittedModels(
    hosts: readonly ModelHost[],
    request: ModelUseRequest,
  ): Promise<{ left: Configuration; keys: Map<string, string>; reasons: string[] }> {
    let left = request.configuration;
    const keys = new Map<string, string>();
    const reasons: string[] = [];
    for (const host of hosts) {
      // When a judge is dropped, no other judge takes its place.
      if (!remoteModelHosts(requiredModels(left)).some(({ host: name }) => name === host.host)) continue;
      const sentence = (await this.#whyNot(host, request)) ?? (await this.#takeKey(host, keys, request));
      if (request.signal.aborted) break;
      if (sentence === null) continue;
      reasons.push(`${sentence} ${consequence(host)}`);
      if (host.isJudge) left = withoutJudges(left);
      if (host.isEmbedder) left = withoutEmbedder(left);
    }
    return { left, keys, reasons };
  }

  async #editorModels(): Promise<EditorModels> {
    const { listEditorModels, askEditorModel } = this.#editor;
    return { models: await listEditorModels(), ask: askEditorModel };
  }

  async #whyNot(host: ModelHost, { paths, cwd, signal, onWait }: ModelUseRequest): Promise<string | null> {
    if (host.isLoopback) return null;
    if (host.isEditor && !this.#editor.hasTurnwiseExtension()) {
      return l10n.t(
        "{0} was not used: the editor's own models answer only in VS Code, with the Turnwise extension.",
        host.models.join(', '),
      );
    }
    const open = await raceAbort(traceFolders(paths, cwd, this.#editor), signal);
    if (open === null) return CANCELLED;
    const { folders, isMultiRoot: isOneOfSeveral } = open;
    for (const folder of folders) {
      const sending = {
        folder,
        host,
        isMultiRoot: isOneOfSeveral,
        onWait,
      };
      const chosen = this.#consent.request(sending);
      const decision = await this.#editor.questions.waitFor(consentQuestion(sending), chosen, signal);
      if (decision === 'never') {
        return `${l10n.t('{0} was not used: consent to send traces of {1} is set to Never.', host.host, folder)} ${this.#howToReset()}`;
      }
      if (decision !== 'allow') {
        return l10n.t(
          '{0} was not used: there is no consent to send traces of {1}. You are asked again when the language server restarts.',
          host.host,
          folder,
        );
      }
    }
    return null;
  }

  /** How the user can change the decision. */
  #howToReset(): string {
    return this.#editor.hasTurnwiseExtension()
      ? l10n.t('To be asked again, run "Turnwise: Reset Trace-Sharing Consent".')
      : l10n.t('To be asked again, delete {0}.', this.#consent.path);
  }

  /** @returns why the host is not used without a key; null where it may be used. */
  async #takeKey(
    host: ModelHost,
    keys: Map<string, string>,
    { keys: configured, signal }: ModelUseRequest,
  ): Promise<string | null> {
    if (host.isEditor) return null;
    const key = await raceAbort(findApiKey(host, this.#editor, { ...configured, ...this.#env }), signal);
    if (key !== null) keys.set(host.host, key);
    const variable = requiredKeyVariable(host);
    if (key !== null || signal.aborted || variable === null) return null;
    const sentence = l10n.t('{0} requires an API key and was not used.', host.host);
    const how = this.#editor.hasTurnwiseExtension()
      ? l10n.t('Run "Turnwise: Set API Key".')
      : l10n.t('Set {0} in the environment of the editor.', variable);
    this.#editor.reportMissingKey(
      host.host,
      null,
      this.#editor.hasTurnwiseExtension() ? sentence : `${sentence} ${how}`,
    );
    return `${sentence} ${how}`;
  }

  /** Asks the user before a large run. */
  async #confirmLargeRun(access: AccessDecision, { sessions, signal, onWait }: AccessRequest): Promise<AccessDecision> {
    // The estimate takes as long as the rules, so it is made only where a judge is used.
    if (!access.hosts.some(({ isJudge }) => isJudge)) return access;
    const { configuration, env, reasons } = access;
    const estimate = await estimateUsage(sessions, configuration, {
      env,
      signal,
      cache: true,
      editorModels: access.editorModels,
    });
    const counted = { ...access, calls: limitedCalls(estimate, configuration.judge) };
    if (signal.aborted || !isLargeRun(estimate, configuration.judge)) return counted;
    const question = {
      id: `large run ${randomUUID()}`,
      title: largeRunTitle(estimate, configuration.judge),
      text: largeRunQuestion(estimate, configuration.judge),
      buttons: largeRunAnswers(),
    };
    onWait(l10n.t('Waiting for confirmation (large run)'));
    const answer = await this.#editor.questions.waitFor(question.id, this.#editor.choose(question), signal);
    if (answer === 'continue') return counted;
    const local = this.#decision(withoutModels(configuration), reasons);
    if (answer === 'cancel') return { ...local, isCancelled: true };
    return { ...local, reasons: [...reasons, l10n.t('No model was used: you chose rules only for this evaluation.')] };
  }

  #decision(
    configuration: Configuration,
    reasons: readonly string[] = [],
    keys: ReadonlyMap<string, string> = new Map(),
  ): AccessDecision {
    const hosts = remoteModelHosts(requiredModels(configuration));
    return {
      configuration,
      hosts,
      keys,
      reasons,
      calls: null,
      isCancelled: false,
      env: environmentWithKeys(hosts, keys, this.#env),
    };
  }
}

/** Never shown: the evaluation is cancelled. */
const CANCELLED = l10n.t('The evaluation was stopped.');

function untrustedMessage(models: readonly string[]): string {
  return l10n.t(
    'This folder is not trusted, so no model was used ({0}) and no key was read. Trust the folder to use them.',
    models.join(', '),
  );
}

function consequence({ isJudge, isEmbedder }: ModelHost): string {
  const judge = isJudge ? [l10n.t('Metrics that need a judge were not scored.')] : [];
  const embedder = isEmbedder ? [l10n.t('Texts were compared by their words.')] : [];
  return [...judge, ...embedder].join(' ');
}
