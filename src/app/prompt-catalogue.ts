import type { Configuration, MetricSettings } from '../config/schema.ts';
import { getObject, type JsonObject } from '../core/json.ts';
import { createAnswerSchemas } from '../judge/answer-schemas.ts';
import { sessionBoundary } from '../judge/prompting/boundary.ts';
import { SYSTEM_PROMPT } from '../judge/prompting/system-prompt.ts';
import type { Question } from '../judge/question.ts';
import { allMetrics } from '../metrics/custom/metric-table.ts';
import type { Metric } from '../metrics/metric.ts';
import type { Environment } from '../store/home.ts';
import { EXAMPLE_SESSION } from './example-session.ts';
import type { RecordedQuestion } from './judge-recorder.ts';
import { type PreviewCall, type PromptPreview, previewPrompts, withDefaultJudge } from './prompt-preview.ts';
import { type SimulatedUserPrompt, simulatedUserPrompt } from './simulated-user-prompt.ts';

/** A question that can be sent. */
export interface CatalogueQuestion {
  readonly name: string;
  readonly instructions: string;
  readonly sees: Question['context'];
  /** The names of the questions that it depends on. */
  readonly facts: readonly string[];
  /** The names of its own data. */
  readonly data: readonly string[];
  /** Number of samples, if it differs from the judge's settings. */
  readonly samples: number | null;
  /** JSON Schema of its answer; `cited` marks ids of excerpts and calls, `perCall` a list with one entry for each call. */
  readonly answer: JsonObject;
}

/** A metric, or the run, with its questions. */
export interface CatalogueEntry {
  /** Null for the run itself, which asks about all sessions together. */
  readonly metric: Pick<Metric, 'name' | 'question' | 'scope'> | null;
  readonly questions: readonly CatalogueQuestion[];
}

/** Everything that can be sent to a model. */
export interface PromptCatalogue {
  readonly system: string;
  /**
   * Of a call about a turn, part by part, our own lines: those that are no text of the trace. With `<marker>` for the marker
   * between passages, which is drawn for each session.
   */
  readonly layout: readonly (readonly string[])[];
  /** Questions that others depend on. Each is asked once. */
  readonly facts: readonly CatalogueQuestion[];
  readonly askers: readonly CatalogueEntry[];
  /** Null where it is not asked for. */
  readonly simulatedUser: SimulatedUserPrompt | null;
}

export const BOUNDARY_PLACEHOLDER = '<marker>';

/** Rubrics of the example, if a configuration has none. */
const EXAMPLE_RUBRICS = [{ id: 'names-amount', text: 'The answer names the amount that was refunded.' }];

export const BOUNDARY_KEY = new Uint8Array(32);

export interface CatalogueOptions {
  readonly env: Environment;
  readonly signal: AbortSignal;
}

/**
 * Every question that the metrics of a configuration can ask, including opt-in metrics, recorded from a run over the
 * example.
 */
export async function promptCatalogue(
  configuration: Configuration,
  options: CatalogueOptions,
): Promise<PromptCatalogue> {
  const rehearsal = await previewExample(configuration, options);
  const list = createQuestionLister();
  const askers = [...allMetrics(configuration.custom), null].flatMap((metric): CatalogueEntry[] => {
    const asks = rehearsal.questions.filter((ask) => ask.metric === (metric?.name ?? null));
    // Of a question that is made for each turn, the last one is listed.
    const questions = new Map(asks.map((ask) => [ask.question.name, list(ask, ask.question)] as const));
    return asks.length === 0 ? [] : [{ metric: metric && metricSummary(metric), questions: [...questions.values()] }];
  });
  const facts = new Map(
    rehearsal.questions.flatMap((ask) => allFacts(ask.question).map((fact) => [fact.name, list(ask, fact)] as const)),
  );
  return {
    system: SYSTEM_PROMPT,
    layout: promptLayout(rehearsal),
    facts: [...facts.values()],
    askers,
    simulatedUser: simulatedUserPrompt(),
  };
}

/** A run over the example with every metric that asks. */
export function previewExample(configuration: Configuration, options: CatalogueOptions): Promise<PromptPreview> {
  const settings = withDefaultJudge(enableJudgedMetrics(configuration));
  return previewPrompts([EXAMPLE_SESSION], settings, { ...options, boundaryKey: BOUNDARY_KEY });
}

function metricSummary({ name, question, scope }: Metric): NonNullable<CatalogueEntry['metric']> {
  return { name, question, scope };
}

function enableJudgedMetrics(configuration: Configuration): Configuration {
  const written = Array.isArray(configuration.metrics) ? {} : configuration.metrics;
  const settings = allMetrics(configuration.custom).map((metric): [string, MetricSettings] => {
    const key = [metric.name, ...(metric.aliases ?? [])].find((name) => Object.hasOwn(written, name)) ?? metric.name;
    return [key, { ...withExampleRubrics(metric, written[key] ?? {}), enabled: metric.usesJudge ?? false }];
  });
  const { thresholds, preset, for: ofTasks, ...gates } = configuration.gates;
  return { ...configuration, metrics: Object.fromEntries(settings), gates };
}

function withExampleRubrics({ needs }: Metric, settings: MetricSettings): MetricSettings {
  return needs.includes('rubrics') ? { rubrics: EXAMPLE_RUBRICS, ...settings } : settings;
}

/** All questions that a question depends on, the first to be asked first. */
export function allFacts({ facts = [] }: Question): Question[] {
  return facts.flatMap((fact) => [...allFacts(fact), fact]);
}

export function createQuestionLister(): (ask: RecordedQuestion, question: Question) => CatalogueQuestion {
  const schemas = createAnswerSchemas();
  return ({ asking }, question) => {
    const { name, instructions, context: sees, facts = [], data = {} } = question;
    const { schema } = schemas.of(question);
    return {
      name,
      instructions,
      sees,
      facts: facts.map((fact) => fact.name),
      data: Object.keys(data),
      samples: asking.samples ?? null,
      answer: getObject(getObject(schema, 'properties'), 'answer') ?? {},
    };
  };
}

/** The layout of the largest call about a turn. */
function promptLayout({ calls }: PromptPreview): string[][] {
  const boundary = sessionBoundary(EXAMPLE_SESSION, BOUNDARY_KEY);
  const [widest] = calls.toSorted((a, b) => callWeight(b) - callWeight(a));
  return (widest?.prompt.parts ?? []).map((part) =>
    part
      .split('\n')
      .filter((line) => line.includes(boundary) || line.startsWith('#'))
      .map((line) => line.replace(boundary, BOUNDARY_PLACEHOLDER)),
  );
}

function callWeight({ questions, prompt }: PreviewCall): number {
  return 1000 * prompt.parts.length + questions.length;
}
