import { dirname, resolve } from 'node:path';
import { environmentWithKeys } from '../app/host-keys.ts';
import { type ModelHost, remoteModelHosts } from '../app/model-hosts.ts';
import { requiredModels } from '../app/required-models.ts';
import { vendorKeyVariable } from '../config/agentest.ts';
import type { LoadedConfiguration } from '../config/load.ts';
import type { Configuration } from '../config/schema.ts';
import { hostOf } from '../core/model-host.ts';
import { shellWord } from '../core/text/shell-word.ts';
import { readKey, requiresKey, serverKeyVariable } from '../llm/api-keys.ts';
import { sanitizeLine } from '../reports/terminal-text.ts';
import { ConsentFile } from '../store/consent-file.ts';
import { dataFolder, type Environment } from '../store/home.ts';
import type { EvalArguments } from './eval-options.ts';
import type { CommandHost } from './host.ts';
import { trustedInEnvironment } from './trusted-hosts.ts';
import { UsageError } from './usage-error.ts';

export interface SendingRequest {
  readonly configuration: Configuration;
  /** Where the configuration comes from. */
  readonly loaded: Pick<LoadedConfiguration, 'file' | 'agentestFile' | 'keys'>;
  readonly args: Pick<EvalArguments, 'judgeUrl' | 'embedderUrl' | 'yes' | 'quiet'>;
  readonly signal: AbortSignal;
}

/**
 * Whether traces and keys may be sent to the hosts of a run's models. The command line, the environment and the user's own
 * consents decide it. A configuration file belongs to a folder that may come from anybody, so it decides nothing.
 *
 * @returns the environment, with keys for exactly the hosts that may get them.
 * @throws UsageError if a host may not get traces.
 */
export async function requireConsent(request: SendingRequest, host: CommandHost): Promise<Environment> {
  const { configuration, loaded, args } = request;
  const env = { ...host.env, ...loaded.keys };
  const hosts = remoteModelHosts(requiredModels(configuration));
  if (hosts.every(({ isLoopback }) => isLoopback)) return env;
  const consents = new ConsentFile(resolve(host.cwd, dataFolder(host.env)));
  const named = new Set([
    hostOf(args.judgeUrl ?? ''),
    hostOf(args.embedderUrl ?? ''),
    ...trustedInEnvironment(host.env),
  ]);
  const folder = dirname(resolve(host.cwd, loaded.file ?? loaded.agentestFile ?? '.'));
  const keys = new Map<string, string>();
  const refused: ModelHost[] = [];
  for (const modelHost of hosts) {
    const { host: name, baseUrls, isLoopback } = modelHost;
    const isNamed = isLoopback || named.has(name) || baseUrls.every((baseUrl) => hasOwnKey(baseUrl, host.env, loaded));
    const answer = isNamed ? 'allow' : await consents.find(folder, name);
    const isAllowed = answer === 'allow' || (answer === null && !args.yes && (await ask(modelHost, request, host)));
    if (isAllowed && answer === null) await keep(consents, folder, name);
    const source = isAllowed ? env : loaded.keys;
    const key = baseUrls.map((baseUrl) => readKey(baseUrl, source)).find((found) => found !== undefined);
    if (key !== undefined) keys.set(name, key);
    if (isAllowed) continue;
    if (answer === 'never' || !args.yes) refused.push(modelHost);
    else if (key === undefined && readKey(baseUrls[0] ?? '', env) !== undefined) await warnOfKey(name, request, host);
  }
  request.signal.throwIfAborted();
  if (refused.length > 0) throw new UsageError(refusal(refused, request));
  return environmentWithKeys(hosts, keys, env);
}

/** Whether the environment has a key for a vendor's host alone: a user who sets it means that host. */
function hasOwnKey(baseUrl: string, env: Environment, { keys }: Pick<LoadedConfiguration, 'keys'>): boolean {
  if (requiresKey(baseUrl)) return readKey(baseUrl, env) !== undefined;
  const variable = vendorKeyVariable(baseUrl);
  const key = variable === null ? undefined : env[variable];
  return key !== undefined && keys[serverKeyVariable(baseUrl)] === key;
}

/** Asks at the terminal. @returns false also where there is none. */
async function ask(modelHost: ModelHost, request: SendingRequest, host: CommandHost): Promise<boolean> {
  const { host: name, baseUrls, models } = modelHost;
  const hasKey = baseUrls.some((baseUrl) => readKey(baseUrl, host.env) !== undefined);
  const what = hasKey ? 'text of your traces and the key in TURNWISE_API_KEY' : 'text of your traces';
  const question = `${configurationName(request)} sends ${what} to ${name} (${models.join(', ')}).\nAllow it for this configuration from now on? [y/N] `;
  const answer = await host.ask(question, request.signal);
  return /^y(es)?$/i.test(answer?.trim() ?? '');
}

/** An answer that cannot be stored counts for this run. */
async function keep(consents: ConsentFile, folder: string, host: string): Promise<void> {
  await consents.append({ folder, host, answer: 'allow' }).catch(() => undefined);
}

async function warnOfKey(name: string, request: SendingRequest, { stderr }: CommandHost): Promise<void> {
  if (request.args.quiet) return;
  const advice = `To send it: turnwise trust ${shellWord(name)}`;
  await stderr.write(
    `turnwise: TURNWISE_API_KEY is not sent to ${name}, which only ${configurationName(request)} names. ${advice}\n`,
  );
}

function refusal(refused: readonly ModelHost[], request: SendingRequest): string {
  const names = refused.map(({ host, models }) => `${host} (${models.join(', ')})`).join(' and ');
  const command = ['turnwise trust', ...refused.map(({ host }) => shellWord(host))].join(' ');
  return `${configurationName(request)} sends text of your traces to ${names}, which you have not allowed. Nothing was sent. To allow it, run:\n${command}`;
}

function configurationName({ loaded: { file, agentestFile } }: SendingRequest): string {
  return sanitizeLine(file ?? agentestFile ?? 'The configuration');
}
