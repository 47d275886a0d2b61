import * as z from 'zod/mini';
import {
  modelNameSchema,
  observationSchema,
  problemOccurrenceSchema,
  problemSchema,
  suppressedFindingSchema,
  turnReportSchema,
} from './report.ts';
import { resultsByMetricSchema } from './result.ts';
import {
  pointerSchema,
  recordedOutcomeSchema,
  scenarioLocationSchema,
  sourceSchema,
  suppressionSchema,
  taskSchema,
} from './session.ts';

/** A finding or failure label that counts against the agent, before it has a line. */
export const agentProblemSchema = z.object({
  occurrence: problemOccurrenceSchema,
  /** Whether a judge named it. */
  isJudged: z.boolean(),
  /** Whether the user configured its severity: then nothing else changes it. */
  isSeverityFixed: z.boolean(),
  /** The same for problems that belong together. */
  key: z.string(),
  title: z.string(),
  explanation: z.string(),
});

/** Results of one metric that are missing for one reason. */
export const missingResultSchema = z.object({
  code: z.enum(['judge-unanswered', 'function-failed', 'metric-failed', 'interrupted']),
  metric: z.string(),
  reason: z.string(),
  count: z.number(),
});

/** What the calls of one model cost. */
export const judgeUsageSchema = z.object({
  ...modelNameSchema.shape,
  calls: z.number(),
  callsCached: z.number(),
  promptTokens: z.number(),
  completionTokens: z.number(),
});

/** Where a value of a trace begins and ends, one-based. */
export const tracePlaceSchema = z.object({
  file: z.string(),
  pointer: pointerSchema,
  line: z.number(),
  column: z.number(),
  endLine: z.number(),
  endColumn: z.number(),
});

/** A successful call that changed state, as attempts of a task compare it. */
export const stateChangeSchema = z.object({
  /** Equal for calls that do the same: a digest of the tool's name and the normalized arguments. */
  key: z.string(),
  /** The name of the tool in a sentence. */
  tool: z.string(),
  /** The first ones, shortened and without secrets; equal keys say the same. */
  arguments: z.array(z.object({ key: z.string(), text: z.string() })),
  /** How many more there are. */
  moreArguments: z.optional(z.number()),
  /** Zero-based index of the turn. */
  turn: z.number(),
  pointer: pointerSchema,
  /** Only where it is another file than the session's. */
  file: z.optional(z.string()),
});

/** What metrics of several sessions read of one. */
export const sessionFactsSchema = z.object({
  /** The names of the tools that the agent called, in order. */
  toolSequence: z.array(z.string()),
  /** Whether a person had to help: a call was refused, or handed over to a human. */
  neededHuman: z.boolean(),
  goalReached: z.optional(z.boolean()),
  /** Tool calls, those of sub-agents included. */
  calls: z.number(),
  /** Of all model calls that report them; null where none does. */
  tokens: z.nullable(z.number()),
  /** In US dollars, of all model calls that report it; absent where none does. */
  cost: z.optional(z.number()),
  /** From the start of the first turn to the end of the last; null where the trace has no times. */
  durationMs: z.nullable(z.number()),
  /** What it changed, each change once. Absent without a task or content, and where 0.1.0 stored the facts. */
  changes: z.optional(z.array(stateChangeSchema)),
  /** Successful calls of tools of which it is not known whether they change state; absent if there is none. */
  unknownCalls: z.optional(z.number()),
  /** A sketch of the words of the goal, or of the first message of the user, by which similar tasks are found. */
  taskWords: z.optional(z.array(z.number())),
  /** It was stopped before the agent could finish. */
  endedEarly: z.optional(z.literal(true)),
  /** The same for a session that is read twice. */
  fingerprint: z.optional(z.string()),
});

/** All that an evaluated session adds to the report, as plain data. No transcript is in it. */
export const sessionOutcomeSchema = z.object({
  id: z.string(),
  source: sourceSchema,
  goal: z.optional(z.string()),
  task: z.optional(taskSchema),
  /** Absent where it has none. */
  tags: z.optional(z.array(z.string())),
  /** The scenario that it is an attempt at. */
  scenario: z.optional(scenarioLocationSchema),
  /** The files beside the trace that say what is expected of it. */
  expectations: z.optional(z.array(z.string())),
  facts: sessionFactsSchema,
  /** What the trace, the files beside it and the user's feedback say; absent where they say nothing. */
  recorded: z.optional(recordedOutcomeSchema),
  user: z.optional(recordedOutcomeSchema),
  /** Why its run ended in an error, in the words of its harness; absent where it did not. */
  endingError: z.optional(z.string()),
  /** False where the trace has no content: nothing passes then. */
  isRecorded: z.boolean(),
  /** Whether it only says what is expected of a run that is not there. */
  isTestCase: z.boolean(),
  /** Those that were evaluated, by index. */
  turns: z.array(turnReportSchema),
  metrics: resultsByMetricSchema,
  missing: z.array(missingResultSchema),
  problems: z.array(agentProblemSchema),
  observations: z.array(observationSchema),
  suppressed: z.array(suppressedFindingSchema),
  /** Suppressions of what rules find only beside other attempts; absent if there is none. */
  attemptSuppressions: z.optional(z.array(suppressionSchema)),
  /** Warnings about suppressions that suppress nothing. */
  unusedSuppressions: z.array(problemSchema),
  /** Where the evidence of low scores stands, and of a part of a run what other attempts are compared with; absent unless it is recorded. */
  places: z.optional(z.array(tracePlaceSchema)),
  /** Of what the user wrote, and of the whole session apart from where it stands; absent unless the run is recorded or has labels of people. */
  hashes: z.optional(z.object({ inputs: z.string(), content: z.string() })),
  embeddedTexts: z.number(),
  /** What its judges cost, by model; a model that was not called has none. */
  judgeUsage: z.array(judgeUsageSchema),
});
