import { metricByName } from '../../../metrics/index.ts';
import { quadrant } from '../../../metrics/session/quadrant.ts';
import type { Explanation } from '../../../protocol/report.ts';
import type { HeldSession } from '../../held/rows.ts';
import type { FindingParts } from '../findings.ts';
import { ROWS } from '../limits.ts';
import { type Named, own, resultOf, SESSION_RISK, scoreRow, scoreRows } from '../scores.ts';
import { name, sentence } from '../values.ts';
import { explainConsistency } from './consistency.ts';
import { explainReliability } from './reliability.ts';
import { explainRisk } from './risk.ts';
import type { Explain } from './term.ts';
import { explainTrend } from './trend.ts';

const RELIABILITY = 'agent_reliability';
const CONSISTENCY = 'agent_consistency';

/** Those whose metadata say more than their reason does: they come first, and in this order. */
const EXPLAINED: ReadonlyMap<string, Explain> = new Map([
  [SESSION_RISK, explainRisk],
  [RELIABILITY, explainReliability],
  [CONSISTENCY, explainConsistency],
  ['session_trend', explainTrend],
]);

/** The metrics of a session, what made them what they are, and the means of those of its turns. */
export function explanationsOf(held: HeldSession, parts: FindingParts) {
  const { metrics, turns } = held.detail.report;
  const ofTurns = new Set(turns.flatMap((turn) => Object.keys(turn.metrics)));
  const results = own(metrics);
  const ofSession = results.filter(([metric, { status }]) => !ofTurns.has(metric) && status !== 'not_applicable');
  const first = [...EXPLAINED.keys()].flatMap((metric) => ofSession.filter(([one]) => one === metric));
  const others = ofSession.filter(([metric]) => !EXPLAINED.has(metric));
  return {
    metrics: [...first, ...others].slice(0, ROWS).map((one) => explanationOf(one, held, parts)),
    quadrant: quadrantOf(held),
    means: scoreRows(
      results.filter(([metric]) => ofTurns.has(metric)),
      { turn: null, ...parts },
    ),
  };
}

function explanationOf([metric, result]: Named, held: HeldSession, parts: FindingParts): Explanation {
  const score = scoreRow(metric, result, { turn: null, ...parts });
  const { sentences = [], terms = [] } = (score && EXPLAINED.get(metric)?.(result.metadata, held)) ?? {};
  const said = [...(result.reason === null ? [] : [result.reason]), ...sentences];
  return {
    metric: name(metric),
    question: metricByName(metric)?.question ?? null,
    score,
    sentences: said.map(sentence),
    terms: terms.slice(0, ROWS),
    termsOmitted: Math.max(0, terms.length - ROWS),
  };
}

function quadrantOf({ detail: { report } }: HeldSession) {
  const [reliability, consistency] = [RELIABILITY, CONSISTENCY].map((metric) => {
    const result = resultOf(report.metrics, metric);
    return result?.status === 'scored' ? result.score : null;
  });
  if (reliability == null || consistency == null) return null;
  return { reliability, consistency, sentence: quadrant(reliability, consistency) };
}
