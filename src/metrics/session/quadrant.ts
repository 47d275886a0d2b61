const CUT = 0.5;

/** PandaProbe's interpretation of agent_reliability and agent_consistency together, each cut at 0.5, as a sentence. */
export function quadrant(reliability: number, consistency: number): string {
  if (reliability >= CUT) {
    return consistency >= CUT
      ? 'High reliability and high consistency: the agent is both safe and smooth.'
      : 'High reliability and low consistency: no catastrophic failure, but uneven performance.';
  }
  return consistency >= CUT
    ? 'Low reliability and high consistency: consistently mediocre, not great but predictable.'
    : 'Low reliability and low consistency: the agent is unreliable and unstable.';
}
