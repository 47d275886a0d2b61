import * as z from 'zod/mini';
import { headlineSchema, verdictSchema } from '../core/schemas/report.ts';
import { fileLocation, fileProblemRow, fileUri } from './messages.ts';
import { count, list } from './report-values.ts';
import { defineNotification, defineRequest } from './rpc.ts';

/** Scenarios: what is in their files, running them, and what came of it. */

const { range } = fileLocation.shape;

const scenarioRow = z.object({
  /** Null where the name is no literal, and the code of the file has not run. */
  name: z.nullable(z.string()),
  /** The agent that it names itself, where that is known without its code. */
  agent: z.optional(z.string()),
  /** The whole scenario; of its lenses, the start. */
  range,
  /** Scripted turns and expected calls, in order. */
  turns: list(range),
  expectedCalls: list(range),
});
export type ScenarioRow = z.infer<typeof scenarioRow>;

/**
 * The scenarios of a file, found without running its code.
 *
 * @param text of the open document, where it has unsaved edits.
 */
export const scenariosOf = defineRequest(
  'turnwise/scenarios',
  z.object({ uri: fileUri, text: z.optional(z.string()) }),
  z.object({ scenarios: list(scenarioRow), problems: list(fileProblemRow) }),
);

/** The scenario files that the configurations of the open folders name, or those named as usual. */
export const scenarioFiles = defineRequest('turnwise/scenarios/files', z.object({}), z.object({ uris: list(fileUri) }));

/** Something that a scenario expects and an attempt did not do, or an error of an attempt. */
const attemptMessage = z.object({
  /** All of it as text: what was expected, what was done, the line of the trace, the reason. */
  text: z.string(),
  /** As short texts that can be compared; null where there is nothing to compare. */
  expected: z.nullable(z.string()),
  actual: z.nullable(z.string()),
  /** In the scenario file: the expected call, else the turn, else the scenario. */
  location: fileLocation,
  /** In the session file. */
  trace: z.nullable(fileLocation),
  /** Zero-based; null: the session as a whole. */
  turn: z.optional(z.nullable(count)),
});
export type AttemptMessage = z.infer<typeof attemptMessage>;

export const attemptRow = z.object({
  /** From 1. */
  trial: z.int().check(z.positive()),
  agent: z.string(),
  /** `undecided`: an error, or something that was needed was missing; never passed. */
  verdict: verdictSchema,
  headline: headlineSchema,
  messages: list(attemptMessage),
  /** Its session file; null where it could not be written. */
  uri: z.nullable(fileUri),
  /** The key of its report; null where the server has no results of it. */
  session: z.nullable(z.string()),
  turns: count,
  tokens: z.nullable(count),
  durationMs: z.number(),
  /** What the user's code printed. */
  output: z.string(),
});
export type AttemptRow = z.infer<typeof attemptRow>;

export const scenarioResult = z.object({
  /** Of the scenario file. */
  uri: fileUri,
  name: z.string(),
  verdict: verdictSchema,
  /** "2 of 3 succeeded · pass^2 0.33 [0.04–0.87] · attempts disagree on cancel_order". */
  summary: z.string(),
  /** pass^k, where it can be estimated. */
  allPass: z.optional(z.object({ k: count, value: z.number() })),
  attempts: list(attemptRow),
  /** The recorded run; null where none is stored. */
  run: z.nullable(z.string()),
  /** The one before it that has the scenario; absent where there is none. */
  previousRun: z.optional(z.string()),
  /** ISO 8601. */
  finishedAt: z.string(),
  /** Whether the file of the scenario, or its configuration, changed since. */
  isStale: z.boolean(),
});
export type ScenarioResult = z.infer<typeof scenarioResult>;

/** The last results of the scenarios of some files, also those of earlier sessions of the editor; of any file without `uris`. */
export const scenarioResults = defineRequest(
  'turnwise/scenarios/results',
  z.object({ uris: z.optional(list(fileUri)) }),
  z.object({ results: list(scenarioResult) }),
);

/** Results of scenarios in these files changed, or became stale. */
export const scenarioResultsChanged = defineNotification(
  'turnwise/scenarios/changed',
  z.object({ uris: list(fileUri) }),
);

const runningResult = z.extend(scenarioResult, {
  /** Attempts that are not evaluated yet. */
  pending: z.optional(count),
});
/** A result that may not be final: what is known while the scenario runs can turn out worse, when its attempts are compared. */
export type RunningScenario = z.infer<typeof runningResult>;

/** `simulating`: the agent and its user talk; `evaluating`: the session file is evaluated. */
export const ATTEMPT_PHASES = ['simulating', 'evaluating', 'finished'] as const;

/** What changed in a run since the last of these. At most 20 a second of each run. */
export const scenarioProgress = defineNotification(
  'turnwise/scenarios/progress',
  z.object({
    /** As in the request. */
    run: z.string(),
    attempts: list(
      z.object({
        uri: fileUri,
        name: z.string(),
        trial: z.int().check(z.positive()),
        agent: z.string(),
        phase: z.enum(ATTEMPT_PHASES),
      }),
    ),
    /** Finished attempts, and those that are known so far. */
    done: count,
    of: count,
    /** What the code of scenario files printed. */
    output: z.string(),
    /** Of scenarios with attempts that were evaluated since. The answer to the request has the final ones. */
    results: z.optional(list(runningResult)),
  }),
);

/** Scenarios of files: all of a file without names. */
const selection = list(z.object({ uri: fileUri, names: z.optional(list(z.string())) }));

/**
 * Runs scenarios and evaluates their attempts, which becomes a recorded run. Their results are there afterwards. Runs code of
 * the workspace, and so only in a trusted one. Cancel the request to stop: all processes end within a second, and finished
 * attempts stay.
 */
export const runScenarios = defineRequest(
  'turnwise/scenarios/run',
  z.object({
    /** A new id that names the run in notifications. */
    run: z.string(),
    /** All scenarios of these files where no names are given; all files of the open folders where there are none. */
    files: selection,
    attempts: z.optional(z.int().check(z.positive(), z.maximum(1000))),
    /** Instead of what each scenario says. Several: each of them tries each scenario. */
    agents: z.optional(list(z.string())),
    /** Answers of models and tools are those of the last run of each scenario. Nothing is sent. */
    isReplay: z.optional(z.boolean()),
    /** The code of scenario files waits for a debugger. Only for a single file; one attempt at a time. */
    isDebug: z.optional(z.boolean()),
  }),
  z.object({
    /** False when it was stopped. */
    complete: z.boolean(),
    /** What ran. */
    results: list(scenarioResult),
    /** Of files, of the configuration, of agents. */
    problems: list(fileProblemRow),
  }),
);
export type ScenarioRunParams = z.infer<typeof runScenarios.params>;
export type ScenarioRunResult = z.infer<typeof runScenarios.result>;

/** The process that runs the code of a scenario file waits for a debugger at this port of this machine. */
export const debuggerNeeded = defineNotification(
  'turnwise/scenarios/debugger',
  z.object({ run: z.string(), port: z.int().check(z.positive()) }),
);

const coveredTool = z.object({
  name: z.string(),
  /** Its name where it is defined. */
  range,
  calls: count,
  /** Arguments, their values and error results, and how many calls had each. */
  parts: list(z.object({ label: z.string(), times: count })),
});

/** Which tools, arguments and error results the last attempts at scenarios exercised, by the files that define the tools. */
export const scenarioCoverage = defineRequest(
  'turnwise/scenarios/coverage',
  z.object({ files: selection }),
  z.object({
    files: list(z.object({ uri: fileUri, tools: list(coveredTool) })),
    /** What is not measured, a sentence each. */
    notMeasured: list(z.string()),
  }),
);
export type CoveredTools = z.infer<typeof scenarioCoverage.result>['files'][number];

/** What the configuration nearest to a file says of its scenarios. */
export const scenarioAgents = defineRequest(
  'turnwise/scenarios/agents',
  z.object({ uri: fileUri }),
  z.object({
    /** The names of the agents that they can be run against. */
    agents: list(z.string()),
    /** How often a scenario is tried that does not say it. */
    attempts: z.optional(z.int().check(z.positive())),
    /** Whether the configuration names the file as one of scenarios; without a configuration, by its usual names. */
    isScenarioFile: z.boolean(),
  }),
);

/** What the model is asked that plays the user of a scenario, verbatim. Nothing is sent. */
export const scenarioUserPrompt = defineRequest(
  'turnwise/scenarios/prompt',
  z.object({
    uri: fileUri,
    name: z.string(),
    /** Of the open document, where it has unsaved edits. */
    text: z.optional(z.string()),
  }),
  z.object({
    /** `provider/model`; null where none is configured. */
    model: z.nullable(z.string()),
    /** What only the code of the file knows is there as `{{profile}}`, `{{goal}}` or `{{knowledge}}`. */
    system: z.string(),
    /** The parts of the message at the beginning, and of the one after the first answer of the agent. */
    first: list(z.string()),
    next: list(z.string()),
    /** The schema of the answer, as JSON. */
    answer: z.string(),
  }),
);
export type ScenarioUserPrompt = z.infer<typeof scenarioUserPrompt.result>;
