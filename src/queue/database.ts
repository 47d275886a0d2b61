import { randomBytes } from 'node:crypto';
import type { Pool as PgPool, PoolClient } from 'pg';
import * as z from 'zod/mini';
import { errorMessage } from '../core/error-message.ts';
import { type Clock, SYSTEM_CLOCK } from '../llm/clock.ts';
import { QUEUE_TABLES, QUEUE_VERSION } from './tables.ts';

/** The queue cannot be used. The message is a sentence without the password. */
export class QueueUnavailable extends Error {
  override readonly name = 'QueueUnavailable';
}

export interface QueueDatabaseOptions {
  readonly signal: AbortSignal;
  /** Called with a sentence when the database does not answer and is tried again. */
  readonly warn: (sentence: string) => void;
  /** For tests. */
  readonly clock?: Clock;
}

/** A statement, whose effect is the same when it is carried out again. */
export interface QueueStatements {
  /** @throws QueueUnavailable, or the signal's reason */
  rows<Schema extends z.core.$ZodType>(
    schema: Schema,
    text: string,
    values?: readonly unknown[],
  ): Promise<z.output<Schema>[]>;
  /** @returns how many rows it changed. @throws QueueUnavailable, or the signal's reason */
  change(text: string, values?: readonly unknown[]): Promise<number>;
}

export interface QueueDatabase extends QueueStatements, AsyncDisposable {
  /** `host:port/database`, for messages. */
  readonly name: string;
  /** From which all workers of this database draw the boundaries of prompts, so that they share answers. */
  readonly boundaryKey: Uint8Array;
  /** Carries out several statements together. They are repeated from the start where the connection breaks. */
  transaction<Result>(work: (statements: QueueStatements) => Promise<Result>): Promise<Result>;
}

/** A process that evaluates needs few: leases, answers and heartbeats are short. */
const MAX_CONNECTIONS = 4;
const CONNECT_TIMEOUT_MS = 10_000;
/** After so long, a connection has broken without a word. */
const QUERY_TIMEOUT_MS = 60_000;

/** How long a database that does not answer is tried again: at the start, where an address may be wrong, and later. */
const START_PATIENCE_MS = 30_000;
const PATIENCE_MS = 600_000;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 5_000;

/** A number for the advisory lock under which the tables are created. */
const SETUP_LOCK = 7_187_663;

/**
 * Connects, and creates the tables where they are missing.
 *
 * @param url `postgres://…`
 * @throws QueueUnavailable
 */
export async function openQueueDatabase(url: string, options: QueueDatabaseOptions): Promise<QueueDatabase> {
  const name = databaseName(url);
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({
    connectionString: url,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    application_name: 'turnwise',
    keepAlive: true,
  });
  // A connection that breaks while nobody uses it: the next statement opens another.
  pool.on('error', () => undefined);
  try {
    const statements = new RetryingStatements(pool, name, options, START_PATIENCE_MS);
    const boundaryKey = await statements.transaction(createTables);
    return Object.assign(new RetryingStatements(pool, name, options, PATIENCE_MS), { boundaryKey });
  } catch (error) {
    await pool.end();
    throw error;
  }
}

/** @throws QueueUnavailable where it is no address of a Postgres database */
function databaseName(url: string): string {
  const parsed = URL.parse(url);
  if (!parsed || !/^postgres(?:ql)?:$/.test(parsed.protocol)) {
    throw new QueueUnavailable(
      'The queue needs the address of a Postgres database: postgres://USER@HOST:PORT/DATABASE.',
    );
  }
  const { hostname, port, pathname } = parsed;
  return `${hostname || 'localhost'}:${port || 5432}${pathname === '/' ? '' : pathname}`;
}

const settingSchema = z.object({ version: z.number(), boundary_key: z.string() });

/** @returns the key of the database. @throws QueueUnavailable */
async function createTables({ rows, change }: QueueStatements): Promise<Uint8Array> {
  await rows(z.unknown(), 'SELECT pg_advisory_xact_lock($1)', [SETUP_LOCK]);
  const [found] = await rows(
    z.object({ exists: z.boolean() }),
    "SELECT to_regclass('turnwise.setting') IS NOT NULL AS exists",
  );
  if (!found?.exists) {
    await change(QUEUE_TABLES);
    const key = randomBytes(32).toString('base64');
    await change('INSERT INTO turnwise.setting (version, boundary_key) VALUES ($1, $2)', [QUEUE_VERSION, key]);
  }
  const [setting] = await rows(settingSchema, 'SELECT version, boundary_key FROM turnwise.setting');
  if (!setting) throw new QueueUnavailable('The schema "turnwise" of the database is not a queue of Turnwise.');
  if (setting.version !== QUEUE_VERSION) {
    const older = setting.version < QUEUE_VERSION;
    throw new QueueUnavailable(
      `The queue was made by ${older ? 'an older' : 'a newer'} version of Turnwise (tables of version ${setting.version}, and this needs ${QUEUE_VERSION}). ${older ? 'When its runs are finished, drop the schema "turnwise".' : 'Update Turnwise here.'}`,
    );
  }
  return Buffer.from(setting.boundary_key, 'base64');
}

class RetryingStatements implements Omit<QueueDatabase, 'boundaryKey'> {
  readonly #pool: PgPool;
  readonly name: string;
  readonly #options: QueueDatabaseOptions;
  readonly #patienceMs: number;
  #hasWarned = false;

  constructor(pool: PgPool, name: string, options: QueueDatabaseOptions, patienceMs: number) {
    this.#pool = pool;
    this.name = name;
    this.#options = options;
    this.#patienceMs = patienceMs;
  }

  rows<Schema extends z.core.$ZodType>(schema: Schema, text: string, values: readonly unknown[] = []) {
    return this.#retry((client) => statementsOf(client).rows(schema, text, values));
  }

  change(text: string, values: readonly unknown[] = []): Promise<number> {
    return this.#retry((client) => statementsOf(client).change(text, values));
  }

  transaction<Result>(work: (statements: QueueStatements) => Promise<Result>): Promise<Result> {
    return this.#retry(async (client) => {
      await client.query('BEGIN');
      try {
        const result = await work(statementsOf(client));
        await client.query('COMMIT');
        return result;
      } catch (error) {
        await client.query('ROLLBACK').catch(() => undefined);
        throw error;
      }
    });
  }

  async #retry<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result> {
    const { signal, clock = SYSTEM_CLOCK, warn } = this.#options;
    const started = clock.now();
    for (let wait = FIRST_RETRY_MS; ; wait = Math.min(2 * wait, LAST_RETRY_MS)) {
      try {
        const result = await this.#once(work);
        this.#hasWarned = false;
        return result;
      } catch (error) {
        if (error instanceof QueueUnavailable || !isDatabaseError(error)) throw error;
        const reason = errorMessage(error) || errorCode(error);
        const sentence = `The queue at ${this.name} does not answer: ${reason}.`;
        if (!isTransient(error)) throw new QueueUnavailable(`The queue at ${this.name} cannot be used: ${reason}.`);
        if (clock.now() - started >= this.#patienceMs) throw new QueueUnavailable(sentence);
        if (!this.#hasWarned) warn(`${sentence} It is tried again.`);
        this.#hasWarned = true;
        // Workers that lost one database do not all come back at once.
        await clock.wait(wait * (0.5 + Math.random() / 2), signal);
      }
    }
  }

  async #once<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result> {
    const client = await this.#pool.connect();
    // Without a listener, a connection that breaks between two statements would end the process.
    const onError = () => undefined;
    client.on('error', onError);
    let failure: Error | undefined;
    try {
      return await work(client);
    } catch (error) {
      if (isTransient(error)) failure = error instanceof Error ? error : new Error(String(error));
      throw error;
    } finally {
      client.off('error', onError);
      // A broken connection is not used again.
      client.release(failure);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.end();
  }
}

function statementsOf(client: PoolClient): QueueStatements {
  return {
    async rows(schema, text, values = []) {
      const { rows } = await client.query<Record<string, unknown>>(text, [...values]);
      return rows.map((row) => z.parse(schema, row));
    },
    change: async (text, values) => (await client.query(text, values && [...values])).rowCount ?? 0,
  };
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

const BROKEN =
  /^(?:Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|Query read timeout)/;

/** Those of the driver: everything else is a defect of ours, and is not hidden. */
function isDatabaseError(error: unknown): boolean {
  return errorCode(error) !== '' || isTransient(error);
}

/** Whether it goes away: connections that break, a server that starts or shuts down, transactions that collide. */
function isTransient(error: unknown): boolean {
  const code = errorCode(error);
  if (/^(?:ECONN|EPIPE|ETIMEDOUT|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)/.test(code)) return true;
  if (/^(?:08...|53300|57P0[1-3]|40001|40P01)$/.test(code)) return true;
  return error instanceof Error && BROKEN.test(error.message);
}
