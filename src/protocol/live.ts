import * as z from 'zod/mini';
import { fileUri } from './messages.ts';
import { defineNotification, defineRequest } from './rpc.ts';

const count = z.int().check(z.nonnegative());

/** A receiver of traces that this window has started. Texts are translated. */
export const liveStatus = z.object({
  /** `waiting`: another process receives for the folder; this one takes over when that ends. */
  state: z.enum(['receiving', 'waiting']),
  /** Of the project, and of the traces in it. */
  project: fileUri,
  folder: fileUri,
  /** On which traces are received; null where it is not known. */
  port: z.nullable(count),
  /** Received since the start. */
  sessions: count,
  /** For the status bar, and its tooltip. */
  label: z.string(),
  details: z.string(),
  /** How an agent is told to send its traces. */
  message: z.string(),
  /** Lines for the shell of the agent; empty where the port is not known. */
  setup: z.string(),
});
export type LiveStatus = z.infer<typeof liveStatus>;

/** Receives traces of a project's agents. Resolves when they can be sent, or when another process receives them. */
export const watchAgent = defineRequest('turnwise/watchAgent', z.object({ project: fileUri }), liveStatus);

/** Resolves when nothing is written any more. */
export const stopWatching = defineRequest('turnwise/stopWatching', z.object({}), z.object({}));

/** Null: nothing is received any more. */
export const liveChanged = defineNotification('turnwise/live', z.object({ status: z.nullable(liveStatus) }));

/** The first severe problem of a session that is received, where the user wants to be told. */
export const liveProblem = defineNotification(
  'turnwise/liveProblem',
  z.object({ session: z.string(), turn: z.nullable(count), text: z.string() }),
);
