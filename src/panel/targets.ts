import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Pointer } from '../core/session.ts';
import type { JsonTarget } from '../protocol/report-values.ts';

/** A value in a file, in the form that the panel gets. */
export function toTarget(file: string, pointer: Pointer): JsonTarget {
  return { uri: toUri(file), pointer };
}

/** The URI of a file. That of a relative path is relative too, so that it is the same on every machine. */
export function toUri(file: string): string {
  return isAbsolute(file) ? pathToFileURL(file).href : `file:${file.split(/[/\\]/).map(encodeURIComponent).join('/')}`;
}
