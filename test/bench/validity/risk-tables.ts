import { crossValidate, trendWithinSets } from '../../../src/metrics/shared/risk-fit.ts';
import { fittedMeasures, levelOf, type RiskCoefficients, riskOf } from '../../../src/metrics/shared/risk-model.ts';
import { auroc, stratifiedAuroc } from '../../../src/stats/auroc.ts';
import { clusterBootstrap, mean } from '../../../src/stats/bootstrap.ts';
import { wilsonInterval } from '../../../src/stats/intervals.ts';
import { type Estimate, estimate, figure, percent, percentRange, table } from './markdown.ts';
import { type LabelledSample, withAttempts } from './risk-samples.ts';
import type { Score } from './scores.ts';
import { bySet, setName } from './set-tables.ts';

/** A session with its risk by coefficients that were fitted without its domain. */
export interface HeldOut {
  readonly sample: LabelledSample;
  /** From this session alone. */
  readonly risk: number;
  readonly coefficients: RiskCoefficients;
}

/** Each domain is left out once, or each agent: it supplies nothing, and no task is on both sides. */
export function leaveOut(samples: readonly LabelledSample[], groupOf: (sample: LabelledSample) => string): HeldOut[] {
  return crossValidate(samples, groupOf, { fittedOn: '' }).map(({ sample, coefficients }) => ({
    sample,
    coefficients,
    risk: riskOf({ ...sample, agreement: null }, coefficients),
  }));
}

interface Scored {
  readonly sample: LabelledSample;
  readonly score: number;
  /** Sessions of different draws are not compared. */
  readonly draw?: number;
}

/** The AUROC within sets, with an interval over families of tasks. Every pair weighs the same. */
export function aurocWithin(scored: readonly Scored[]): Estimate {
  const rows = scored.map(({ sample: { set, domain, family, failed }, score, draw = 0 }) => ({
    stratum: `${domain} ${set} ${draw}`,
    family,
    failed,
    score,
  }));
  const families = [...Map.groupBy(rows, ({ family }) => family).values()];
  return { value: stratifiedAuroc(rows), interval: clusterBootstrap(families, stratifiedAuroc) };
}

export function riskScores(held: readonly HeldOut[]): Scored[] {
  return held.map(({ sample, risk }) => ({ sample, score: risk }));
}

/** Every set: how well the risk ranks and predicts, with the domain of the set left out. */
export function riskBySet(held: readonly HeldOut[]): string {
  return table(
    ['domain', 'agent and data', 'sessions', 'failed', 'AUROC (95 % interval)', 'Brier score', 'of the base rate'],
    ...setsOf(held).map(({ domain, set, sessions, failed, ranked, brier, baseRate }) => [
      domain,
      set,
      String(sessions.length),
      percent(failed / sessions.length),
      estimate(ranked),
      figure(brier),
      figure(baseRate),
    ]),
  );
}

function setsOf(held: readonly HeldOut[]) {
  const bySample = new Map(held.map((item) => [item.sample, item]));
  return bySet(held.map(({ sample }) => sample)).map(([, samples]) => {
    const sessions = samples.flatMap((sample) => bySample.get(sample) ?? []);
    const failed = samples.filter((sample) => sample.failed).length;
    const rate = failed / samples.length;
    return {
      domain: samples[0]?.domain ?? '',
      set: setName(samples[0]),
      sessions,
      failed,
      ranked: aurocWithin(riskScores(sessions)),
      brier: brierOf(sessions),
      baseRate: rate * (1 - rate),
    };
  });
}

function brierOf(held: readonly HeldOut[]): number | null {
  return mean(held.map(({ sample, risk }) => (Number(sample.failed) - risk) ** 2));
}

/** Of the sets with sessions of both kinds, those where the risk is a better probability than the set's own base rate. */
export function setsBelowBaseRate(held: readonly HeldOut[]): { readonly count: number; readonly of: number } {
  const sets = setsOf(held).filter(({ failed, sessions }) => failed > 0 && failed < sessions.length);
  return { count: sets.filter(({ brier, baseRate }) => (brier ?? 1) < baseRate).length, of: sets.length };
}

/** Every domain, and other figures that a session could be ranked by. */
export function rankingTable(
  byDomain: readonly HeldOut[],
  byAgent: readonly HeldOut[],
  others: readonly (readonly [name: string, Score])[],
): string {
  const domains = [...new Set(byDomain.map(({ sample }) => sample.domain))].sort();
  const samples = byDomain.map(({ sample }) => sample);
  const row = (name: string, scored: readonly Scored[]) => [
    name,
    estimate(aurocWithin(scored)),
    ...domains.map((domain) => {
      const ofDomain = scored.filter(({ sample }) => sample.domain === domain);
      return figure(
        stratifiedAuroc(ofDomain.map(({ sample, score }) => ({ ...sample, stratum: sample.set, score }))),
        2,
      );
    }),
  ];
  return table(
    ['ranked by', 'within all sets (95 % interval)', ...domains],
    row('`session_risk`, the domain left out', riskScores(byDomain)),
    row('`session_risk`, the agent left out', riskScores(byAgent)),
    ...others.map(([name, score]) =>
      row(
        name,
        samples.flatMap((sample) => {
          const value = score(sample);
          return value === null ? [] : [{ sample, score: value }];
        }),
      ),
    ),
  );
}

const COMPARED = [1, 2, 3, 5] as const;

/** The risk with other attempts of the task to compare, by how many: each domain left out. */
export function attemptsTable(held: readonly HeldOut[]): string {
  return table(
    ['other attempts', 'sessions', 'of this session alone', '`session_risk`', 'only the share that differs'],
    ...COMPARED.map((count) => {
      const compared = withOthers(held, count);
      return [
        String(count),
        String(Math.round(compared.length / ATTEMPT_DRAWS)),
        estimate(aurocWithin(compared.map(({ sample, draw, alone }) => ({ sample, draw, score: alone })))),
        estimate(aurocWithin(compared)),
        estimate(aurocWithin(compared.map(({ sample, draw, share }) => ({ sample, draw, score: 1 - share })))),
      ];
    }),
  );
}

/** Which other attempts a session is compared with is luck: they are drawn so many times. */
const ATTEMPT_DRAWS = 5;

/** The sessions that have so many other attempts, each with the risk that it gets with them, once for each draw. */
export function withOthers(held: readonly HeldOut[], count: number) {
  const samples = held.map(({ sample }) => sample);
  return Array.from({ length: ATTEMPT_DRAWS }, (_, draw) => {
    return withAttempts(samples, () => count, draw).flatMap((sample, index) => {
      const item = held[index];
      if (!item || sample.agreement?.others !== count) return [];
      const { share } = sample.agreement;
      return [{ sample, draw, share, alone: item.risk, score: riskOf(sample, item.coefficients) }];
    });
  }).flat();
}

/** How sessions end by the share of other attempts that made the same changes. */
export function agreementTable(samples: readonly LabelledSample[]): string {
  const compared = samples.flatMap(({ agreement, failed }) =>
    agreement && agreement.others >= 2 ? [{ share: agreement.share, failed }] : [],
  );
  const rows = [
    ['all', 1, 1.01],
    ['half or more, not all', 0.5, 1],
    ['fewer than half', 0.0001, 0.5],
    ['none', 0, 0.0001],
  ] as const;
  return table(
    ['other attempts that made the same changes', 'sessions', 'failed', '95 % interval'],
    ...rows.map(([name, from, to]) => {
      const some = compared.filter(({ share }) => share >= from && share < to);
      const failed = some.filter((item) => item.failed).length;
      return [
        name,
        String(some.length),
        some.length === 0 ? '–' : percent(failed / some.length),
        percentRange(wilsonInterval(failed, some.length)),
      ];
    }),
  );
}

const BINS = 5;

/** Fifths of the sessions by their risk: whether they fail as often as the risk says. */
export function calibrationTable(held: readonly HeldOut[]): string {
  const sorted = held.toSorted((a, b) => a.risk - b.risk);
  const rows = Array.from({ length: BINS }, (_, bin) => {
    const inside = sorted.slice((bin * sorted.length) / BINS, ((bin + 1) * sorted.length) / BINS);
    const failed = inside.filter(({ sample }) => sample.failed).length;
    return [
      `${figure(inside[0]?.risk ?? null, 2)} to ${figure(inside.at(-1)?.risk ?? null, 2)}`,
      String(inside.length),
      percent(mean(inside.map(({ risk }) => risk))),
      percent(failed / inside.length),
      percentRange(wilsonInterval(failed, inside.length)),
    ];
  });
  return table(['risk', 'sessions', 'mean risk', 'failed', '95 % interval'], ...rows);
}

/**
 * The words for a risk: how often sessions fail that have them, with the domain left out, and how often they would by the
 * rates of their sets.
 */
export function levelTable(held: readonly HeldOut[]): string {
  const rates = new Map(
    bySet(held.map(({ sample }) => sample)).flatMap(([, samples]) => {
      const rate = samples.filter(({ failed }) => failed).length / samples.length;
      return samples.map((sample) => [sample, rate] as const);
    }),
  );
  return table(
    ['risk', 'sessions', 'failed', '95 % interval', 'by the rates of their sets'],
    ...(['low', 'elevated', 'high'] as const).map((level) => {
      const some = held.filter(({ risk, coefficients }) => levelOf(risk, coefficients) === level);
      const failed = some.filter(({ sample }) => sample.failed).length;
      return [
        level,
        String(some.length),
        some.length === 0 ? '–' : percent(failed / some.length),
        percentRange(wilsonInterval(failed, some.length)),
        percent(mean(some.map(({ sample }) => rates.get(sample) ?? null))),
      ];
    }),
  );
}

/** A domain with fewer sessions says too little about a single signal. */
const LARGE_DOMAIN = 100;

/** A rule with a weight whose findings go with fewer failures in a large domain. */
export interface WrongSign {
  readonly rule: string;
  readonly domain: string;
  /** Those with a finding. */
  readonly sessions: number;
  /** The distance from no effect, in standard errors. */
  readonly z: number;
}

/** A score statistic of 0 may be computed as a little less. */
const ROUNDING = 1e-9;

export function wrongSigns(samples: readonly LabelledSample[], { weights }: RiskCoefficients): WrongSign[] {
  const domains = [...Map.groupBy(samples, ({ domain }) => domain)].filter(([, { length }]) => length >= LARGE_DOMAIN);
  return Object.entries(weights).flatMap(([rule, weight]) => {
    if (weight === 0) return [];
    return domains.flatMap(([domain, ofDomain]) => {
      const rows = ofDomain.map((sample) => ({ sample, value: fittedMeasures(sample.findings).get(rule) ?? 0 }));
      const { score, information } = trendWithinSets(rows);
      if (score >= -ROUNDING) return [];
      const sessions = rows.filter(({ value }) => value > 0).length;
      return [{ rule, domain, sessions, z: score / Math.sqrt(information) }];
    });
  });
}

/** Over all sessions, where telling the sets apart helps too. */
export function aurocOverAll(held: readonly HeldOut[]): number | null {
  return auroc(held.map(({ sample, risk }) => ({ failed: sample.failed, score: risk })));
}
