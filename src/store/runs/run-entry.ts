import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { getString, parseJson } from '../../core/json.ts';
import type { RunManifest, RunTotals } from '../../core/run-record.ts';
import type { ListedManifest, RunListing } from '../../runs/run-store.ts';
import { readManifest } from './record-folder.ts';
import { isLocked } from './writer-lock.ts';

/** In the folder of a run that was recorded elsewhere: `{ "path": … }`. */
export const REFERENCE = 'elsewhere.json';

/** In the folder of a baseline: since when it is one, ISO 8601. */
export const BASELINE = 'baseline';

/** While a record in one file is being written, it is a folder beside it. */
export const PARTIAL = '.partial';

/** What is stored of a run in the index. */
export interface RunEntry {
  readonly manifest: ListedManifest;
  /** Of the record where it is elsewhere; null where it is in the folder of the run. */
  readonly elsewhere: string | null;
  readonly bytes: number;
  readonly baselineSince: string | null;
}

/** Reads what lists show of the run in a folder. @throws UnreadableRecord, or the system's error */
export function readEntry(folder: string): RunEntry {
  const own = readManifest(folder);
  const elsewhere = getString(parseJson(readText(join(folder, REFERENCE)) ?? ''), 'path') ?? null;
  return {
    manifest: listed((own.state === 'running' && elsewhere !== null && manifestIn(elsewhere)) || own),
    elsewhere,
    bytes: elsewhere === null ? bytesIn(folder) : 0,
    baselineSince: readText(join(folder, BASELINE))?.trim() ?? null,
  };
}

/** @param folder of the run */
export function toListing({ manifest, elsewhere, bytes, baselineSince }: RunEntry, folder: string): RunListing {
  const path = elsewhere === null ? folder : currentPath(elsewhere);
  const isRunning = manifest.state === 'running';
  return {
    manifest,
    path,
    bytes: isRunning && elsewhere === null ? bytesIn(folder) : bytes,
    isBaseline: baselineSince !== null,
    baselineSince,
    isLive: isRunning && isLocked(path),
    isGone: elsewhere !== null && !existsSync(path),
  };
}

/** Null where there is none that can be read. */
function manifestIn(folder: string): RunManifest | null {
  try {
    return readManifest(folder);
  } catch {
    return null;
  }
}

function currentPath(path: string): string {
  return !existsSync(path) && existsSync(`${path}${PARTIAL}`) ? `${path}${PARTIAL}` : path;
}

function listed(manifest: RunManifest): ListedManifest {
  const { plan, questions, inputs, sampling, modelVersions, schemaVersion, totals, ...rest } = manifest;
  return { ...rest, judge: plan.judge, totals: totals && withoutMeans(totals) };
}

function withoutMeans({ means, ...rest }: RunTotals): NonNullable<ListedManifest['totals']> {
  return rest;
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

function bytesIn(folder: string): number {
  try {
    return readdirSync(folder).reduce(
      (sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0),
      0,
    );
  } catch {
    return 0;
  }
}
