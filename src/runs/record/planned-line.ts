import type * as z from 'zod/mini';
import type { DeepReadonly } from '../../core/deep-readonly.ts';
import { plannedLineSchema } from './line-schemas.ts';
import { parseLine, toLine } from './lines.ts';

/** What all parts of a run evaluate; each of them has it, so that together they can show that none is missing. */
export type PlannedSessions = DeepReadonly<Omit<z.output<typeof plannedLineSchema>, 'type'>>;

export function encodePlanned(planned: PlannedSessions): string {
  return toLine({ type: 'planned', ...planned });
}

/** Null for other lines, and for one that is damaged. */
export function decodePlanned(line: string): PlannedSessions | null {
  const planned = parseLine(line, plannedLineSchema);
  return planned?.ids.length === planned?.shards.length ? planned : null;
}
