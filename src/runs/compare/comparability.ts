import { canonicalJson } from '../../core/json.ts';
import type { ComparabilityNote } from '../../core/run-comparison.ts';
import type { RunManifest } from '../../core/run-record.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import { shellWord } from '../../core/text/shell-word.ts';
import { isBuiltInMetric } from '../../report-model/metric-results.ts';
import {
  again,
  type ComparedSettings,
  type Difference,
  isAsked,
  isComputed,
  isEqual,
  type LabelledRun,
  listNames,
  settingsOf,
} from './compared-settings.ts';
import { compareCorrectBy, compareGatedTags, compareGates, compareThresholds } from './gate-differences.ts';
import {
  compareEmbedders,
  compareJudges,
  compareJudgeVersions,
  compareQuestions,
  compareSampling,
} from './judge-differences.ts';
import { commitOf } from './labels.ts';
import { UNKNOWN_CONFIGURATION } from './report-run.ts';
import {
  compareMetricVersions,
  compareRuleVersions,
  compareToolVersions,
  compareVerdictVersions,
} from './version-differences.ts';

/**
 * What differs between the settings of two runs, before any number is looked at: each difference with the metrics that it
 * withholds. The sessions themselves are left to the pairing.
 *
 * @param position of the second run in the comparison; the first is at 0.
 */
export function compareSettings(first: LabelledRun, other: LabelledRun, position: number): ComparabilityNote[] {
  const settings = settingsOf(first, other, position);
  const isPartlyUnknown = isUnknown(first) || isUnknown(other);
  const checks = isPartlyUnknown ? [unknownSettings, ...CHECKS] : [...CHECKS, ...SETTINGS];
  const found = checks.map((check) => check(settings)).filter((difference) => difference !== null);
  const rest = isPartlyUnknown ? null : compareConfigurations(settings, found.length > 0);
  return [
    incomplete(first, 0),
    incomplete(other, position),
    ...[...found, rest].map((difference) => difference && { run: position, ...difference }),
    dirty(first, 0),
    dirty(other, position),
  ].filter((note) => note !== null);
}

/** Why a metric cannot be compared; null where it can. */
export function withheldBy(notes: readonly ComparabilityNote[], metric: string): ComparabilityNote | null {
  return notes.find(({ withholds }) => withholds === 'all' || withholds.includes(metric)) ?? null;
}

const CHECKS: readonly ((settings: ComparedSettings) => Difference | null)[] = [
  compareTurns,
  compareJudges,
  compareJudgeVersions,
  compareSampling,
  compareQuestions,
  compareEmbedders,
  compareToolVersions,
  compareMetricVersions,
  compareRuleVersions,
  compareVerdictVersions,
  compareMetricSets,
  compareThresholds,
];

/** A JSON report does not contain what these are about. */
const SETTINGS: typeof CHECKS = [compareRules, compareMetricOptions, compareCorrectBy, compareGates, compareGatedTags];

function isUnknown({ run }: LabelledRun): boolean {
  return run.manifest.configuration === UNKNOWN_CONFIGURATION;
}

function unknownSettings({ first, other }: ComparedSettings): Difference {
  const unknown = [first, other].filter(isUnknown).map(({ label }) => label);
  return {
    code: 'configuration',
    withholds: [],
    reason: `${listNames(unknown)} ${unknown.length === 1 ? 'is a JSON report' : 'are JSON reports'}: without the settings of the run, the questions of the judge and what users wrote, changes of these go unnoticed.`,
    remedy: 'Compare recorded runs instead: turnwise eval records each run.',
  };
}

function incomplete({ run: { manifest, rows }, label }: LabelledRun, position: number): ComparabilityNote | null {
  const { state, stoppedBy, id } = manifest;
  if (state === 'complete') return null;
  const why = stoppedBy === undefined ? '' : ` (${stoppedBy.replace(/[.]$/, '')})`;
  return {
    code: 'incomplete',
    run: position,
    withholds: 'all',
    reason: `${label} is incomplete${why}: it has ${pluralize(rows.length, 'session')} so far, and sessions that finish first are not like the others.`,
    remedy: `Complete it: turnwise eval --resume ${shellWord(id)}`,
  };
}

function dirty({ run: { manifest }, label }: LabelledRun, position: number): ComparabilityNote | null {
  const { git } = manifest;
  if (!git?.dirty) return null;
  return {
    code: 'dirty',
    run: position,
    withholds: [],
    reason: `${label} was evaluated with uncommitted changes: commit ${git.commit.slice(0, 7)} alone does not say what made its sessions, so it is shown as ${commitOf(git)}.`,
    remedy: 'Commit, then run the agent and evaluate its sessions again before you attribute a difference to a commit.',
  };
}

function compareTurns({ a, b, first, other }: ComparedSettings): Difference | null {
  if (a.plan.turn === b.plan.turn) return null;
  const [whole, part] = a.plan.turn === null ? [first, other] : [other, first];
  return {
    code: 'turn',
    withholds: 'all',
    reason: `${part.label} evaluated only turn ${(part.run.manifest.plan.turn ?? 0) + 1} of each session, ${whole.label} ${whole.run.manifest.plan.turn === null ? 'all turns' : 'another one'}.`,
    remedy: again(part, 'without --turn'),
  };
}

function compareRules({ a, b, first, shared, affected, byVerdict }: ComparedSettings): Difference | null {
  const settings = ({ plan }: RunManifest) => [plan.rulesEnabled, plan.rules, plan.stateChangingTools];
  const verdictSettings = ({ plan }: RunManifest) => [plan.severities];
  const isFound = !isEqual(settings(a), settings(b));
  const isWeighed = !isEqual(a.plan.risk, b.plan.risk);
  if (!isFound && !isWeighed && isEqual(verdictSettings(a), verdictSettings(b))) return null;
  const what = [
    isFound ? 'rules' : null,
    isEqual(verdictSettings(a), verdictSettings(b)) ? null : 'severities',
    isWeighed ? 'weights of the risk' : null,
  ].filter((part) => part !== null);
  const metrics = isFound ? shared.filter((name) => isComputed(name, a, b)) : RISKS;
  return {
    code: 'rules',
    withholds: [...new Set([...affected(metrics.filter((name) => shared.includes(name))), ...byVerdict])],
    reason: `The settings of the ${listNames(what)} changed.`,
    remedy: again(first, 'with the configuration of today; rules cost nothing'),
  };
}

/** What severities and weights decide. */
const RISKS = ['turn_risk', 'session_risk'];

function compareMetricSets({ a, b, first, other }: ComparedSettings): Difference | null {
  const names = ({ plan }: RunManifest) =>
    plan.metrics.flatMap(({ name, template }) => (template.implied ? [] : [name]));
  const [old, now] = [new Set(names(a)), new Set(names(b))];
  const lost = [...old].filter((name) => !now.has(name));
  const gained = [...now].filter((name) => !old.has(name));
  if (lost.length === 0 && gained.length === 0) return null;
  const part = (metrics: readonly string[], { label }: LabelledRun) =>
    metrics.length === 0 ? [] : [`only ${label} has ${listNames(metrics)}`];
  const reason = [...part(lost, first), ...part(gained, other)].join('; ');
  return {
    code: 'metric-set',
    withholds: [...lost, ...gained],
    reason: `The runs have different metrics: ${reason}.`,
    remedy: again(first, 'with the configuration of today, so that both have the same'),
  };
}

function compareMetricOptions({ a, b, first, shared, affected }: ComparedSettings): Difference | null {
  const settings = ({ plan }: RunManifest) =>
    new Map(
      plan.metrics.map(({ name, options, template: { range, lowerIsBetter } }) => [
        name,
        canonicalJson([options, range, lowerIsBetter]),
      ]),
    );
  const [old, now] = [settings(a), settings(b)];
  const changed = shared.filter((name) => old.get(name) !== now.get(name));
  if (changed.length === 0) return null;
  return {
    code: 'metric-options',
    withholds: affected(changed),
    reason: `The options of ${listNames(changed)} changed.`,
    remedy: again(first, 'with the configuration of today'),
  };
}

/**
 * What a plan does not contain is the code of the user's own functions.
 *
 * @param isExplained whether something else that a configuration decides has changed
 */
function compareConfigurations(
  { a, b, first, shared, affected }: ComparedSettings,
  isExplained: boolean,
): Difference | null {
  if (a.configuration === b.configuration) return null;
  const own = shared.filter((name) => !isBuiltInMetric(name) && !isAsked(name, a) && !isAsked(name, b));
  if (own.length === 0 && isExplained) return null;
  return {
    code: 'configuration',
    withholds: own.length === 0 ? [] : affected(own),
    reason: `The configuration changed${own.length === 0 ? '; nothing else that it decides has changed' : `, and with it perhaps the code of ${listNames(own)}`}.`,
    remedy: own.length === 0 ? null : again(first, 'with the configuration of today'),
  };
}
