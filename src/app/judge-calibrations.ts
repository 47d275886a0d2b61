import type { Configuration } from '../config/schema.ts';
import { agreesBeyondChance, type JudgeCalibration } from '../core/judge-labels.ts';
import { createProblem, type Problem } from '../core/problem.ts';
import { pluralize } from '../core/text/pluralize.ts';
import type { Judges } from '../engine/judges.ts';
import { failureLabelMetrics, planMetrics } from '../engine/plan.ts';
import { configuredThresholds } from '../engine/threshold.ts';
import type { Metric } from '../metrics/metric.ts';
import type { Environment } from '../store/home.ts';
import { questionHashes } from './question-hashes.ts';

/** What labels say about the judges of a run. */
export interface MatchedCalibrations {
  /** Of these judges, these questions and these thresholds. */
  readonly calibrations: readonly JudgeCalibration[];
  /** Metrics that inform and do not gate; undefined where all gate. */
  readonly informing: readonly string[] | undefined;
  readonly problems: readonly Problem[];
}

const NO_CALIBRATIONS: MatchedCalibrations = { calibrations: [], informing: undefined, problems: [] };

/**
 * Finds the calibrations that hold for a run, and where the configuration asks for it, the metrics whose judge is not calibrated.
 * What was labelled for another judge, another version of a question or another threshold does not count, and a warning says so.
 */
export async function matchCalibrations(
  configuration: Configuration,
  judges: Judges,
  metrics: readonly Metric[],
  options: { readonly env: Environment; readonly signal: AbortSignal },
): Promise<MatchedCalibrations> {
  const known = configuration.calibrations ?? [];
  const mustCalibrate = configuration.gates.judge === 'calibrated';
  const hasJudge = judges.defaultJudge !== null || judges.byMetric.size > 0;
  if (!hasJudge || (known.length === 0 && !mustCalibrate)) return NO_CALIBRATIONS;
  const questions = await questionHashes(configuration, options);
  const plan = planMetrics(metrics, configuration);
  const answers = new Map<string, CalibrationAnswer>();
  for (const { metric, template } of [...plan.turn, ...plan.session]) {
    const judge = metric.usesJudge ? judgeName(judges, metric.name) : null;
    if (judge === null) continue;
    const identity = { judge, question: questions[metric.name], threshold: template.threshold };
    answers.set(metric.name, findCalibration(known, metric.name, identity));
  }
  const matched = [...answers.values()].flatMap(({ calibration }) => calibration ?? []);
  const outdated = Array.from(answers, ([name, { why }]) => (why === null ? [] : [outdatedWarning(name, why)])).flat();
  if (!mustCalibrate) return { calibrations: matched, informing: undefined, problems: outdated };
  const lacking = (metric: Metric) => lackingCalibrations(metric, metrics, answers);
  const informing = metrics.filter((metric) => lacking(metric).length > 0);
  const gated = new Set(configuredThresholds(configuration, informing).map(({ metric }) => metric.name));
  const failures = new Set(configuration.gates.failOn === 'never' ? [] : failureLabelMetrics(configuration));
  return {
    calibrations: matched,
    informing: informing.map(({ name }) => name),
    problems: [
      ...outdated,
      ...informing.flatMap((metric) => {
        if (!gated.has(metric.name) && !failures.has(metric.name)) return [];
        return [informingWarning(metric.name, lacking(metric), gated.has(metric.name), answers)];
      }),
    ],
  };
}

/** The calibration of a judge that answers, or why there is none. */
interface CalibrationAnswer {
  readonly judge: string;
  readonly calibration: JudgeCalibration | null;
  /** A clause about a calibration that does not hold; null where there is none. */
  readonly why: string | null;
}

interface CurrentJudge {
  readonly judge: string;
  readonly question: string | undefined;
  readonly threshold: number | null;
}

function findCalibration(
  known: readonly JudgeCalibration[],
  metric: string,
  { judge, question, threshold }: CurrentJudge,
): CalibrationAnswer {
  const ofMetric = known.filter((calibration) => calibration.metric === metric);
  const ofJudge = ofMetric.filter((calibration) => calibration.judge === judge);
  const ofQuestion = ofJudge.filter((calibration) => calibration.question === question);
  const calibration = ofQuestion.find((candidate) => candidate.threshold === threshold) ?? null;
  const [other] = ofMetric;
  if (calibration || !other) return { judge, calibration, why: null };
  if (ofJudge.length === 0)
    return { judge, calibration, why: `it is of the judge ${other.judge}, and ${judge} answers` };
  if (ofQuestion.length === 0) return { judge, calibration, why: `the question to ${judge} has changed since` };
  return { judge, calibration, why: `it is for the threshold ${ofQuestion[0]?.threshold}, and ${threshold} is set` };
}

function outdatedWarning(metric: string, why: string): Problem {
  const message = `The calibration of ${metric} does not count: ${why}. Run \`turnwise calibrate judge\` on a run of this judge.`;
  return createProblem('warning', 'calibration-outdated', '', message);
}

function informingWarning(
  metric: string,
  lacking: readonly string[],
  hasThreshold: boolean,
  answers: ReadonlyMap<string, CalibrationAnswer>,
): Problem {
  const what = hasThreshold
    ? `The threshold of ${metric} does not gate`
    : `Problems that only the judge of ${metric} finds do not gate`;
  const why = lacking.map((name) => {
    const { judge = '', calibration = null } = answers.get(name) ?? {};
    return calibration
      ? `${judge} agrees with people on ${name} no better than chance`
      : `${judge} is not calibrated for ${name}`;
  });
  const name = lacking.length === 1 ? ` --metric ${lacking[0]}` : '';
  const remedy = `Label results with \`turnwise calibrate judge${name}\`, or remove "gates.judge".`;
  const more = why.length > 1 ? ` and ${pluralize(why.length - 1, 'more metric')}` : '';
  return createProblem('warning', 'judge-uncalibrated', '', `${what}: ${why[0]}${more}. ${remedy}`);
}

/** The judged metrics among a metric and those that it reads whose judge may not gate. */
function lackingCalibrations(
  metric: Metric,
  metrics: readonly Metric[],
  answers: ReadonlyMap<string, CalibrationAnswer>,
): string[] {
  const seen = new Set<string>();
  const visit = (name: string) => {
    if (seen.has(name)) return;
    seen.add(name);
    for (const used of metrics.find((one) => one.name === name)?.uses ?? []) visit(used);
  };
  visit(metric.name);
  return [...seen].filter((name) => {
    const answer = answers.get(name);
    return answer !== undefined && !(answer.calibration && agreesBeyondChance(answer.calibration));
  });
}

function judgeName({ defaultJudge, byMetric }: Judges, metric: string): string | null {
  const judge = byMetric.get(metric) ?? defaultJudge;
  return judge && (judge.identity ?? `${judge.provider}/${judge.model}`);
}
