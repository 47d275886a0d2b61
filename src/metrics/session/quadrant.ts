import type { Headline } from '../../core/report.ts';

const CUT = 0.5;

/**
 * PandaProbe's interpretation of agent_reliability and agent_consistency together, each cut at 0.5, as a sentence. Of a
 * session that failed or has problems, it only says where the signals of its turns lie: they do not show the outcome.
 */
export function quadrant(reliability: number, consistency: number, headline: Headline['kind']): string {
  if (headline === 'failed' || headline === 'problems') {
    const level = (score: number) => (score >= CUT ? 'high' : 'low');
    return `By the signals of its turns, reliability is ${level(reliability)} and consistency is ${level(consistency)}; the session ${headline === 'failed' ? 'failed' : 'has problems'} all the same.`;
  }
  if (reliability >= CUT) {
    return consistency >= CUT
      ? 'High reliability and high consistency: the agent is both safe and smooth.'
      : 'High reliability and low consistency: no catastrophic failure, but uneven performance.';
  }
  return consistency >= CUT
    ? 'Low reliability and high consistency: consistently mediocre, not great but predictable.'
    : 'Low reliability and low consistency: the agent is unreliable and unstable.';
}
