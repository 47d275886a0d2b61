import * as z from 'zod/mini';
import { fileLocation, fileUri } from './messages.ts';
import { count } from './report-values.ts';
import { defineRequest } from './rpc.ts';

/** Requests that keep an editor's cursor and a report in sync. */

/** The turn at a position: the last one that begins there or before; null if there is none. */
export const turnAt = defineRequest(
  'turnwise/turnAt',
  z.object({ uri: fileUri, position: z.object({ line: count, character: count }) }),
  z.object({ turn: z.nullable(z.object({ session: z.string(), index: count })) }),
);

/** The location of a turn in the current text; null for an unknown turn. */
export const turnLocation = defineRequest(
  'turnwise/placeOfTurn',
  z.object({ session: z.string(), turn: count }),
  z.object({ location: z.nullable(fileLocation) }),
);
