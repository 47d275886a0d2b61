import { resolve } from 'node:path';
import type { Session } from '../core/session.ts';
import { sessionHashes } from '../core/session-hashes.ts';
import type { SessionOutcome } from '../core/session-outcome.ts';
import type { FileSystem } from '../input/file-system.ts';
import { type JudgedMetric, type JudgedResult, judgedMetrics } from '../runs/calibration/judged-results.ts';
import type { RunRecord } from '../runs/run-store.ts';
import { readTrace } from './read-trace.ts';

/** The judged results of a recorded run, by metric. */
export async function readJudgedMetrics(record: RunRecord): Promise<JudgedMetric[]> {
  const outcomes: SessionOutcome[] = [];
  for await (const outcome of record.sessions()) outcomes.push(outcome);
  return judgedMetrics(record.manifest, await record.rows(), outcomes);
}

/**
 * Finds the sessions of results: in the record if it has transcripts, else in their files, each read once. Null where a session
 * changed since, or where its file cannot be read.
 */
export class JudgedSessions {
  readonly #record: RunRecord;
  readonly #files: FileSystem;
  readonly #isTrusted: boolean;
  readonly #read = new Map<string, Promise<ReadonlyMap<string, Session>>>();

  /** @param isTrusted whether code of a configuration may run. */
  constructor(record: RunRecord, files: FileSystem, isTrusted: boolean) {
    this.#record = record;
    this.#files = files;
    this.#isTrusted = isTrusted;
  }

  async find({ file, session, content }: Pick<JudgedResult, 'file' | 'session' | 'content'>): Promise<Session | null> {
    const recorded = await this.#record.transcript(session);
    if (recorded) return recorded;
    const known = this.#read.get(file) ?? this.#readFile(file);
    this.#read.set(file, known);
    return (await known).get(content) ?? null;
  }

  async #readFile(file: string): Promise<ReadonlyMap<string, Session>> {
    const path = resolve(this.#record.manifest.project, file);
    const sessions = await readTrace(path, this.#isTrusted, this.#files).catch(() => []);
    return new Map(sessions.map((session) => [sessionHashes(session).content, session]));
  }
}
