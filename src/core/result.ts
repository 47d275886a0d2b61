import type * as z from 'zod/mini';
import type { DeepReadonly } from './deep-readonly.ts';
import { bandOf } from './scale.ts';
import type * as schemas from './schemas/result.ts';
import { meetsThreshold } from './scoring.ts';

export type Status = z.infer<typeof schemas.statusSchema>;
/** Where a score comes from. */
export type ScoreSource = z.infer<typeof schemas.scoreSourceSchema>;
export interface Evidence extends DeepReadonly<z.infer<typeof schemas.evidenceSchema>> {}
/** A problem that a judge names in a turn. */
export interface JudgeProblem extends DeepReadonly<z.infer<typeof schemas.judgeProblemSchema>> {}
/** One entry of `metrics` in the report; the shape is a contract. */
export interface Result extends DeepReadonly<z.infer<typeof schemas.resultSchema>> {}
/** What turns a metric's outcome into a result. */
export interface ResultTemplate extends DeepReadonly<z.infer<typeof schemas.resultTemplateSchema>> {}
export type Metadata = Readonly<Record<string, unknown>>;

/** The outcome of a metric. Everything else in a result comes from the metric's definition. */
export type MetricOutcome =
  | ({ readonly status: 'scored' | 'vacuous'; readonly score: number } & OutcomeDetails)
  | ({ readonly status: 'scored'; readonly label: string; readonly labels: readonly string[] } & OutcomeDetails)
  | {
      readonly status: Exclude<Status, 'scored' | 'vacuous'>;
      readonly reason: string;
      readonly metadata?: Metadata;
      readonly evidence?: readonly Evidence[];
    };

interface OutcomeDetails {
  readonly source: ScoreSource;
  /** `provider/model` that answered; of the editor's models with the version. */
  readonly judge?: string;
  readonly reason: string | null;
  readonly evidence?: readonly Evidence[];
  readonly metadata?: Metadata;
  /** The labels that a judge gave, each with its evidence. */
  readonly failures?: readonly JudgeProblem[];
  /**
   * Source systems repeat in the metadata whether the threshold is met: PandaProbe (`true`) with the threshold, as
   * `threshold` and `success`; Fair Forge as `is_correct`.
   */
  readonly verdictInMetadata?: true | 'is_correct';
}

const EMPTY: readonly never[] = Object.freeze([]);
const NO_METADATA: Metadata = Object.freeze({});

/** An outcome as it is, or an error where its score is not finite: such a score would meet every gate or none. */
export function withFiniteScore(outcome: MetricOutcome): MetricOutcome {
  return 'score' in outcome && !Number.isFinite(outcome.score) ? NOT_FINITE : outcome;
}

const NOT_FINITE: MetricOutcome = Object.freeze({
  status: 'error',
  reason: 'The score is not a finite number: a value that it is computed from is too large, or not a number.',
});

export function toResult(given: MetricOutcome, frame: ResultTemplate): Result {
  const outcome = withFiniteScore(given);
  const base = {
    status: outcome.status,
    scale: frame.range,
    ...(frame.implied ? { implied: true as const } : {}),
    reason: outcome.reason,
    evidence: outcome.evidence ?? EMPTY,
  };
  if (!('source' in outcome)) {
    return {
      ...base,
      score: null,
      label: null,
      labels: EMPTY,
      threshold: frame.threshold,
      passed: null,
      band: null,
      source: null,
      metadata: outcome.metadata ?? NO_METADATA,
    };
  }
  const { threshold } = frame;
  const judge = outcome.judge === undefined ? {} : { judge: outcome.judge };
  if ('label' in outcome) {
    return {
      ...base,
      ...judge,
      score: null,
      label: outcome.label,
      labels: outcome.labels,
      threshold,
      passed: null,
      band: null,
      source: outcome.source,
      ...(outcome.failures ? { failures: outcome.failures } : {}),
      metadata: outcome.metadata ?? NO_METADATA,
    };
  }
  const passed =
    outcome.status === 'scored' && threshold !== null
      ? meetsThreshold(outcome.score, threshold, frame.lowerIsBetter)
      : null;
  return {
    ...base,
    ...judge,
    score: outcome.score,
    label: null,
    labels: EMPTY,
    threshold,
    passed,
    band: bandOf(outcome.score, frame.bands),
    source: outcome.source,
    metadata: addThresholdVerdict(outcome.metadata ?? NO_METADATA, outcome.verdictInMetadata, threshold, passed),
  };
}

function addThresholdVerdict(
  metadata: Metadata,
  kind: OutcomeDetails['verdictInMetadata'],
  threshold: number | null,
  passed: boolean | null,
): Metadata {
  if (kind === undefined) return metadata;
  return kind === 'is_correct' ? { ...metadata, is_correct: passed } : { ...metadata, threshold, success: passed };
}
