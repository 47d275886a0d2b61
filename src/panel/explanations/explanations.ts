import { metricByName } from '../../metrics/index.ts';
import type { Explanation } from '../../protocol/report.ts';
import {
  type ScoreBreakdown,
  scoreBreakdown,
  sessionBreakdown,
} from '../../report-model/breakdowns/session-breakdown.ts';
import type { NamedResult } from '../../report-model/metric-results.ts';
import type { SessionModel } from '../../report-model/session-model.ts';
import type { FindingContext } from '../findings.ts';
import { MAX_ROWS } from '../limits.ts';
import { scoreRow, scoreRows } from '../scores.ts';
import { limitName, limitSentence } from '../values.ts';
import { explainConsistency } from './consistency.ts';
import { explainReliability } from './reliability.ts';
import { explainRisk } from './risk.ts';
import type { ExplanationText } from './term.ts';
import { explainTrend } from './trend.ts';

/** The metrics of a session with their explanations, and the means of its turn metrics. */
export function buildExplanations(model: SessionModel, parts: FindingContext) {
  const { metrics, means, quadrant } = sessionBreakdown(model);
  return {
    metrics: metrics.slice(0, MAX_ROWS).map((metric) => buildExplanation(metric, model, parts)),
    quadrant,
    means: scoreRows(means, { turn: null, ...parts }),
  };
}

function buildExplanation(named: NamedResult, model: SessionModel, parts: FindingContext): Explanation {
  const [metric, result] = named;
  const score = scoreRow(metric, result, { turn: null, ...parts });
  const breakdown = score && scoreBreakdown(named, model);
  const { sentences, terms } = breakdown ? explainBreakdown(breakdown) : NO_BREAKDOWN;
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

const NO_BREAKDOWN: ExplanationText = { sentences: [], terms: [] };

function explainBreakdown(breakdown: ScoreBreakdown): ExplanationText {
  switch (breakdown.metric) {
    case 'session_risk':
      return explainRisk(breakdown);
    case 'agent_reliability':
      return explainReliability(breakdown);
    case 'agent_consistency':
      return explainConsistency(breakdown);
    case 'session_trend':
      return explainTrend(breakdown);
  }
}
