import * as z from 'zod/mini';
import { fileLocation, fileUri } from './messages.ts';
import { count } from './report-values.ts';
import { defineRequest } from './rpc.ts';

/** What the extension asks, so that an editor and a panel follow each other. */

/** The turn that a position in a file is in: the last one that begins there or before. Null: none does. */
export const turnAt = defineRequest(
  'turnwise/turnAt',
  z.object({ uri: fileUri, position: z.object({ line: count, character: count }) }),
  z.object({ turn: z.nullable(z.object({ session: z.string(), index: count })) }),
);

/** Where a turn stands in the text as it is edited now; null when it is not held. */
export const turnLocation = defineRequest(
  'turnwise/placeOfTurn',
  z.object({ session: z.string(), turn: count }),
  z.object({ place: z.nullable(fileLocation) }),
);
