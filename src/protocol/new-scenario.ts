import * as z from 'zod/mini';
import { fileUri } from './messages.ts';
import { count, list } from './report-values.ts';
import { defineRequest } from './rpc.ts';

/** Scenarios that are made in the editor. Nothing is written: they open unsaved. */

/** A scenario of a session that was evaluated, up to a turn. */
export const scenarioFromSession = defineRequest(
  'turnwise/scenarios/fromSession',
  z.object({
    session: z.string(),
    /** Zero-based; null: all turns. */
    turn: z.nullable(count),
  }),
  z.union([
    z.object({
      name: z.string(),
      /** YAML. */
      text: z.string(),
      /** Zero-based line of the first expectation that is to be completed; null: there is none. */
      blankLine: z.nullable(count),
    }),
    /** Why there is none, in a sentence. */
    z.object({ error: z.string() }),
  ]),
);

/** Where a new scenario belongs, and what it can be run against. @param uri of a file or folder. */
export const newScenarioPlace = defineRequest(
  'turnwise/scenarios/newPlace',
  z.object({ uri: fileUri }),
  z.object({
    /** A folder in which scenarios are found. */
    folder: fileUri,
    /** Null where there is none. */
    configuration: z.nullable(fileUri),
    agents: list(z.object({ name: z.string(), type: z.enum(['chat_completions', 'custom', 'replay']) })),
  }),
);
export type NewScenarioPlace = z.infer<typeof newScenarioPlace.result>;
