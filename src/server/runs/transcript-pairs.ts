import { resolve } from 'node:path';
import * as l10n from '@vscode/l10n';
import { readTrace } from '../../app/read-trace.ts';
import type { RecordedSession, RunManifest } from '../../core/run-record.ts';
import type { Session } from '../../core/session.ts';
import { sessionHashes } from '../../core/session-hashes.ts';
import type { FileSystem } from '../../input/file-system.ts';
import { type AlignedSessions, alignSteps } from '../../report-model/transcript/align-steps.ts';
import type { RunRecord } from '../../runs/run-store.ts';
import { pairRows } from '../report/transcript-pair.ts';
import { SessionCache, type SessionFiles, type SessionVersion } from '../results/session-cache.ts';
import type { RunReference } from './run-rows.ts';

/** A session of a run, or one with results in the editor. */
export type SideSource =
  | { readonly of: 'run'; readonly run: RunReference; readonly session: string; readonly file: string }
  | { readonly of: 'results'; readonly session: SessionFiles; readonly hashes: SessionVersion['hashes'] };

export interface PairParams {
  readonly left: SideSource;
  readonly right: SideSource;
  readonly offset: number;
  readonly limit: number;
  /** Whether code of the folder's configuration may run. */
  readonly isTrusted: boolean;
}

/** What became known of one side. */
export interface PairedSide {
  /** Null for a session with results in the editor. */
  readonly row: RecordedSession | null;
  /** When its run began. */
  readonly manifest: Pick<RunManifest, 'project'> | null;
  /** Where the session begins, in its file; null without a transcript. */
  readonly pointer: string | null;
  /** Why there is no transcript, as a sentence with a remedy; null where there is one. */
  readonly missing: string | null;
}

export interface PairAnswer {
  readonly left: PairedSide;
  readonly right: PairedSide;
  /** Null where one of them has no transcript. */
  readonly aligned: ReturnType<typeof pairRows> | null;
}

interface LoadedSide extends PairedSide {
  readonly session: Session | null;
}

interface LoadedPair {
  readonly left: LoadedSide;
  readonly right: LoadedSide;
  readonly aligned: AlignedSessions | null;
}

/** Reads two sessions and lays them beside each other. The last pair is kept, since its rows are asked for in pages. */
export class TranscriptPairs {
  readonly #find: (run: RunReference) => Promise<RunRecord>;
  readonly #files: FileSystem;
  readonly #sessions: SessionCache;
  #last: { readonly key: string; readonly pair: Promise<LoadedPair> } | null = null;

  constructor(find: (run: RunReference) => Promise<RunRecord>, files: FileSystem) {
    this.#find = find;
    this.#files = files;
    this.#sessions = new SessionCache(files);
  }

  async rows({ left, right, offset, limit, isTrusted }: PairParams): Promise<PairAnswer> {
    const key = JSON.stringify([keyOf(left), keyOf(right), isTrusted]);
    if (this.#last?.key !== key || offset === 0) {
      this.#last = { key, pair: this.#load(left, right, isTrusted) };
    }
    const pair = await this.#last.pair;
    const [one, other] = [pair.left.session, pair.right.session];
    return {
      left: withoutSession(pair.left),
      right: withoutSession(pair.right),
      aligned: one && other && pair.aligned ? pairRows(one, other, pair.aligned, offset, limit) : null,
    };
  }

  async #load(left: SideSource, right: SideSource, isTrusted: boolean): Promise<LoadedPair> {
    const [one, other] = await Promise.all([this.#side(left, isTrusted), this.#side(right, isTrusted)]);
    return {
      left: one,
      right: other,
      aligned: one.session && other.session ? alignSteps(one.session, other.session) : null,
    };
  }

  async #side(side: SideSource, isTrusted: boolean): Promise<LoadedSide> {
    if (side.of === 'run') return this.#recorded(side, isTrusted);
    const session = await this.#sessions.get(side.session, { hashes: side.hashes, isTrusted });
    const missing = l10n.t('Its file changed after the evaluation. Evaluate it again.');
    return toSide({ row: null, manifest: null, session, missing });
  }

  async #recorded(
    { run, session: id, file }: Extract<SideSource, { readonly of: 'run' }>,
    isTrusted: boolean,
  ): Promise<LoadedSide> {
    const record = await this.#find(run);
    const { manifest } = record;
    const row = (await record.rows()).find((one) => one.id === id && one.file === file) ?? null;
    if (!row) {
      return toSide({ row, manifest, session: null, missing: l10n.t('The run has no such session any more.') });
    }
    const recorded = await record.transcript(id);
    if (recorded) return toSide({ row, manifest, session: recorded, missing: '' });
    const path = resolve(manifest.project, file);
    const read = await readTrace(path, isTrusted, this.#files).catch(() => []);
    const missing =
      read.length === 0
        ? l10n.t('{0} cannot be read any more. Record runs with --with-transcripts to keep transcripts.', file)
        : l10n.t('{0} changed after this run. Record runs with --with-transcripts to keep transcripts.', file);
    const session = read.find((one) => sessionHashes(one).content === row.content) ?? null;
    return toSide({ row, manifest, session, missing });
  }
}

function toSide({
  row,
  manifest,
  session,
  missing,
}: Pick<LoadedSide, 'row' | 'manifest' | 'session'> & { readonly missing: string }): LoadedSide {
  return {
    row,
    manifest: manifest && { project: manifest.project },
    session,
    pointer: session?.source.pointer ?? null,
    missing: session ? null : missing,
  };
}

function withoutSession({ session: _, ...side }: LoadedSide): PairedSide {
  return side;
}

function keyOf(side: SideSource): unknown {
  return side.of === 'run' ? side : [side.session.detail.report.source, [...side.hashes]];
}
