import { wilsonInterval } from '../../../src/stats/intervals.ts';
import { type LabelledPrediction, ppiMean, ppiShare } from '../../../src/stats/ppi.ts';
import { seeded } from '../../../src/stats/random.ts';

/** What people pass, and how often the judge agrees with them on that and on what they fail. */
export interface SimulatedJudge {
  readonly name: string;
  readonly passes: number;
  readonly tpr: number;
  readonly tnr: number;
}

/** How often an interval holds the true share. */
export interface Coverage {
  readonly share: number;
  readonly normal: number;
  /** Mean widths: of this interval, and of Wilson's for the labels alone. */
  readonly width: number;
  readonly labelsOnly: number;
}

interface SimulationSize {
  readonly labels: number;
  /** Results that nobody labelled. */
  readonly results: number;
  readonly rounds: number;
  readonly seed: number;
}

/** Draws labels and results of a judge again and again, the same for the same seed. */
export function simulateCoverage(
  { passes, tpr, tnr }: Omit<SimulatedJudge, 'name'>,
  { labels, results, rounds, seed }: SimulationSize,
): Coverage {
  const random = seeded(seed);
  const draw = (): LabelledPrediction => {
    const label = random() < passes ? 1 : 0;
    return { label, prediction: random() < (label === 1 ? tpr : 1 - tnr) ? 1 : 0 };
  };
  const sums = { share: 0, normal: 0, width: 0, labelsOnly: 0 };
  for (let round = 0; round < rounds; round += 1) {
    const labelled = Array.from({ length: labels }, draw);
    const others = Array.from({ length: results }, () => draw().prediction);
    const [low, high] = ppiShare(labelled, others).interval;
    const [normalLow, normalHigh] = ppiMean(labelled, others).interval;
    const [wilsonLow, wilsonHigh] = wilsonInterval(labelled.filter(({ label }) => label === 1).length, labels);
    if (low <= passes && passes <= high) sums.share += 1;
    if (normalLow <= passes && passes <= normalHigh) sums.normal += 1;
    sums.width += high - low;
    sums.labelsOnly += wilsonHigh - wilsonLow;
  }
  const { share, normal, width, labelsOnly } = sums;
  return {
    share: share / rounds,
    normal: normal / rounds,
    width: width / rounds,
    labelsOnly: labelsOnly / rounds,
  };
}
