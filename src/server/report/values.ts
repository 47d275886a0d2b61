import { pathToFileURL } from 'node:url';
import type { Pointer } from '../../core/session.ts';
import type { Target } from '../../protocol/report-values.ts';
import { shortened } from '../wording/excerpt.ts';
import { NAME, SENTENCE } from './limits.ts';

/** Values as a panel gets them. */

export function targetIn(file: string, pointer: Pointer): Target {
  return { uri: pathToFileURL(file).href, pointer };
}

export function sentence(text: string): string {
  return shortened(text, SENTENCE);
}

export function name(text: string): string {
  return shortened(text, NAME);
}

/** A file can carry the number 1e999, for which JSON has no word. */
export function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

/** Milliseconds between two times; null where they say nothing of it. */
export function durationOf({ startedAt, endedAt }: { readonly startedAt?: string; readonly endedAt?: string }) {
  const duration = Date.parse(endedAt ?? '') - Date.parse(startedAt ?? '');
  return Number.isFinite(duration) && duration >= 0 ? duration : null;
}
