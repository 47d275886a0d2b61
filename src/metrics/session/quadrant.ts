const CUT = 0.5;

/**
 * PandaProbe's interpretation of agent_reliability and agent_consistency together, each cut at 0.5, as a sentence. Of a
 * session that failed, it only says where the signals of its turns lie: they do not show the outcome.
 */
export function quadrant(reliability: number, consistency: number, hasFailed: boolean): string {
  if (hasFailed) {
    const level = (score: number) => (score >= CUT ? 'high' : 'low');
    return `By the signals of its turns, reliability is ${level(reliability)} and consistency is ${level(consistency)}; the session failed all the same.`;
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
