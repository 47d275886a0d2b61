import { metricByName } from '../../../metrics/index.ts';
import { quadrant } from '../../../metrics/session/quadrant.ts';
import type { Explanation } from '../../../protocol/report.ts';
import { metricResult, type NamedResult, ownResults, SESSION_RISK } from '../../../report-model/metric-results.ts';
import type { SessionModel } from '../../../report-model/session-model.ts';
import type { FindingContext } from '../findings.ts';
import { MAX_ROWS } from '../limits.ts';
import { scoreRow, scoreRows } from '../scores.ts';
import { limitName, limitSentence } from '../values.ts';
import { explainConsistency } from './consistency.ts';
import { explainReliability } from './reliability.ts';
import { explainRisk } from './risk.ts';
import type { ExplainMetric } from './term.ts';
import { explainTrend } from './trend.ts';

const RELIABILITY = 'agent_reliability';
const CONSISTENCY = 'agent_consistency';

/** Metrics whose metadata explain more than their reason; they come first, in this order. */
const EXPLAINERS: ReadonlyMap<string, ExplainMetric> = new Map([
  [SESSION_RISK, explainRisk],
  [RELIABILITY, explainReliability],
  [CONSISTENCY, explainConsistency],
  ['session_trend', explainTrend],
]);

/** The metrics of a session with their explanations, and the means of its turn metrics. */
export function buildExplanations(model: SessionModel, parts: FindingContext) {
  const { metrics, turns } = model.report;
  const ofTurns = new Set(turns.flatMap((turn) => Object.keys(turn.metrics)));
  const results = ownResults(metrics);
  const ofSession = results.filter(([metric, { status }]) => !ofTurns.has(metric) && status !== 'not_applicable');
  const first = [...EXPLAINERS.keys()].flatMap((metric) => ofSession.filter(([name]) => name === metric));
  const others = ofSession.filter(([metric]) => !EXPLAINERS.has(metric));
  return {
    metrics: [...first, ...others].slice(0, MAX_ROWS).map((named) => buildExplanation(named, model, parts)),
    quadrant: buildQuadrant(model),
    means: scoreRows(
      results.filter(([metric]) => ofTurns.has(metric)),
      { turn: null, ...parts },
    ),
  };
}

function buildExplanation([metric, result]: NamedResult, model: SessionModel, parts: FindingContext): Explanation {
  const score = scoreRow(metric, result, { turn: null, ...parts });
  const { sentences = [], terms = [] } = (score && EXPLAINERS.get(metric)?.(result.metadata, model)) ?? {};
  const all = [...(result.reason === null ? [] : [result.reason]), ...sentences];
  return {
    metric: limitName(metric),
    question: metricByName(metric)?.question ?? null,
    score,
    sentences: all.map(limitSentence),
    terms: terms.slice(0, MAX_ROWS),
    termsOmitted: Math.max(0, terms.length - MAX_ROWS),
  };
}

function buildQuadrant({ report }: SessionModel) {
  const [reliability, consistency] = [RELIABILITY, CONSISTENCY].map((metric) => {
    const result = metricResult(report.metrics, metric);
    return result?.status === 'scored' ? result.score : null;
  });
  if (reliability == null || consistency == null) return null;
  return { reliability, consistency, sentence: quadrant(reliability, consistency) };
}
