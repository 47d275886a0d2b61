import type { MetricOutcome, Result, Status } from '../../../src/core/result.ts';
import { toResult } from '../../../src/core/result.ts';
import { scaleRange } from '../../../src/core/scale.ts';
import type { Session, Turn } from '../../../src/core/session.ts';
import type { Embedder } from '../../../src/embed/embedder.ts';
import type { BoundJudge, MetricDefinition, SessionView, TurnView } from '../../../src/metrics/metric.ts';
import { wordSet } from '../../../src/metrics/shared/text.ts';
import { RULES } from '../../../src/rules/index.ts';

export function turnOf(index: number, turn: Partial<Turn> = {}): Turn {
  return {
    id: `t${index + 1}`,
    pointer: `/turns/${index}`,
    input: 'Where is my order?',
    output: 'It is on its way.',
    steps: [],
    ...turn,
  };
}

export function sessionOf(turns: readonly Partial<Turn>[], session: Partial<Session> = {}): Session {
  return {
    id: 's1',
    source: { file: 'trace.json', format: 'test', pointer: '' },
    turns: turns.map((turn, index) => turnOf(index, turn)),
    ...session,
  };
}

export interface ViewOptions {
  readonly embedder?: Embedder | null;
  readonly judge?: BoundJudge | null;
  /** Results of turn metrics, one per turn. */
  readonly results?: Readonly<Record<string, readonly (Result | undefined)[]>>;
}

function context(session: Session, { embedder = null, judge = null }: ViewOptions) {
  const { signal } = new AbortController();
  return {
    session,
    embedder,
    judge,
    signal,
    embed: async (texts: readonly string[]) => {
      if (!embedder) throw new Error('No embedder.');
      return embedder.embed(texts, signal);
    },
    words: wordSet,
    findings: [],
    ruleIds: RULES.map(({ id }) => id),
  };
}

export function turnView(session: Session, index: number, options: ViewOptions = {}): TurnView {
  const turn = session.turns[index];
  if (!turn) throw new Error(`No turn ${index}.`);
  return { ...context(session, options), turn, index, result: (metric) => options.results?.[metric]?.[index] };
}

export function sessionView(session: Session, options: ViewOptions = {}): SessionView {
  const { results = {} } = options;
  return {
    ...context(session, options),
    turnResults: (metric) => results[metric] ?? session.turns.map(() => undefined),
    result: () => undefined,
    laterResult: async () => undefined,
  };
}

/** Maps each text to the vector the test defines. */
export function tableEmbedder(vectors: Readonly<Record<string, readonly number[]>>): Embedder {
  return {
    provider: 'openai',
    model: 'table',
    embed: async (texts) => texts.map((text) => Float32Array.from(vectors[text] ?? [0, 0])),
  };
}

export function scored(
  score: number,
  source: 'judge' | 'embedding' | 'imported' = 'judge',
  status: 'scored' | 'vacuous' = 'scored',
): Result {
  return resultOf({ status, score, source, reason: null }, { scale: 'unit', threshold: 0.5 });
}

export function unscored(status: Exclude<Status, 'scored' | 'vacuous'>, reason: string = status): Result {
  return resultOf({ status, reason }, { scale: 'unit', threshold: 0.5 });
}

/** The engine's result for an outcome. */
export function resultOf(
  outcome: MetricOutcome,
  definition: Pick<MetricDefinition, 'scale' | 'threshold' | 'bands'>,
): Result {
  return toResult(outcome, {
    range: scaleRange(definition.scale),
    threshold: definition.threshold,
    bands: definition.bands ?? [],
    lowerIsBetter: false,
    implied: false,
  });
}
