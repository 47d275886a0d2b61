import * as z from 'zod/mini';
import {
  headlineSchema,
  observationSchema,
  problemOccurrenceSchema,
  problemSchema,
  verdictSchema,
} from '../core/schemas/report.ts';
import { OUTCOME_STATUSES, RISK_LEVELS } from '../core/statuses.ts';
import { defineNotification, defineRequest } from './rpc.ts';

const count = z.int().check(z.nonnegative());
export const fileUri = z.url({ protocol: /^file$/ });

/** Zero-based, characters in UTF-16 code units, as in the Language Server Protocol. */
const position = z.object({ line: count, character: count });
export type FilePosition = z.infer<typeof position>;
const range = z.object({ start: position, end: position });
export type FileRange = z.infer<typeof range>;

export const fileLocation = z.object({ uri: z.string(), range });
/** A range in a file. */
export type FileLocation = z.infer<typeof fileLocation>;

/** `stale`: the file, or what it was evaluated with, changed after the evaluation; `gone`: the file was deleted. */
const fileState = z.enum(['fresh', 'stale', 'gone']);
export type FileState = z.infer<typeof fileState>;

/** What changed after the evaluation of a `stale` file; `judge`: only the rules have evaluated the change; absent: unknown. */
export const staleCause = z.optional(z.enum(['file', 'configuration', 'sidecar', 'judge']));
export type StaleCause = z.infer<typeof staleCause>;

export const sessionRow = z.object({
  /** Unique among all sessions, unlike the id. */
  key: z.string(),
  id: z.string(),
  /** Its task, or the first words of the user. */
  title: z.string(),
  verdict: verdictSchema,
  /** `session_risk`, from 0 to 1; null where it has no score. */
  risk: z.nullable(z.number()),
  /** The risk in words. */
  riskLevel: z.nullable(z.enum(RISK_LEVELS)),
  /** The explanation of the risk, or why there is none. */
  riskReason: z.nullable(z.string()),
  turns: count,
  problems: count,
  headline: headlineSchema,
  outcome: z.enum(OUTCOME_STATUSES),
  /** Why it did not pass: a sentence per reason. */
  why: z.readonly(z.array(z.string())),
  state: fileState,
  changed: staleCause,
  /** During an evaluation: the number of evaluated turns. The other values are outdated or empty until it finishes. */
  turnsDone: z.nullable(count),
  location: fileLocation,
});
export type SessionRow = z.infer<typeof sessionRow>;

const relatedLocation = z.object({ ...fileLocation.shape, note: z.string() });
/** Further evidence. */
export type RelatedLocation = z.infer<typeof relatedLocation>;

export const sessionProblemRow = z.object({
  ...z.pick(problemOccurrenceSchema, { turn: true, label: true, severity: true, pointer: true }).shape,
  /** What views call it: the title of its group. */
  title: z.string(),
  /** Says whether a judge found it. */
  reason: z.string(),
  /** The id of its rule, else its metric, else its label. */
  code: z.string(),
  /** Null when a judge found it or the file contains it. */
  rule: z.nullable(z.string()),
  location: fileLocation,
  /** Further evidence. */
  related: z.readonly(z.array(relatedLocation)),
});
export type SessionProblemRow = z.infer<typeof sessionProblemRow>;

export const observationRow = z.object({
  ...z.pick(observationSchema, { turn: true, rule: true, title: true, reason: true, pointer: true }).shape,
  location: fileLocation,
  related: z.readonly(z.array(relatedLocation)),
});
/** A finding that does not count against the agent. */
export type ObservationRow = z.infer<typeof observationRow>;

export const fileProblemRow = z.object({
  ...z.pick(problemSchema, { severity: true, message: true }).shape,
  location: fileLocation,
  /** The file was read, and is of no format that Turnwise knows. */
  isNoTrace: z.optional(z.literal(true)),
});
/** A problem with a file. */
export type FileProblemRow = z.infer<typeof fileProblemRow>;

/** The page of a long list. */
export const pageParams = { offset: count, limit: z.int().check(z.positive(), z.maximum(10_000)) };

export const evaluateResult = z.object({
  /** False when it was stopped. Finished results are kept. */
  complete: z.boolean(),
  sessions: count,
  problems: z.readonly(z.array(fileProblemRow)),
  /** Why the judge answered no question, if it answered none. */
  outage: z.optional(z.string()),
});
export type EvaluateResult = z.infer<typeof evaluateResult>;

export const evaluateParams = z.object({
  uris: z.readonly(z.array(fileUri).check(z.minLength(1))),
  /** The token of work-done progress. */
  workDoneToken: z.optional(z.union([z.string(), z.int()])),
});

/** Evaluates files and folders, and replaces their results and diagnostics. Cancel the request to stop. */
export const evaluate = defineRequest(
  'turnwise/evaluate',
  z.extend(evaluateParams, {
    /** Whether no model is asked and no run is recorded: the user opened a file, and asked for no evaluation. */
    rulesOnly: z.optional(z.boolean()),
  }),
  evaluateResult,
);

/** The sessions of all files, or of one file, the worst first; and the problems of unreadable files. */
export const sessions = defineRequest(
  'turnwise/sessions',
  z.object({ uri: z.optional(fileUri), ...pageParams }),
  z.object({
    total: count,
    rows: z.readonly(z.array(sessionRow)),
    problems: z.readonly(z.array(fileProblemRow)),
  }),
);

/** The problems of a session in the order of its turns; none for an unknown session. */
export const sessionProblems = defineRequest(
  'turnwise/problems',
  z.object({ session: z.string(), ...pageParams }),
  z.object({ total: count, rows: z.readonly(z.array(sessionProblemRow)) }),
);

/** Clears all results, also on disk, and their diagnostics. */
export const clear = defineRequest('turnwise/clear', z.object({}), z.object({}));

/** The number of sessions per kind of headline, and of those that are evaluated for the first time. */
export const headlineCounts = z.object({
  failed: count,
  undecided: count,
  problems: count,
  'not-run': count,
  clean: count,
  succeeded: count,
  pending: count,
});
export type HeadlineCounts = z.infer<typeof headlineCounts>;

/** Of no session. */
export const NO_HEADLINES: HeadlineCounts = {
  failed: 0,
  undecided: 0,
  problems: 0,
  'not-run': 0,
  clean: 0,
  succeeded: 0,
  pending: 0,
};

/** A row per evaluated file, the worst first, then `new` files, then unreadable ones. */
export const fileRow = z.object({
  uri: z.string(),
  /** `new`: a trace by its name that was not evaluated yet. */
  state: z.enum(['fresh', 'stale', 'gone', 'new']),
  changed: staleCause,
  sessions: count,
  headlines: headlineCounts,
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
 * Restores stored results of folders or files, after a restart of the editor or the server. Existing results stay. Files that
 * changed are `stale`, deleted files are `gone`.
 */
export const restore = defineRequest(
  'turnwise/restore',
  z.object({ folders: z.readonly(z.array(fileUri)) }),
  /** The number of restored files; null: restoring continues in the background. */
  z.object({ files: z.nullable(count) }),
);

/**
 * The trace files that the editor found by name. Created and deleted files arrive as watched files; a deleted folder is reported
 * by this notification.
 */
export const traceFilesFound = defineNotification('turnwise/watched', z.object({ uris: z.readonly(z.array(fileUri)) }));

const edit = z.object({ range, lines: count, lastLength: count });

/**
 * A document was edited; its text is not sent. `isDirty` is false when the text matches the file again, after it was saved,
 * undone, reverted or closed; then there may be no edits.
 */
export const documentEdited = defineNotification(
  'turnwise/edited',
  z.object({ uri: fileUri, edits: z.readonly(z.array(edit)), isDirty: z.boolean() }),
);

/** Results have changed, of these files or (without files) of any. */
export const resultsChanged = defineNotification(
  'turnwise/changed',
  z.object({ uris: z.optional(z.array(z.string())) }),
);
