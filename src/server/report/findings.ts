import type {
  Observation as FoundObservation,
  ProblemOccurrence,
  SuppressedFinding,
  TraceLocation,
} from '../../core/report.ts';
import { metricByName } from '../../metrics/index.ts';
import type { Failure, Observation, Suppressed } from '../../protocol/report-values.ts';
import type { Found } from '../held/found.ts';
import type { Citing } from './citing.ts';
import type { OpinionIn } from './opinions.ts';
import { name, sentence, targetIn } from './values.ts';

/** What findings are shown with. */
export interface FindingParts {
  readonly citing: Citing;
  readonly opinionIn: OpinionIn;
}

export function failureRow(found: ProblemOccurrence, { citing, opinionIn }: FindingParts): Failure {
  const { turn, label, severity, rule, metric, reason, file, pointer, evidence } = found;
  const isAsked = rule === null && metric !== null && metricByName(metric)?.usesJudge === true;
  const of = rule === null ? ({ type: 'label', label } as const) : ({ type: 'rule', rule } as const);
  return {
    turn,
    label: name(label),
    severity,
    reason: sentence(reason),
    rule,
    metric,
    ...(isAsked ? { isAsked } : {}),
    target: targetIn(file, pointer),
    ...citing.cited(evidence, reason),
    opinion: opinionIn(turn, of),
  };
}

export function observationRow(found: FoundObservation, { citing, opinionIn }: FindingParts): Observation {
  const { turn, rule, title, reason, file, pointer, evidence } = found;
  return {
    rule,
    title: sentence(title),
    reason: sentence(reason),
    target: targetIn(file, pointer),
    ...citing.cited(evidence, reason),
    opinion: opinionIn(turn, { type: 'rule', rule }),
  };
}

export function suppressedRow(found: SuppressedFinding, { citing }: FindingParts): Suppressed {
  const { rule, finding, reason, file, pointer, evidence } = found;
  return {
    rule,
    finding: sentence(finding),
    reason: sentence(reason),
    target: targetIn(file, pointer),
    ...citing.cited(evidence, finding),
  };
}

/** What was found, by turns. */
export interface FoundByTurn {
  readonly failures: ReadonlyMap<number, readonly ProblemOccurrence[]>;
  readonly observations: ReadonlyMap<number, readonly FoundObservation[]>;
  readonly suppressed: ReadonlyMap<number, readonly SuppressedFinding[]>;
}

/** What is held of a session never changes. */
const KNOWN = new WeakMap<Found, FoundByTurn>();

export function foundByTurn(found: Found): FoundByTurn {
  const known = KNOWN.get(found) ?? byTurn(found);
  KNOWN.set(found, known);
  return known;
}

function byTurn({ groups, observations, suppressed }: Found): FoundByTurn {
  const turnOf = ({ turn }: TraceLocation) => turn;
  return {
    failures: Map.groupBy(
      groups.flatMap(({ occurrences }) => occurrences),
      turnOf,
    ),
    observations: Map.groupBy(observations, turnOf),
    suppressed: Map.groupBy(suppressed, turnOf),
  };
}
