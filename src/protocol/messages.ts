import * as z from 'zod/mini';
import { observationSchema, problemOccurrenceSchema, problemSchema, verdictSchema } from '../core/schemas/report.ts';
import { defineNotification, defineRequest } from './rpc.ts';

const count = z.int().check(z.nonnegative());
export const fileUri = z.url({ protocol: /^file$/ });

/** Positions are zero-based, characters in UTF-16 code units: as the Language Server Protocol has them. */
const position = z.object({ line: count, character: count });
export type FilePosition = z.infer<typeof position>;
const range = z.object({ start: position, end: position });
export type FileRange = z.infer<typeof range>;

export const fileLocation = z.object({ uri: z.string(), range });
/** Where something stands in a file. */
export type FileLocation = z.infer<typeof fileLocation>;

/**
 * How what is held of a file stands to the file: `stale`: it, or what it was evaluated with, has changed since; `gone`: it is
 * not there any more.
 */
const fileState = z.enum(['fresh', 'stale', 'gone']);
export type FileState = z.infer<typeof fileState>;

/** What is another than when a file was evaluated, where it is `stale`; absent: that is not known. */
export const staleCause = z.optional(z.enum(['file', 'configuration', 'sidecar']));
export type StaleCause = z.infer<typeof staleCause>;

export const sessionRow = z.object({
  /** Unique among all sessions that the server holds, unlike the id. */
  key: z.string(),
  id: z.string(),
  verdict: verdictSchema,
  /** `session_risk`, from 0 to 1; null where it has no score. */
  risk: z.nullable(z.number()),
  /** What the risk comes from, or why there is none. */
  riskReason: z.nullable(z.string()),
  turns: count,
  failures: count,
  /** The label of its most severe failure. */
  headline: z.nullable(z.string()),
  /** Why it did not pass, a sentence each. */
  why: z.readonly(z.array(z.string())),
  state: fileState,
  changed: staleCause,
  /** While it is being evaluated: how many of its turns are done. What else the row says is of before, or nothing yet. */
  turnsDone: z.nullable(count),
  place: fileLocation,
});
export type SessionRow = z.infer<typeof sessionRow>;

const relatedLocation = z.object({ ...fileLocation.shape, note: z.string() });
/** Something else that proves what was found. */
export type RelatedLocation = z.infer<typeof relatedLocation>;

const sessionProblemRow = z.object({
  ...z.pick(problemOccurrenceSchema, { turn: true, label: true, severity: true, pointer: true }).shape,
  /** Says whether a judge found it. */
  reason: z.string(),
  /** Id of the rule that proved it, else the metric that names it, else its label. */
  code: z.string(),
  /** Null where none proved it: a judge found it, or the file says so. */
  rule: z.nullable(z.string()),
  place: fileLocation,
  /** The further evidence. */
  related: z.readonly(z.array(relatedLocation)),
});
export type SessionProblemRow = z.infer<typeof sessionProblemRow>;

const observationRow = z.object({
  ...z.pick(observationSchema, { turn: true, rule: true, title: true, reason: true, pointer: true }).shape,
  place: fileLocation,
  related: z.readonly(z.array(relatedLocation)),
});
/** Something that is worth knowing and no failure. */
export type ObservationRow = z.infer<typeof observationRow>;

const fileProblemRow = z.object({
  ...z.pick(problemSchema, { severity: true, message: true }).shape,
  place: fileLocation,
});
/** Something about a file that a person should know. */
export type FileProblemRow = z.infer<typeof fileProblemRow>;

/** Of a list that may be long. */
export const pageParams = { offset: count, limit: z.int().check(z.positive(), z.maximum(10_000)) };

const evaluateResult = z.object({
  /** False when it was stopped; what had finished is kept. */
  complete: z.boolean(),
  sessions: count,
  problems: z.readonly(z.array(fileProblemRow)),
  /** Why no question to a judge was answered, where some were asked. */
  outage: z.optional(z.string()),
});
export type EvaluateResult = z.infer<typeof evaluateResult>;

/**
 * Evaluates files and folders. What it finds takes the place of what the server held of them, becomes diagnostics, and
 * can then be asked for. Stopped by cancelling the request.
 */
export const evaluate = defineRequest(
  'turnwise/evaluate',
  z.object({
    uris: z.readonly(z.array(fileUri).check(z.minLength(1))),
    /** Where the work-done progress goes. */
    workDoneToken: z.optional(z.union([z.string(), z.int()])),
  }),
  evaluateResult,
);

/** The sessions held, the riskiest first, or those that were read from one file; and the files that could not be read. */
export const sessions = defineRequest(
  'turnwise/sessions',
  z.object({ uri: z.optional(fileUri), ...pageParams }),
  z.object({
    total: count,
    rows: z.readonly(z.array(sessionRow)),
    problems: z.readonly(z.array(fileProblemRow)),
  }),
);

/** The failures of a session in the order of its turns; none when the session is no longer held. */
export const sessionProblems = defineRequest(
  'turnwise/failures',
  z.object({ session: z.string(), ...pageParams }),
  z.object({ total: count, rows: z.readonly(z.array(sessionProblemRow)) }),
);

/** Forgets all results, those that were kept on disk too, and withdraws their diagnostics. */
export const clear = defineRequest('turnwise/clear', z.object({}), z.object({}));

/** A row for each file that was evaluated, or could not be read: the riskiest first; then those that are `new`. */
export const fileRow = z.object({
  uri: z.string(),
  /** `new`: by its name it may be a trace, and it was not evaluated yet. */
  state: z.enum(['fresh', 'stale', 'gone', 'new']),
  changed: staleCause,
  sessions: count,
  /** The worst of its sessions; null where none could be read. */
  verdict: z.nullable(verdictSchema),
  /** The highest of its sessions. */
  risk: z.nullable(z.number()),
  problems: z.readonly(z.array(fileProblemRow)),
});
export type FileRow = z.infer<typeof fileRow>;

export const files = defineRequest(
  'turnwise/files',
  z.object({ ...pageParams }),
  z.object({ total: count, rows: z.readonly(z.array(fileRow)) }),
);

/**
 * Brings back what was kept of these folders, or files, when an editor was closed or the server broke. What is held already
 * stays. Files that have changed since come back as stale, files that are not there any more as gone.
 */
export const restore = defineRequest(
  'turnwise/restore',
  z.object({ folders: z.readonly(z.array(fileUri)) }),
  /** How many files came back; null: there are many, and more are to come. */
  z.object({ files: z.nullable(count) }),
);

/**
 * All files that are there and may be traces by their names: what the editor found when somebody looked. Of those that come and
 * go later the server hears as of all watched files; of a folder that goes with such files in it, by this.
 */
export const traceFilesFound = defineNotification('turnwise/watched', z.object({ uris: z.readonly(z.array(fileUri)) }));

const edit = z.object({ range, lines: count, lastLength: count });

/**
 * A document of which something is held, or may be, was edited. Its text stays where it is. `isDirty` is false when the text
 * is that of the file on disk again: after it was saved, undone, reverted or closed; the edits may then be none.
 */
export const documentEdited = defineNotification(
  'turnwise/edited',
  z.object({ uri: fileUri, edits: z.readonly(z.array(edit)), isDirty: z.boolean() }),
);

/** What is held has changed: of these files, or of any where there are none. */
export const resultsChanged = defineNotification(
  'turnwise/changed',
  z.object({ uris: z.optional(z.array(z.string())) }),
);
