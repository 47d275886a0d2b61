import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { errorMessage } from '../../core/error-message.ts';
import { get, getNumber } from '../../core/json.ts';
import type { RunManifest } from '../../core/run-record.ts';
import { runManifestSchema } from '../../core/schemas/run-record.ts';

/** The files of a record. */
export const MANIFEST = 'manifest.json';
export const SESSIONS = 'sessions.jsonl';
export const COMPRESSED_SESSIONS = 'sessions.jsonl.gz';

const SCHEMA_VERSION = 1;

/** An id names a folder. */
const RUN_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

export function isRunId(text: string): boolean {
  return RUN_ID.test(text);
}

/** The name of a project's folder: readable, and the same for one path only. */
export function projectKey(project: string): string {
  const name = basename(project)
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[.-]+/, '')
    .slice(0, 40);
  const hash = createHash('sha256').update(project).digest('hex').slice(0, 12);
  return `${name || 'project'}-${hash}`;
}

/** A record that cannot be read. The message is a sentence. */
export class UnreadableRecord extends Error {
  override readonly name = 'UnreadableRecord';
}

/** @throws UnreadableRecord, or the system's error */
export function readManifest(folder: string): RunManifest {
  const file = join(folder, MANIFEST);
  return parseManifest(readFileSync(file, 'utf8'), file);
}

/** @param file for messages. @throws UnreadableRecord */
export function parseManifest(text: string, file: string): RunManifest {
  const value = parse(text, file);
  const version = getNumber(value, 'schemaVersion') ?? 0;
  if (version > SCHEMA_VERSION) {
    throw new UnreadableRecord(
      `${file} was recorded by a newer Turnwise${toolVersion(value)}. Update Turnwise to read it.`,
    );
  }
  const manifest = runManifestSchema.safeParse(value);
  if (manifest.success) return manifest.data;
  const where = manifest.error.issues[0]?.path.join('.') ?? '';
  throw new UnreadableRecord(`${file} is not the manifest of a recorded run: ${where} is missing or invalid.`);
}

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UnreadableRecord(`${file} is not valid JSON: ${errorMessage(error)}.`);
  }
}

function toolVersion(value: unknown): string {
  const version = get(get(value, 'tool'), 'version');
  return typeof version === 'string' && /^[\w.+-]{1,40}$/.test(version) ? ` (${version})` : '';
}
