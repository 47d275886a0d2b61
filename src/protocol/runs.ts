import * as z from 'zod/mini';
import { headlineSchema, verdictSchema } from '../core/schemas/report.ts';
import { toolOutcomeSchema } from '../core/schemas/session.ts';
import { RUN_STATES } from '../core/statuses.ts';
import { fileUri, pageParams } from './messages.ts';
import { count, excerpt, list, target } from './report-values.ts';
import { defineNotification, defineRequest } from './rpc.ts';

/** Recorded runs: their list, what changed between them, and what is done with them. */

const id = z.string().check(z.minLength(1), z.maxLength(200));
const empty = z.object({});

/** Runs that one comparison can have. */
const MAX_COMPARED = 8;

const runRow = z.object({
  id,
  /** As its user named it. */
  name: z.nullable(z.string()),
  /** The name of its project, where several are open. */
  project: z.nullable(z.string()),
  /** ISO 8601. */
  startedAt: z.string(),
  durationMs: z.nullable(z.number()),
  state: z.enum(RUN_STATES),
  /** Whether something still writes it; a `running` run without a writer was killed. */
  isLive: z.boolean(),
  /** Null until it has one. */
  verdict: z.nullable(verdictSchema),
  /** Sessions so far. */
  sessions: count,
  succeeded: count,
  failed: count,
  undecided: count,
  /** Who or what stopped it, as a sentence. */
  stoppedBy: z.nullable(z.string()),
  git: z.nullable(z.object({ commit: z.string(), branch: z.nullable(z.string()), dirty: z.boolean() })),
  agent: z.object({ name: z.nullable(z.string()), version: z.nullable(z.string()) }),
  /** As `provider/model`; null for rules only. */
  judge: z.nullable(z.string()),
  isBaseline: z.boolean(),
});
export type RunRow = z.infer<typeof runRow>;

/** The recorded runs of the open folders, the newest first. */
export const runs = defineRequest(
  'turnwise/runs',
  z.object({ ...pageParams }),
  z.object({ rows: list(runRow), hasMore: z.boolean() }),
);

/** Some runs by id, in this order; those that are gone are left out. */
export const runsById = defineRequest(
  'turnwise/runs/byId',
  z.object({ runs: list(id) }),
  z.object({ rows: list(runRow) }),
);

/** Runs have appeared, changed or gone, from this window or elsewhere. */
export const runsChanged = defineNotification('turnwise/runs/changed', empty);

/** What can be compared: a session of a run, or one with current results. */
const comparedSession = z.discriminatedUnion('of', [
  z.object({
    of: z.literal('run'),
    run: id,
    /** As the rows of the run name them. */
    session: z.string(),
    file: z.string(),
  }),
  z.object({ of: z.literal('results'), key: z.string() }),
]);
export type ComparedSession = z.infer<typeof comparedSession>;

const transcriptSide = z.object({
  title: z.string(),
  /** Null for current results. */
  run: z.nullable(runRow),
  headline: headlineSchema,
  target: z.nullable(target),
  /** One-based, where the file has lines. */
  line: z.nullable(count),
  /** The key of its report; null where there is none. */
  key: z.nullable(z.string()),
  /** Why there is no transcript, as a sentence with a remedy; null where there is one. */
  missing: z.nullable(z.string()),
});
export type TranscriptSide = z.infer<typeof transcriptSide>;

const transcriptStep = z.object({
  /** Zero-based. */
  turn: count,
  type: z.enum(['user', 'agent', 'model', 'tool', 'retrieval', 'sub-agent']),
  /** Of the tool or the sub-agent. */
  name: z.nullable(z.string()),
  /** What was said, asked, or passed as arguments. */
  text: excerpt,
  /** What a tool returned, or its error. */
  result: z.nullable(excerpt),
  outcome: z.nullable(toolOutcomeSchema),
  target: z.nullable(target),
});
export type TranscriptStep = z.infer<typeof transcriptStep>;

/** Two transcripts side by side: steps that correspond share a row. */
export const comparedTranscripts = defineRequest(
  'turnwise/runs/transcripts',
  z.object({ left: comparedSession, right: comparedSession, ...pageParams }),
  z.object({
    left: transcriptSide,
    right: transcriptSide,
    total: count,
    /** The row at which they diverge first; null where all rows are the same. */
    firstDifference: z.nullable(count),
    rows: list(z.object({ left: z.nullable(transcriptStep), right: z.nullable(transcriptStep), isSame: z.boolean() })),
  }),
);

/** Null takes the name away. */
export const renameRun = defineRequest(
  'turnwise/runs/rename',
  z.object({ run: id, name: z.nullable(z.string().check(z.minLength(1), z.maxLength(200))) }),
  empty,
);

/** Deletes runs for good. */
export const deleteRuns = defineRequest('turnwise/runs/delete', z.object({ runs: list(id) }), empty);

/** Writes a run into one file. */
export const exportRun = defineRequest('turnwise/runs/export', z.object({ run: id, target: fileUri }), empty);

/** Makes a run the baseline of its project. */
export const setBaseline = defineRequest(
  'turnwise/runs/baseline',
  z.object({ run: id, reason: z.string().check(z.minLength(1), z.maxLength(2000)) }),
  z.union([
    z.object({ written: z.string() }),
    /** What a baseline would need, a sentence each. */
    z.object({ missing: list(z.string()) }),
  ]),
);

/** What a page about runs shows. */
const runsScope = z.discriminatedUnion('show', [
  z.object({ show: z.literal('comparison'), runs: list(id).check(z.minLength(2), z.maxLength(MAX_COMPARED)) }),
  z.object({ show: z.literal('transcripts'), left: comparedSession, right: comparedSession }),
  /** Over the runs of the project of this run. */
  z.object({ show: z.literal('trend'), run: id }),
]);
export type RunsScope = z.infer<typeof runsScope>;

/** The state of the panel, restored after a reload. */
export const runsPanelState = z.object({
  scope: runsScope,
  /** Further state of the app: tab, selection. */
  view: z.optional(z.unknown()),
});
export type RunsPanelState = z.infer<typeof runsPanelState>;

/** Opens a page about runs, in a panel of its own or in the one that shows it already. */
export const openRunsPage = defineRequest('turnwise/panel/runs', z.object({ scope: runsScope }), empty);

const runCommand = z.enum(['compareWith', 'setAsBaseline', 'rename', 'export']);
export type RunCommand = z.infer<typeof runCommand>;

/** Runs a command of the editor for a run; it asks the user what it needs to know. */
export const runRunCommand = defineRequest(
  'turnwise/panel/runCommand',
  z.object({ run: id, command: runCommand }),
  empty,
);
