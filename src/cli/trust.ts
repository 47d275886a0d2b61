import { resolve } from 'node:path';
import { didYouMean } from '../config/suggest.ts';
import { EDITOR_PROVIDER } from '../core/editor-models.ts';
import { errorMessage } from '../core/error-message.ts';
import { EXIT_CODES } from '../core/verdict.ts';
import { padEnd, sanitizeLine } from '../reports/terminal-text.ts';
import { type ConsentAnswer, ConsentFile } from '../store/consent-file.ts';
import { dataFolder } from '../store/home.ts';
import type { CommandHost } from './host.ts';
import { writeStdout } from './output-file.ts';
import { parseHost, trustedInEnvironment } from './trusted-hosts.ts';
import { UsageError } from './usage-error.ts';

export interface TrustArguments {
  readonly revoke?: true;
}

/** `turnwise trust`. @returns the exit code. @throws UsageError */
export async function trustCommand(
  texts: readonly string[],
  { revoke }: TrustArguments,
  host: CommandHost,
): Promise<number> {
  const consents = new ConsentFile(resolve(host.cwd, dataFolder(host.env)));
  // The editor's own models are listed by their vendor, which is no host: it can be revoked, and is allowed in the editor.
  const isListed = (text: string) => revoke === true && text.startsWith(`${EDITOR_PROVIDER}:`);
  const hosts = [...new Set(texts.map((text) => (isListed(text) ? text : parseHost(text, 'turnwise trust'))))];
  if (revoke) await revokeHosts(hosts, consents, host);
  else if (hosts.length > 0) await trustHosts(hosts, consents, host);
  else await writeStdout(listLines(await consents.list(), trustedInEnvironment(host.env), consents.path), host);
  return EXIT_CODES.passed;
}

async function trustHosts(hosts: readonly string[], consents: ConsentFile, { stdout }: CommandHost): Promise<void> {
  for (const host of hosts) {
    await stored(consents, () => consents.append({ folder: null, host, answer: 'allow' }));
    await stdout.write(
      `${host} is trusted: configurations may send it text of traces, and the key in TURNWISE_API_KEY.\n`,
    );
  }
}

async function revokeHosts(hosts: readonly string[], consents: ConsentFile, { stdout }: CommandHost): Promise<void> {
  if (hosts.length === 0) throw new UsageError('--revoke requires a host: turnwise trust --revoke HOST.');
  const known = new Set((await consents.list()).map(({ host }) => host));
  const unknown = hosts.find((host) => !known.has(host));
  if (unknown !== undefined) {
    throw new UsageError(
      `No answer is stored about ${unknown}.${didYouMean(unknown, known)} \`turnwise trust\` lists them.`,
    );
  }
  for (const host of hosts) {
    await stored(consents, () => consents.revoke(host));
    await stdout.write(`${host} is no longer trusted, in no folder.\n`);
  }
}

/** @throws UsageError */
async function stored({ path }: ConsentFile, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    throw new UsageError(`${path} cannot be written: ${errorMessage(error)}.`);
  }
}

function* listLines(answers: readonly ConsentAnswer[], env: readonly string[], path: string): Generator<string> {
  const rows = [
    ...env.map((host) => [host, 'allowed', 'this environment (TURNWISE_TRUSTED_HOSTS)'] as const),
    ...answers.map(({ host, answer, folder }) => {
      return [host, answer === 'allow' ? 'allowed' : 'never', folder ?? 'all folders'] as const;
    }),
  ].map(([host, ...row]) => [sanitizeLine(host), ...row] as const);
  if (rows.length === 0) {
    yield 'No host is trusted. `turnwise trust HOST` trusts one.\n';
    return;
  }
  const width = Math.max(...rows.map(([host]) => host.length));
  yield `${padEnd('host', width)}  traces   where\n`;
  for (const [host, answer, where] of rows) {
    yield `${padEnd(host, width)}  ${padEnd(answer, 7)}  ${sanitizeLine(where)}\n`;
  }
  if (answers.length > 0) yield `\nStored in ${sanitizeLine(path)}. \`turnwise trust --revoke HOST\` removes a host.\n`;
}
