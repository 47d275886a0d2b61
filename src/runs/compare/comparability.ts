import { canonicalJson } from '../../core/json.ts';
import type { ComparabilityNote } from '../../core/run-comparison.ts';
import type { RunManifest } from '../../core/run-record.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import { isBuiltInMetric } from '../../report-model/metric-results.ts';
import { type Remedies, terminalRemedies } from '../remedies.ts';
import type { LabelledRun } from '../run-label.ts';
import {
  type ComparedSettings,
  hasQuestion,
  isComputed,
  isEqual,
  listNames,
  type SettingsDifference,
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
export function compareSettings(
  first: LabelledRun,
  other: LabelledRun,
  position: number,
  remedies: Remedies = terminalRemedies,
): ComparabilityNote[] {
  const settings = settingsOf(first, other, position, remedies);
  const isPartlyUnknown = isUnknown(first) || isUnknown(other);
  const checks = isPartlyUnknown ? [unknownSettings, ...CHECKS] : [...CHECKS, ...SETTINGS];
  const found = checks.map((check) => check(settings)).filter((difference) => difference !== null);
  const rest = isPartlyUnknown ? null : compareConfigurations(settings, found.length > 0);
  return [
    incomplete(first, 0, remedies),
    incomplete(other, position, remedies),
    ...[...found, rest].map((difference) => difference && { run: position, ...difference }),
    dirty(first, 0),
    dirty(other, position),
  ].filter((note) => note !== null);
}

/** Why a metric cannot be compared; null where it can. */
export function withheldBy(notes: readonly ComparabilityNote[], metric: string): ComparabilityNote | null {
  return notes.find(({ withholds }) => withholds === 'all' || withholds.includes(metric)) ?? null;
}

const CHECKS: readonly ((settings: ComparedSettings) => SettingsDifference | null)[] = [
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

function unknownSettings({ first, other, remedies }: ComparedSettings): SettingsDifference {
  const unknown = [first, other].filter(isUnknown).map(({ label }) => label);
  return {
    code: 'configuration',
    withholds: [],
    reason: `${listNames(unknown)} ${unknown.length === 1 ? 'is a JSON report' : 'are JSON reports'}: without the settings of the run, the questions of the judge and what users wrote, changes of these go unnoticed.`,
    remedy: remedies.recordedRuns,
  };
}

function incomplete(labelled: LabelledRun, position: number, remedies: Remedies): ComparabilityNote | null {
  const { run, label } = labelled;
  const { state, stoppedBy } = run.manifest;
  if (state === 'complete') return null;
  const why = stoppedBy === undefined ? '' : ` (${stoppedBy.replace(/[.]$/, '')})`;
  return {
    code: 'incomplete',
    run: position,
    withholds: 'all',
    reason: `${label} is incomplete${why}: it has ${pluralize(run.rows.length, 'session')} so far, and sessions that finish first are not like the others.`,
    remedy: remedies.complete(labelled),
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

function compareTurns({ a, b, first, other, remedies }: ComparedSettings): SettingsDifference | null {
  if (a.plan.turn === b.plan.turn) return null;
  const [whole, part] = a.plan.turn === null ? [first, other] : [other, first];
  return {
    code: 'turn',
    withholds: 'all',
    reason: `${part.label} evaluated only turn ${(part.run.manifest.plan.turn ?? 0) + 1} of each session, ${whole.label} ${whole.run.manifest.plan.turn === null ? 'all turns' : 'another one'}.`,
    remedy: remedies.again(part, remedies.allTurns),
  };
}

function compareRules({
  a,
  b,
  first,
  shared,
  affected,
  byVerdict,
  remedies,
}: ComparedSettings): SettingsDifference | null {
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
    remedy: remedies.again(first, 'with the configuration of today; rules cost nothing'),
  };
}

/** What severities and weights decide. */
const RISKS = ['turn_risk', 'session_risk'];

function compareMetricSets({ a, b, first, other, remedies }: ComparedSettings): SettingsDifference | null {
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
    remedy: remedies.again(first, 'with the configuration of today, so that both have the same'),
  };
}

function compareMetricOptions({
  a,
  b,
  first,
  shared,
  affected,
  remedies,
}: ComparedSettings): SettingsDifference | null {
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
    remedy: remedies.again(first, 'with the configuration of today'),
  };
}

/**
 * What a plan does not contain is the code of the user's own functions.
 *
 * @param isExplained whether something else that a configuration decides has changed
 */
function compareConfigurations(
  { a, b, first, shared, affected, remedies }: ComparedSettings,
  isExplained: boolean,
): SettingsDifference | null {
  if (a.configuration === b.configuration) return null;
  const own = shared.filter((name) => !isBuiltInMetric(name) && !hasQuestion(name, a) && !hasQuestion(name, b));
  if (own.length === 0 && isExplained) return null;
  return {
    code: 'configuration',
    withholds: own.length === 0 ? [] : affected(own),
    reason: `The configuration changed${own.length === 0 ? '; nothing else that it decides has changed' : `, and with it perhaps the code of ${listNames(own)}`}.`,
    remedy: own.length === 0 ? null : remedies.again(first, 'with the configuration of today'),
  };
}
