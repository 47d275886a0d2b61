import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import type { Problem } from '../core/problem.ts';
import { sanitizeLine } from '../core/sanitize.ts';
import { problemSchema } from '../core/schemas/report.ts';
import type { Verdict } from '../core/verdict.ts';
import type { QueueDatabase } from './database.ts';
import { type QueuedRun, queuedRunSchema } from './definition.ts';

/** Tries of a session without an outcome before it is parked. */
export const MAX_TRIES = 3;

const ABANDONED = 'The worker that evaluated it ended.';

/** A session to be added, as text. */
export interface QueuedRow {
  readonly id: string;
  /** In the input, from 0. */
  readonly position: number;
  readonly hash: string;
  readonly content: string;
}

/** A session that this worker evaluates, for as long as its heartbeats go on. */
export interface SessionLease {
  readonly run: string;
  readonly session: string;
  readonly token: string;
  readonly content: string;
  /** From 1. */
  readonly attempt: number;
  /** Whether a worker ended while it had this session: it is evaluated alone, so that no other session is blamed for it. */
  readonly isSuspect: boolean;
}

/** How far a run is. */
export interface QueueProgress {
  readonly sessions: number;
  readonly waiting: number;
  readonly leased: number;
  readonly done: number;
  readonly parked: number;
  /** Whether all its sessions are in. */
  readonly isQueued: boolean;
  /** Workers that evaluate sessions of it now. */
  readonly workers: number;
}

/** What became of a session: an outcome, or why there is none. */
export interface QueuedResult {
  readonly session: string;
  readonly content: string;
  readonly outcome: string | null;
  readonly reason: string | null;
}

export interface ParkedSession {
  readonly session: string;
  readonly reason: string;
}

export interface RunOutcome {
  readonly verdict: Verdict;
  readonly sessions: number;
  readonly parked: number;
  /** What could not be read or done, whatever the verdict. */
  readonly errors: number;
}

/** A run as `turnwise status` shows it. */
export interface QueuedRunState extends QueueProgress {
  readonly id: string;
  readonly name: string | null;
  readonly createdAt: string;
  /** `waiting` for sessions, a worker or a report. */
  readonly state: 'queuing' | 'running' | 'evaluated' | 'reported' | 'finished';
  readonly verdict: string | null;
  /** See `RunOutcome`. */
  readonly errors: number;
  /** Whether the command that queued it waits for it. */
  readonly isAwaited: boolean;
}

const count = z.number();
const progressSchema = z.object({
  sessions: count,
  waiting: count,
  leased: count,
  done: count,
  parked: count,
  isQueued: z.boolean(),
  workers: count,
});

const PROGRESS = `
  count(s.id)::int AS sessions,
  count(*) FILTER (WHERE s.state = 'waiting')::int AS waiting,
  count(*) FILTER (WHERE s.state = 'leased')::int AS leased,
  count(*) FILTER (WHERE s.state = 'done')::int AS done,
  count(*) FILTER (WHERE s.state = 'parked')::int AS parked,
  (r.queued_at IS NOT NULL) AS "isQueued",
  count(DISTINCT s.worker) FILTER (WHERE s.state = 'leased' AND s.leased_until >= now())::int AS workers`;

const definitionRow = z.object({ definition: z.string() });

/** The runs and sessions in a database, as one worker sees them. Sessions of a worker that ended are leased again. */
export class SessionQueue {
  readonly database: QueueDatabase;
  /** Of this process. */
  readonly worker = randomUUID();
  /** How long a session waits for a worker without heartbeats. */
  readonly leaseMs: number;

  constructor(database: QueueDatabase, leaseMs: number) {
    this.database = database;
    this.leaseMs = leaseMs;
  }

  get heartbeatMs(): number {
    return this.leaseMs / 3;
  }

  /** Adds a run, or finds the one that the same command queued and that was never collected. @returns what it was queued with */
  async openRun(identity: string, run: QueuedRun): Promise<QueuedRun> {
    await this.#prune();
    await this.database.change(
      'INSERT INTO turnwise.run (id, identity, definition) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
      [run.plan.id, identity, JSON.stringify(run)],
    );
    const [row] = await this.database.rows(
      definitionRow,
      'SELECT definition FROM turnwise.run WHERE identity = $1 AND collected_at IS NULL',
      [identity],
    );
    if (!row) throw new Error('The run was deleted from the queue while it was added.');
    return parseDefinition(row.definition);
  }

  /** Says that this process waits for a run. @returns false where another one does, or has it all */
  async claimRun(run: string): Promise<boolean> {
    const claimed = await this.database.change(
      `UPDATE turnwise.run SET owner = $2, owner_until = ${this.#until}
       WHERE id = $1 AND collected_at IS NULL AND (owner = $2 OR coalesce(owner_until, '-infinity') < now())`,
      [run, this.worker],
    );
    return claimed > 0;
  }

  /** Begins to add the sessions of a run. A report that a worker made of others is gone. @returns the round to add them with */
  async beginRound(run: string): Promise<number> {
    const [row] = await this.database.rows(
      z.object({ round: z.number() }),
      `UPDATE turnwise.run SET round = round + 1, queued_at = NULL, reported_at = NULL, reporter_until = NULL, record = NULL, verdict = NULL
       WHERE id = $1 RETURNING round`,
      [run],
    );
    if (!row) throw new Error('The run was deleted from the queue.');
    return row.round;
  }

  /** Adds sessions. One that is there already keeps its outcome, unless its content changed. */
  async add(run: string, round: number, sessions: readonly QueuedRow[]): Promise<void> {
    const changed = 's.hash <> excluded.hash';
    await this.database.change(
      `INSERT INTO turnwise.session AS s (run, round, id, position, hash, content)
       SELECT $1, $2, * FROM unnest($3::text[], $4::int[], $5::text[], $6::text[])
       ON CONFLICT (run, id) DO UPDATE SET
         round = excluded.round, position = excluded.position, hash = excluded.hash, content = excluded.content,
         state = CASE WHEN ${changed} THEN 'waiting' ELSE s.state END,
         tries = CASE WHEN ${changed} THEN 0 ELSE s.tries END,
         lost = CASE WHEN ${changed} THEN 0 ELSE s.lost END,
         lease = CASE WHEN ${changed} THEN NULL ELSE s.lease END,
         reason = CASE WHEN ${changed} THEN NULL ELSE s.reason END,
         outcome = CASE WHEN ${changed} THEN NULL ELSE s.outcome END`,
      [
        run,
        round,
        sessions.map(({ id }) => textOf(id)),
        sessions.map(({ position }) => position),
        sessions.map(({ hash }) => hash),
        sessions.map(({ content }) => content),
      ],
    );
  }

  /**
   * Ends the adding of sessions: those that an earlier round added, and this one did not, are gone.
   *
   * @param problems of the files that the sessions are from
   */
  async endRound(run: string, round: number, problems: readonly Problem[]): Promise<void> {
    await this.database.transaction(async ({ change }) => {
      await change('DELETE FROM turnwise.session WHERE run = $1 AND round < $2', [run, round]);
      await change('UPDATE turnwise.run SET queued_at = now(), problems = $3 WHERE id = $1 AND round = $2', [
        run,
        round,
        JSON.stringify(problems),
      ]);
    });
  }

  /** The oldest run that has a session to evaluate, or a report to make. @param except ids of runs that this worker refuses */
  async nextRun(except: readonly string[]): Promise<QueuedRun | null> {
    await this.#expire();
    const [row] = await this.database.rows(
      definitionRow,
      `SELECT r.definition FROM turnwise.run r
       WHERE r.collected_at IS NULL AND r.reported_at IS NULL AND NOT r.id = ANY($1)
         AND (EXISTS (SELECT 1 FROM turnwise.session s WHERE s.run = r.id AND ${LEASABLE}) OR ${REPORTABLE})
       ORDER BY r.created_at LIMIT 1`,
      [except],
    );
    return row ? parseDefinition(row.definition) : null;
  }

  /** Whether a run is not evaluated completely, or nobody made its report. @param except ids of runs that this worker refuses */
  async hasOpenRuns(except: readonly string[]): Promise<boolean> {
    const rows = await this.database.rows(
      z.unknown(),
      `SELECT 1 FROM turnwise.run r
       WHERE r.collected_at IS NULL AND r.reported_at IS NULL AND NOT r.id = ANY($1)
         AND (r.queued_at IS NOT NULL OR r.owner_until > now()) LIMIT 1`,
      [except],
    );
    return rows.length > 0;
  }

  /** Leases a session for this worker. Null where none waits. Those that may have ended a worker come last. */
  async lease(run: string): Promise<SessionLease | null> {
    const token = randomUUID();
    const [row] = await this.database.rows(
      z.object({ id: z.string(), content: z.string(), tries: z.number(), lost: z.number() }),
      `UPDATE turnwise.session SET state = 'leased', lease = $2, worker = $3, tries = tries + 1, leased_until = ${this.#until}
       WHERE run = $1 AND id = (
         SELECT s.id FROM turnwise.session s WHERE s.run = $1 AND ${LEASABLE}
         ORDER BY s.lost, s.position LIMIT 1 FOR UPDATE SKIP LOCKED)
       RETURNING id, content, tries, lost`,
      [run, token, this.worker],
    );
    if (!row) return null;
    return { run, session: idOf(row.id), token, content: row.content, attempt: row.tries, isSuspect: row.lost > 0 };
  }

  /**
   * Stores an outcome and ends the lease, in one statement. A worker that was only slow may still do so, unless another one has the
   * session by now.
   */
  async complete({ run, session, token }: SessionLease, outcome: string): Promise<void> {
    await this.database.change(
      `UPDATE turnwise.session SET state = 'done', outcome = $4, lease = NULL, leased_until = NULL, reason = NULL
       WHERE run = $1 AND id = $2 AND lease = $3`,
      [run, textOf(session), token, outcome],
    );
  }

  /** Ends a lease without an outcome: the session is tried again later, or parked. */
  async fail({ run, session, token }: SessionLease, reason: string): Promise<void> {
    await this.database.change(
      `UPDATE turnwise.session SET state = CASE WHEN tries >= ${MAX_TRIES} THEN 'parked' ELSE 'waiting' END,
         reason = $4, lease = NULL, leased_until = NULL, not_before = now() + tries * interval '1 second'
       WHERE run = $1 AND id = $2 AND lease = $3 AND state = 'leased'`,
      [run, textOf(session), token, sanitizeLine(reason)],
    );
  }

  /** Gives a session back that this worker has no time for. It was no try. */
  async release({ run, session, token }: SessionLease): Promise<void> {
    await this.database.change(
      `UPDATE turnwise.session SET state = 'waiting', tries = tries - 1, lease = NULL, leased_until = NULL
       WHERE run = $1 AND id = $2 AND lease = $3 AND state = 'leased'`,
      [run, textOf(session), token],
    );
  }

  /** Says that this process lives. @param owned the run that it waits for, whose report it makes */
  async heartbeat(name: string, owned: string | null): Promise<void> {
    await this.#expire();
    await this.database.transaction(async ({ change }) => {
      await change(
        `INSERT INTO turnwise.worker (id, name, until) VALUES ($1, $2, ${this.#until})
         ON CONFLICT (id) DO UPDATE SET until = excluded.until`,
        [this.worker, name],
      );
      await change(`UPDATE turnwise.session SET leased_until = ${this.#until} WHERE worker = $1 AND state = 'leased'`, [
        this.worker,
      ]);
      await change(`UPDATE turnwise.judge_slot SET until = ${this.#until} WHERE worker = $1`, [this.worker]);
      if (owned === null) return;
      await change(`UPDATE turnwise.run SET owner_until = ${this.#until} WHERE id = $1 AND owner = $2`, [
        owned,
        this.worker,
      ]);
    });
  }

  /** Says that this process has ended. */
  async leave(owned: string | null): Promise<void> {
    await this.database.transaction(async ({ change }) => {
      await change('DELETE FROM turnwise.worker WHERE id = $1', [this.worker]);
      await change('DELETE FROM turnwise.judge_slot WHERE worker = $1', [this.worker]);
      if (owned === null) return;
      await change('UPDATE turnwise.run SET owner_until = NULL WHERE id = $1 AND owner = $2', [owned, this.worker]);
    });
  }

  async progress(run: string): Promise<QueueProgress> {
    await this.#expire();
    const [row] = await this.database.rows(
      progressSchema,
      `SELECT ${PROGRESS} FROM turnwise.run r LEFT JOIN turnwise.session s ON s.run = r.id WHERE r.id = $1 GROUP BY r.id`,
      [run],
    );
    if (!row) throw new Error('The run was deleted from the queue.');
    return row;
  }

  /** The sessions of a run with what became of them, in the order of the input. */
  async *results(run: string): AsyncGenerator<QueuedResult, void, undefined> {
    const schema = z.object({
      session: z.string(),
      position: z.number(),
      content: z.string(),
      outcome: z.nullable(z.string()),
      reason: z.nullable(z.string()),
    });
    for (let last = -1; ; ) {
      const rows = await this.database.rows(
        schema,
        `SELECT id AS session, position, content, outcome, reason FROM turnwise.session
         WHERE run = $1 AND position > $2 ORDER BY position LIMIT ${RESULTS_AT_ONCE}`,
        [run, last],
      );
      for (const row of rows) yield { ...row, session: idOf(row.session) };
      last = rows.at(-1)?.position ?? last;
      if (rows.length < RESULTS_AT_ONCE) return;
    }
  }

  /** Whether this worker is to make the report: all is evaluated, and neither the command nor another worker makes it. */
  async claimReport(run: string): Promise<boolean> {
    const claimed = await this.database.change(
      `UPDATE turnwise.run r SET reporter_until = now() + interval '${REPORT_MINUTES} minutes'
       WHERE id = $1 AND collected_at IS NULL AND reported_at IS NULL AND ${REPORTABLE}`,
      [run],
    );
    return claimed > 0;
  }

  /** Of the files that the sessions of a run are from. */
  async problems(run: string): Promise<readonly Problem[]> {
    const [row] = await this.database.rows(
      z.object({ problems: z.string() }),
      'SELECT problems FROM turnwise.run WHERE id = $1',
      [run],
    );
    return z.parse(z.array(problemSchema), JSON.parse(row?.problems ?? '[]'));
  }

  /** Stores the record of a run that nobody waits for. Its sessions stay until the command that queued it is run again. */
  async storeReport(run: string, outcome: RunOutcome, record: Uint8Array): Promise<void> {
    const { verdict, sessions, parked, errors } = outcome;
    await this.database.change(
      `UPDATE turnwise.run SET reported_at = now(), verdict = $2, sessions = $3, parked = $4, errors = $5, record = $6
       WHERE id = $1`,
      [run, verdict, sessions, parked, errors, Buffer.from(record)],
    );
  }

  /** Ends a run whose report the command has made: what was stored of its sessions is deleted. */
  async collect(run: string, { verdict, sessions, parked, errors }: RunOutcome): Promise<void> {
    await this.database.transaction(async ({ change }) => {
      await change(
        `UPDATE turnwise.run SET collected_at = now(), owner_until = NULL, verdict = $2, sessions = $3, parked = $4,
           errors = $5, record = NULL WHERE id = $1`,
        [run, verdict, sessions, parked, errors],
      );
      await change('DELETE FROM turnwise.session WHERE run = $1', [run]);
    });
  }

  /** The newest first. @param reference the id of a run, or the beginning of one or of its last part; null: all */
  async states(reference: string | null): Promise<readonly QueuedRunState[]> {
    await this.#expire();
    const rows = await this.database.rows(
      z.extend(progressSchema, {
        id: z.string(),
        definition: z.string(),
        createdAt: z.string(),
        verdict: z.nullable(z.string()),
        isAwaited: z.boolean(),
        isReported: z.boolean(),
        isCollected: z.boolean(),
        endedSessions: z.nullable(z.number()),
        endedParked: z.nullable(z.number()),
        errors: z.number(),
      }),
      `SELECT ${PROGRESS}, r.id, r.definition, to_char(r.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS "createdAt",
         r.verdict, coalesce(r.owner_until > now(), false) AS "isAwaited", r.reported_at IS NOT NULL AS "isReported",
         r.collected_at IS NOT NULL AS "isCollected", r.sessions AS "endedSessions", r.parked AS "endedParked",
         coalesce(r.errors, 0) AS errors
       FROM turnwise.run r LEFT JOIN turnwise.session s ON s.run = r.id
       WHERE $1::text IS NULL OR starts_with(r.id, $1) OR starts_with(split_part(r.id, '-', 2), $1)
       GROUP BY r.id ORDER BY r.created_at DESC LIMIT 50`,
      [reference],
    );
    return rows.map(({ definition, isReported, isCollected, endedSessions, endedParked, ...row }) => {
      const ended = isCollected
        ? { sessions: endedSessions ?? 0, parked: endedParked ?? 0, done: (endedSessions ?? 0) - (endedParked ?? 0) }
        : {};
      const isOpen = row.waiting + row.leased > 0;
      const state = isCollected
        ? 'finished'
        : isReported
          ? 'reported'
          : !row.isQueued
            ? 'queuing'
            : isOpen
              ? 'running'
              : 'evaluated';
      return { ...row, ...ended, state, name: parseDefinition(definition).origin.name ?? null };
    });
  }

  async parked(run: string): Promise<readonly ParkedSession[]> {
    const rows = await this.database.rows(
      z.object({ session: z.string(), reason: z.string() }),
      `SELECT id AS session, coalesce(reason, '') AS reason FROM turnwise.session
       WHERE run = $1 AND state = 'parked' ORDER BY position LIMIT 100`,
      [run],
    );
    return rows.map(({ session, reason }) => ({ session: idOf(session), reason }));
  }

  /** The names of the workers that evaluate sessions of a run now. */
  async workers(run: string): Promise<readonly string[]> {
    const rows = await this.database.rows(
      z.object({ name: z.string() }),
      `SELECT name FROM turnwise.worker WHERE id IN (
         SELECT s.worker FROM turnwise.session s WHERE s.run = $1 AND s.state = 'leased' AND s.leased_until >= now())
       ORDER BY name LIMIT 100`,
      [run],
    );
    return rows.map(({ name }) => name);
  }

  /** The record that a worker made; null where none did. */
  async record(run: string): Promise<Uint8Array | null> {
    const [row] = await this.database.rows(
      z.object({ record: z.nullable(z.instanceof(Uint8Array)) }),
      'SELECT record FROM turnwise.run WHERE id = $1',
      [run],
    );
    return row?.record ?? null;
  }

  async delete(run: string): Promise<void> {
    await this.database.change('DELETE FROM turnwise.run WHERE id = $1', [run]);
  }

  /** Gives back the sessions of workers that ended, and parks those that were in their last try. */
  async #expire(): Promise<void> {
    await this.database.change(
      `UPDATE turnwise.session SET
         state = CASE WHEN tries >= ${MAX_TRIES} THEN 'parked' ELSE 'waiting' END,
         reason = CASE WHEN tries >= ${MAX_TRIES} THEN coalesce(reason || ' ', '') || $1 ELSE reason END,
         lost = lost + 1, leased_until = NULL
       WHERE state = 'leased' AND leased_until < now()`,
      [ABANDONED],
    );
  }

  /** Deletes what nobody asks for any more. */
  async #prune(): Promise<void> {
    await this.database.change(
      `DELETE FROM turnwise.run WHERE coalesce(collected_at, reported_at, queued_at, created_at) < now() - interval '${RUN_DAYS} days'
         AND coalesce(owner_until, '-infinity') < now()`,
    );
    await this.database.change(`DELETE FROM turnwise.answer WHERE created_at < now() - interval '${ANSWER_DAYS} days'`);
    await this.database.change("DELETE FROM turnwise.worker WHERE until < now() - interval '1 day'");
  }

  get #until(): string {
    return `now() + interval '${this.leaseMs} milliseconds'`;
  }
}

/** The id of a session as Postgres can have it: without the character 0, and without halves of characters. */
function textOf(id: string): string {
  return JSON.stringify(id).slice(1, -1);
}

function idOf(text: string): string {
  return z.parse(z.string(), JSON.parse(`"${text}"`));
}

const RESULTS_AT_ONCE = 20;
const REPORT_MINUTES = 10;
const RUN_DAYS = 30;
const ANSWER_DAYS = 90;

/** Of a session `s`. */
const LEASABLE = "s.state = 'waiting' AND s.not_before <= now()";

/** Of a run `r`: everything is evaluated, nobody waits for it, and no worker makes its report. */
const REPORTABLE = `(r.queued_at IS NOT NULL AND coalesce(r.owner_until, '-infinity') < now()
  AND coalesce(r.reporter_until, '-infinity') < now()
  AND NOT EXISTS (SELECT 1 FROM turnwise.session o WHERE o.run = r.id AND o.state IN ('waiting', 'leased')))`;

function parseDefinition(text: string): QueuedRun {
  return z.parse(queuedRunSchema, JSON.parse(text));
}
