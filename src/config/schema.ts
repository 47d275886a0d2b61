import * as z from 'zod';
import { EDITOR_CONCURRENCY, EDITOR_PROVIDER } from '../core/editor-models.ts';
import { PROVIDER_NAMES } from '../core/model-providers.ts';
import { isQuickGlob, SLOW_GLOB } from '../core/quick-glob.ts';
import { DEFAULT_SCENARIOS } from '../core/scenario-file-names.ts';
import { judgeCalibrationSchema } from '../core/schemas/judge-labels.ts';
import { riskCoefficientsSchema } from '../core/schemas/risk-coefficients.ts';
import { DEFAULT_FAIL_ON, LEVELS, SEVERITIES } from '../core/severity.ts';
import { JUDGE_GATES } from '../core/statuses.ts';
import { mappingSchema } from '../formats/mapped/mapping.ts';
import { taskMappingSchema } from '../formats/mapped/task-mapping.ts';
import { DEFAULT_PROVIDER, findProvider } from '../llm/providers/index.ts';
import type { CustomMetric } from '../metrics/custom/definition.ts';
import { customSchema } from '../metrics/custom/definition-schema.ts';
import { threshold } from '../metrics/threshold-schema.ts';
import { isAsyncIterable, isIterable } from '../sandbox/iterator.ts';
import type { MetricInstance } from '../sandbox/metric-classes.ts';
import { isUserFunction, type UserFunction } from '../sandbox/module-function.ts';
import { expandPresets } from './presets.ts';
import { type SimulationInput, simulationSchema } from './simulation-schema.ts';

/**
 * The configuration schema. Every key is optional; the defaults are here. Foreign configurations are translated into
 * this schema by an adapter each.
 */
const severity = z.enum(SEVERITIES);
const text = z.string().min(1);
const texts = z.record(z.string(), z.string());
const count = z.int().positive();
/** The scheme and credentials are checked separately, because a message must not repeat credentials. */
const url = text.meta({ format: 'uri' });

/** Only a configuration that is code has functions. */
const callable = z.custom<UserFunction>(isUserFunction, 'must be a function, which only code has');

/** The names that `judge.provider` may have beside those of `providers`. */
export const JUDGE_PROVIDERS = ['rules', 'none', ...PROVIDER_NAMES, EDITOR_PROVIDER, 'function'] as const;

const judge = z.strictObject({
  provider: z.enum(JUDGE_PROVIDERS).default('rules'),
  /** Of the provider `function`, in reports. */
  name: text.optional(),
  /** The function of the provider `function`. */
  ask: callable.optional(),
  model: text.optional(),
  baseUrl: url.optional(),
  temperature: z.number().min(0).max(2).default(0),
  questionsPerCall: count.optional(),
  /** 2: two turns that follow each other, where the same is asked about both. */
  turnsPerCall: z.literal([1, 2]).default(1),
  samples: count.default(1),
  headers: texts.optional(),
  query: texts.optional(),
  extraBody: z.record(z.string(), z.unknown()).optional(),
  /** Default: the provider's. */
  concurrency: count.optional(),
  requestsPerMinute: count.optional(),
  tokensPerMinute: count.optional(),
  timeoutMs: count.default(60_000),
  /** Default: two minutes, or two requests of `timeoutMs` where that is longer. */
  patienceMs: count.optional(),
  maxCalls: count.optional(),
  maxTokens: count.optional(),
  redact: z.boolean().default(true),
  structuredOutput: z.enum(['auto', 'schema', 'json', 'text']).default('auto'),
  jsonFence: z.tuple([z.string(), z.string()]).optional(),
  price: z.strictObject({ input: z.number().min(0), output: z.number().min(0) }).optional(),
});

const DEFAULT_PATIENCE_MS = 120_000;

function defaultConcurrency(provider: string): number {
  return provider === EDITOR_PROVIDER ? EDITOR_CONCURRENCY : (findProvider(provider) ?? DEFAULT_PROVIDER).concurrency;
}

const embedder = z.strictObject({
  provider: z.enum(['none', 'lexical', 'static', ...PROVIDER_NAMES, 'function']).default('lexical'),
  /** The function of the provider `function`. */
  embed: callable.optional(),
  /** Of the provider `static`: a folder with the files of a model, relative to the configuration. */
  model: text.optional(),
  baseUrl: url.optional(),
  headers: texts.optional(),
  query: texts.optional(),
});

/** Other keys are options of the metric, checked by its own schema. */
const metricSettings = z.looseObject({
  enabled: z.boolean().optional(),
  threshold: threshold.optional(),
  /** A model for this metric alone: `provider:model` or `provider/model`. */
  judge: text.optional(),
});

const failOn = z.enum([...SEVERITIES, 'never']);

const share = z.number().min(0).max(1);

/** All attempts of a task gate together, by one of two measures. */
const attemptsGate = z
  .strictObject({
    k: z.int().min(1),
    passAtK: share.optional(),
    passPowK: share.optional(),
    bound: z.enum(['point', 'lower']).default('point'),
  })
  .refine(
    ({ passAtK, passPowK }) => (passAtK === undefined) !== (passPowK === undefined),
    'attempts have a minimum of "passAtK" or of "passPowK"',
  );

/** What differs for some tasks or tags. Of several entries, the last that matches and says something about it counts. */
const taskGates = z
  .strictObject({
    /** The id of a task, with `*` for any characters. */
    task: text.optional(),
    /** A tag of a session, with `*` for any characters. A task has the tags of its sessions. */
    tag: text.optional(),
    /** Instead of those for all, on each of these tasks; with the scope `session`, on each of their sessions. */
    thresholds: z.record(z.string(), threshold).optional(),
    failOn: failOn.optional(),
  })
  .refine((own) => (own.task === undefined) !== (own.tag === undefined), 'must have either "task" or "tag"')
  .refine((own) => own.thresholds !== undefined || own.failOn !== undefined, 'must have "thresholds" or "failOn"');

const gates = z.strictObject({
  thresholds: z.record(z.string(), threshold).optional(),
  scope: z.enum(['run', 'scenario', 'session']).optional(),
  /** Default: high. */
  failOn: failOn.optional(),
  /** The name of `failOn` in 0.1.0. */
  failOnErrorSeverity: failOn.optional().meta({ deprecated: true }),
  /** Whether an outcome of failure, recorded or expected, fails its session. */
  outcome: z.boolean().default(true),
  /** Share of a gated metric's results that must be scored, 0 to 1. */
  minCoverage: z.number().min(0).max(1).default(1),
  attempts: attemptsGate.optional(),
  /** Which judged metrics gate: all, or those whose judge was calibrated with labels; the others inform. Default: all. */
  judge: z.enum(JUDGE_GATES).optional(),
  preset: z.enum(['production']).optional(),
  for: z.array(taskGates).optional(),
});

/** What to warn of when it changes from run to run. */
const alert = z
  .strictObject({
    /** A metric, a measure of sessions, a rule or a failure label. */
    metric: text,
    direction: z.enum(['rises', 'falls']),
    /** How many runs in a row; default: 1. */
    for: count.optional(),
    /** Instead, slow drift. */
    drift: z.boolean().default(false),
    /** Whether an alert fails the run. */
    gate: z.boolean().default(false),
  })
  .refine((own) => !own.drift || own.for === undefined, 'an alert has either "for" or "drift"');

const alerts = z
  .union([
    z.array(alert),
    z.strictObject({
      when: z.array(alert),
      /** A program and its arguments, run for each alert with the alert as JSON on standard input. */
      command: z.array(text).min(1).optional(),
    }),
  ])
  .transform((own) => (Array.isArray(own) ? { when: own } : own));

/** Runs kept per project when nothing says otherwise. */
const DEFAULT_KEPT_RUNS = 200;

/** The recorded runs. */
const history = z.strictObject({
  /** Whether `turnwise eval` and the editor record their runs. */
  record: z.boolean().default(true),
  /** How many runs of the project are kept; baselines are kept besides. */
  keep: count.default(DEFAULT_KEPT_RUNS),
  /** Whether attempts of earlier runs count for `attempt_agreement`. */
  attempts: z.boolean().default(true),
});

/** A rule's level, or an object with it and the rule's options, checked by their own schema. */
const ruleLevel = z.enum([...LEVELS, 'off']);
const ruleSettings = z.union([ruleLevel, z.looseObject({ level: ruleLevel.optional() })]);

export const configurationSchema = z.strictObject({
  $schema: z.string().optional(),
  judge: judge.prefault({}).transform((settings) => ({
    ...settings,
    concurrency: settings.concurrency ?? defaultConcurrency(settings.provider),
    patienceMs: settings.patienceMs ?? Math.max(DEFAULT_PATIENCE_MS, 2 * settings.timeoutMs),
  })),
  embedder: embedder.prefault({}),
  metrics: z.union([z.array(text).transform(expandPresets), z.record(z.string(), metricSettings)]).default({}),
  gates: gates.prefault({}).transform(({ failOnErrorSeverity, ...given }) => ({
    ...given,
    failOn: given.failOn ?? failOnErrorSeverity ?? DEFAULT_FAIL_ON,
  })),
  severities: z.record(z.string(), severity).default({}),
  alerts: alerts.prefault([]),
  rules: z.record(z.string(), ruleSettings).default({}),
  stateChangingTools: z.array(text).default([]),
  /** Weights of `session_risk`, as `turnwise calibrate risk` fits them; by default those of the nearest `turnwise.risk.json`. */
  risk: z.optional(riskCoefficientsSchema),
  /** What labels say about judges, as `turnwise calibrate judge` finds it; by default that of the nearest `turnwise.judge.json`. */
  calibrations: z.optional(z.array(judgeCalibrationSchema)),
  /** Custom metrics. */
  custom: z.array(customSchema).default([]),
  /** Judge providers by name, for `judge.provider` and `--judge NAME:MODEL`. */
  providers: z.record(z.string(), callable).optional(),
  /** Globs of trace files, relative to the configuration: for `eval` without a path, `watch` and the editor. */
  traces: z.array(text.refine(isQuickGlob, SLOW_GLOB)).default([]),
  /** Globs of scenario files, relative to the configuration; those that begin with `!` are left out. */
  scenarios: z.array(text.refine(isQuickGlob, SLOW_GLOB)).default([...DEFAULT_SCENARIOS]),
  /** The agents that scenarios try. */
  simulation: simulationSchema.prefault({}),
  /** What `turnwise eval` evaluates when no path is named. */
  source: z
    .custom<SessionSource>(isSessionSource, 'must be code that yields sessions, in turnwise.config.ts')
    .optional(),
  /** Custom trace formats. */
  map: z.union([mappingSchema, z.array(mappingSchema)]).optional(),
  /** What says which sessions are attempts of one task. */
  tasks: taskMappingSchema.optional(),
  history: history.prefault({}),
});

/** Something iterable, or a function that returns it; a reference where it stands in a file. */
export type SessionSource = UserFunction | Iterable<unknown> | AsyncIterable<unknown>;

function isSessionSource(value: unknown): value is SessionSource {
  return (
    isUserFunction(value) ||
    (typeof value === 'object' && value !== null && (isIterable(value) || isAsyncIterable(value)))
  );
}

type WrittenConfiguration = z.input<typeof configurationSchema>;

/** A judge as a function: it gets a prompt, and returns the answer as an object of the schema's shape or as its JSON. */
export type JudgeFunction = (request: {
  readonly system: string;
  readonly prompt: string;
  /** The JSON Schema of the answer. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** `judge.model`; null without one. */
  readonly model: string | null;
}) => unknown;

/** An embedder as a function: it returns one vector for each text, all of one length. */
export type EmbedderFunction = (
  texts: readonly string[],
) => readonly (readonly number[])[] | Promise<readonly (readonly number[])[]>;

type JudgeInput = Omit<NonNullable<WrittenConfiguration['judge']>, 'ask' | 'provider'> & {
  /** A built-in provider, or the name of one of `providers`. */
  // The intersection keeps the built-in names in completions.
  readonly provider?: (typeof JUDGE_PROVIDERS)[number] | (string & {}) | undefined;
  readonly ask?: JudgeFunction;
};

/** A configuration as a person writes it. */
export type ConfigurationInput = Omit<
  WrittenConfiguration,
  'custom' | 'embedder' | 'judge' | 'providers' | 'simulation'
> & {
  readonly simulation?: SimulationInput | undefined;
  readonly custom?: readonly (CustomMetric | MetricInstance)[] | undefined;
  readonly providers?: Readonly<Record<string, JudgeFunction>> | undefined;
  readonly judge?: JudgeFunction | JudgeInput | undefined;
  readonly embedder?:
    | EmbedderFunction
    | (Omit<NonNullable<WrittenConfiguration['embedder']>, 'embed'> & { readonly embed?: EmbedderFunction })
    | undefined;
};
/** A checked configuration, with defaults filled in. */
export type Configuration = z.output<typeof configurationSchema>;
export type TaskGates = z.output<typeof taskGates>;
export type MetricSettings = z.output<typeof metricSettings>;
