import * as z from 'zod/mini';
import type { RunComparison } from '../core/run-comparison.ts';
import type { Leaderboard, MetricDistribution, RunTrend } from '../core/run-trend.ts';
import { headlineSchema, verdictSchema } from '../core/schemas/report.ts';
import { runComparisonSchema } from '../core/schemas/run-comparison.ts';
import { recordedSessionSchema } from '../core/schemas/run-record.ts';
import {
  leaderboardSchema,
  metricDistributionSchema,
  runTrendSchema,
  TREND_SUBJECTS,
} from '../core/schemas/run-trend.ts';
import { toolOutcomeSchema } from '../core/schemas/session.ts';
import { CONCLUSIONS, FLIP_DIRECTIONS, RUN_STATES } from '../core/statuses.ts';
import { fileUri, pageParams } from './messages.ts';
import { argumentComparison, count, excerpt, list, target } from './report-values.ts';
import { defineNotification, defineRequest } from './rpc.ts';

/** Recorded runs: their list, what changed between them, and what is done with them. */

export const runId = z.string().check(z.minLength(1), z.maxLength(200));
const id = runId;
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
  /** `earlier`: another run has become the baseline since. */
  baseline: z.nullable(z.enum(['current', 'earlier'])),
  /** What its alerts say, a sentence each. */
  alerts: list(z.string()),
  /** It was recorded elsewhere, and there is nothing any more. */
  isGone: z.boolean(),
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

/** The run that a run is compared with by default: the newest complete one before it; null without one. */
export const previousRun = defineRequest(
  'turnwise/runs/previous',
  z.object({ run: id }),
  z.object({ row: z.nullable(runRow) }),
);

const runSession = z.object({
  ...z.pick(recordedSessionSchema, { id: true, file: true, line: true, verdict: true, headline: true }).shape,
  task: z.nullable(z.string()),
  /** Of the file. */
  uri: z.string(),
  /** The key of its report; null where the editor has no results of it. */
  key: z.nullable(z.string()),
});
export type RunSession = z.infer<typeof runSession>;

/** The sessions of a run, the worst first. */
export const runSessions = defineRequest(
  'turnwise/runs/sessions',
  z.object({ run: id, ...pageParams }),
  z.object({ total: count, rows: list(runSession) }),
);

const runSide = z.object({
  of: z.literal('run'),
  run: id,
  /** As the rows of the run name them. */
  session: z.string(),
  file: z.string(),
});

/** A run whose sessions can be judged with the judge of another run, to compare both. */
export const rejudgeTarget = z.object({
  run: id,
  /** The run whose judge is asked. */
  by: id,
  /** Whether `run` is the first of the two in their comparison. */
  isFirst: z.boolean(),
});

/** Which files of a run are still as they were when it evaluated them. Nothing is sent to a model. */
export const planRejudge = defineRequest(
  'turnwise/runs/rejudge/plan',
  z.object({ run: id }),
  z.object({
    uris: list(fileUri),
    sessions: count,
    /** Sessions whose file changed or is gone, the first 100 by name. */
    missing: list(z.string()),
    missingCount: count,
  }),
);
export type RejudgePlan = z.infer<typeof planRejudge.result>;

/** Evaluates files with the judge of a run, as far as the user allows it, and records it as a run. Cancel the request to stop. */
export const rejudge = defineRequest(
  'turnwise/runs/rejudge',
  z.object({
    uris: list(fileUri).check(z.minLength(1)),
    by: id,
    workDoneToken: z.optional(z.union([z.string(), z.int()])),
  }),
  z.object({
    /** The new run; null where it was stopped, or where the judge was not used. */
    run: z.nullable(id),
    /** Why the judge was not used, a sentence each. */
    reasons: list(z.string()),
  }),
);

const changedSession = z.object({
  /** The task, else the id of the session. */
  title: z.string(),
  direction: z.enum(FLIP_DIRECTIONS),
  before: runSide,
  after: runSide,
  /** After the change. */
  headline: headlineSchema,
});
export type ChangedSessionRow = z.infer<typeof changedSession>;

/** The sessions that changed against the newest complete run before, the worst first. */
export const runChanges = defineRequest(
  'turnwise/runs/changes',
  z.object({ run: id, ...pageParams }),
  z.object({
    /** Null where there is none to compare with, or where the run is not complete. */
    previous: z.nullable(runRow),
    /** Where no session changed: what can be said. */
    summary: z.string(),
    worse: count,
    better: count,
    unclear: count,
    /** Where another judge is the difference: what can be done about it; null elsewhere. */
    again: z.nullable(
      z.object({
        ...rejudgeTarget.shape,
        /** As `provider/model`. */
        judge: z.string(),
        sessions: count,
        of: count,
        tokens: z.nullable(count),
      }),
    ),
    rows: list(changedSession),
  }),
);
export type ChangesSincePrevious = z.infer<typeof runChanges.result>;

/** Runs have appeared, changed or gone, from this window or elsewhere. */
export const runsChanged = defineNotification(
  'turnwise/runs/changed',
  z.object({
    /** Only these, which are being written, have more sessions; absent: any may have changed. */
    progressed: z.optional(list(id)),
  }),
);

/** What can be compared: a session of a run, or one with current results. */
export const comparedSession = z.discriminatedUnion('of', [
  runSide,
  z.object({ of: z.literal('results'), key: z.string() }),
]);
export type ComparedSide = z.infer<typeof comparedSession>;

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

export const transcriptPart = z.object({
  /** Zero-based. */
  turn: count,
  target,
  /** The message, the arguments of a call, or the query. */
  text: excerpt,
  /** What a call or a retrieval returned, or its error. */
  result: z.nullable(excerpt),
  /** Null for anything but calls. */
  outcome: z.nullable(toolOutcomeSchema),
});
export type TranscriptPartRow = z.infer<typeof transcriptPart>;

/** What a session consists of: messages and steps. */
export const partType = z.enum(['user', 'model', 'tool', 'retrieval', 'agent', 'answer']);

/** A message or a step of two sessions; `report-model/transcript/align-steps.ts` says what the changes mean. */
const alignedPart = z.object({
  change: z.enum(['same', 'reworded', 'arguments', 'result', 'left', 'right']),
  type: partType,
  /** Of the tool or the sub-agent; null for others. */
  name: z.nullable(z.string()),
  left: z.nullable(transcriptPart),
  right: z.nullable(transcriptPart),
  /** How the arguments differ; null unless they do. */
  arguments: z.nullable(argumentComparison),
});
export type AlignedPartRow = z.infer<typeof alignedPart>;

/** Two transcripts side by side: parts that correspond share a row. */
export const comparedTranscripts = defineRequest(
  'turnwise/runs/transcripts',
  z.object({ left: comparedSession, right: comparedSession, ...pageParams }),
  z.object({
    left: transcriptSide,
    right: transcriptSide,
    /** 0 where one of them has no transcript. */
    total: count,
    /** The first row that differs in what was done, else in words; null where nothing differs. */
    divergence: z.nullable(count),
    /** Rows that differ in what was done, and those that differ in words alone. */
    actions: count,
    wordings: count,
    /** The indexes of the rows that differ, the first 10,000. */
    changed: list(count),
    rows: list(alignedPart),
  }),
);
export type ComparedTranscripts = z.infer<typeof comparedTranscripts.result>;

/** Read-only, as the server computes them. */
const comparison: z.ZodMiniType<RunComparison> = runComparisonSchema;
const trend: z.ZodMiniType<RunTrend> = runTrendSchema;
const distribution: z.ZodMiniType<MetricDistribution> = metricDistributionSchema;
const leaderboard: z.ZodMiniType<Leaderboard> = leaderboardSchema;

/** What a comparison says in one line: `comparisonHeadline` of `runs/compare`. */
const comparisonHeadline = z.object({
  /** Null of more than two runs. */
  conclusion: z.nullable(z.enum([...CONCLUSIONS, 'better and worse'])),
  metric: z.nullable(z.string()),
  text: z.string(),
  next: z.nullable(z.string()),
});
export type ComparisonHeadlineRow = z.infer<typeof comparisonHeadline>;

/** Runs against the first of them. Rejects with a sentence where one of them is gone. */
export const compareRuns = defineRequest(
  'turnwise/runs/comparison',
  z.object({ runs: list(id).check(z.minLength(2), z.maxLength(MAX_COMPARED)) }),
  z.object({
    comparison,
    headline: comparisonHeadline,
    /** That no session changed, as a sentence; null where one did, and where none could be compared. */
    unchanged: z.nullable(z.string()),
    /** The runs, in the order of the comparison. */
    runs: list(runRow),
  }),
);
export type RunsCompared = z.infer<typeof compareRuns.result>;

const subjectName = z.string().check(z.minLength(1), z.maxLength(200));

/** Over the runs of the project of a run. */
export const runTrend = defineRequest(
  'turnwise/runs/trend',
  z.object({
    run: id,
    /** A metric, a measure, a rule or a label; null: the one that says most, such as the success of the sessions. */
    subject: z.nullable(subjectName),
    /** Only sessions of this task. */
    task: z.nullable(z.string()),
  }),
  z.object({
    /** Null without runs that have a value. */
    trend: z.nullable(trend),
    /** What else can be shown. */
    subjects: list(z.object({ kind: z.enum(TREND_SUBJECTS), name: z.string() })),
  }),
);

export const runDistribution = defineRequest(
  'turnwise/runs/distribution',
  z.object({ run: id, subject: subjectName }),
  z.object({ distribution: z.nullable(distribution) }),
);

/** The riskiest sessions of a run, and the least reliable tasks of its project. */
export const runLeaderboard = defineRequest(
  'turnwise/runs/leaderboard',
  z.object({ run: id }),
  z.object({
    leaderboard,
    /** Where its sessions are, in the same order: their files, and the keys of their reports, null where there is none. */
    locations: list(z.object({ uri: z.string(), key: z.nullable(z.string()) })),
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

export const metricName = z.string().check(z.minLength(1), z.maxLength(200));

/** What a page about runs shows. */
export const runsScope = z.discriminatedUnion('show', [
  z.object({ show: z.literal('comparison'), runs: list(id).check(z.minLength(2), z.maxLength(MAX_COMPARED)) }),
  z.object({ show: z.literal('transcripts'), left: comparedSession, right: comparedSession }),
  /** Over the runs of the project of this run. */
  z.object({ show: z.literal('trend'), run: id }),
  /** What the judge of a metric said in a run, to be labelled. */
  z.object({ show: z.literal('labels'), run: id, metric: metricName }),
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

/** Judges a run again, and opens the new comparison; the editor shows progress and asks what it must ask. */
export const runRejudge = defineRequest('turnwise/panel/rejudge', rejudgeTarget, empty);
