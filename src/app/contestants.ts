import { basename, join, resolve } from 'node:path';
import type { Configuration } from '../config/schema.ts';
import type { Problem } from '../core/problem.ts';
import type { Session } from '../core/session.ts';
import { sessionHashes } from '../core/session-hashes.ts';
import { pluralize } from '../core/text/pluralize.ts';
import { expandGlobs } from '../input/expand-globs.ts';
import { nodeFileSystem } from '../input/node-file-system.ts';
import type { RunRecord, RunStore } from '../runs/run-store.ts';
import type { Contestant } from './best-of.ts';
import { findProject } from './git-state.ts';
import { type LoadRunOptions, loadRun } from './load-run.ts';

export interface ContestantOptions {
  readonly store: Pick<RunStore, 'find'>;
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly inputFormat?: string | undefined;
}

/** A run with its transcripts. */
export interface OpenedContestant {
  readonly contestant: Contestant;
  readonly problems: readonly Problem[];
  /** What was read. */
  readonly paths: readonly string[];
}

/**
 * Reads the transcripts of what a user names: trace files, folders and globs, or a recorded run. A record without transcripts is
 * read from its traces, as far as they have not changed since.
 *
 * @throws Error with a sentence where there is nothing to read.
 */
export async function openContestant(
  reference: string,
  configuration: Configuration,
  { store, cwd, signal, inputFormat }: ContestantOptions,
): Promise<OpenedContestant> {
  const loading = { signal, ...(inputFormat === undefined ? {} : { inputFormat }) };
  if (await namesTraces(reference, cwd)) {
    const { paths, problems } = await expandGlobs([reference], nodeFileSystem, cwd, signal);
    const loaded = await loadRun(paths, configuration, loading);
    signal.throwIfAborted();
    if (loaded.sessions.length === 0) throw new Error(`${reference} has no sessions to compare.`);
    const contestant = { label: reference, sessions: loaded.sessions };
    return { contestant, problems: [...problems, ...loaded.problems], paths };
  }
  const record = await store.find(reference, await findProject(cwd));
  const sessions = (await storedTranscripts(record)) ?? (await readTraces(reference, record, configuration, loading));
  return { contestant: { label: reference, sessions }, problems: [], paths: [record.path] };
}

/** Whether it is a file, a folder or a glob that is not a record. */
async function namesTraces(reference: string, cwd: string): Promise<boolean> {
  if (/[*?{[]/.test(reference)) return true;
  const path = resolve(cwd, reference);
  const found = await nodeFileSystem.stat(path);
  if (!found) return false;
  if (found.kind === 'directory') return (await nodeFileSystem.stat(join(path, 'manifest.json'))) === null;
  return !/\.zip$|^manifest\.json$|^sessions\.jsonl(\.gz)?$/.test(basename(path));
}

/** Null where the record has none. */
async function storedTranscripts(record: RunRecord): Promise<readonly Session[] | null> {
  const sessions: Session[] = [];
  for (const { id } of await record.rows()) {
    const session = await record.transcript(id);
    if (!session) return null;
    sessions.push(session);
  }
  return sessions;
}

async function readTraces(
  reference: string,
  record: RunRecord,
  configuration: Configuration,
  loading: LoadRunOptions,
): Promise<readonly Session[]> {
  const rows = await record.rows();
  const files = [...new Set(rows.map(({ file }) => resolve(record.manifest.project, file)))];
  const recorded = new Set(rows.map(({ content }) => content));
  const loaded = await loadRun(files, configuration, loading);
  loading.signal.throwIfAborted();
  const unchanged = loaded.sessions.filter((session) => recorded.has(sessionHashes(session).content));
  const missing = recorded.size - new Set(unchanged.map((session) => sessionHashes(session).content)).size;
  if (missing > 0) {
    throw new Error(
      `The run ${reference} was recorded without transcripts, and ${pluralize(missing, 'session')} of it cannot be read any more: the traces have changed or are gone. Name the traces instead, or record with --with-transcripts.`,
    );
  }
  return unchanged;
}
