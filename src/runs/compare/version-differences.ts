import type { RunManifest } from '../../core/run-record.ts';
import {
  CORRECT,
  type ComparedSettings,
  isComputed,
  listNames,
  type SettingsDifference,
  VERDICT,
} from './compared-settings.ts';

/** A run that does not say the versions of metrics and rules may find more, or less. What a judge answers is told by its question. */
export function compareToolVersions(settings: ComparedSettings): SettingsDifference | null {
  const { a, b, first, other, shared, affected, byVerdict } = settings;
  const [old, now] = [a.tool.version, b.tool.version];
  if (old === now || (a.plan.versions && b.plan.versions)) return null;
  return {
    code: 'tool-version',
    withholds: [...new Set([...affected(shared.filter((name) => isComputed(name, a, b))), ...byVerdict])],
    reason: `Turnwise changed: ${old} evaluated ${first.label}, ${now} ${other.label}. Its rules may find something else.`,
    remedy: againWithTool(settings),
  };
}

export function compareMetricVersions(settings: ComparedSettings): SettingsDifference | null {
  const { a, b, shared, affected } = settings;
  const of = ({ plan }: RunManifest) => new Map(plan.metrics.map(({ name, version }) => [name, version]));
  const [old, now] = [of(a), of(b)];
  const changed = shared.filter((name) => isOther(old.get(name), now.get(name)));
  if (changed.length === 0) return null;
  return {
    code: 'metric-version',
    withholds: affected(changed),
    reason: `${toolsOf(a, b)} ${listNames(changed)} differently.`,
    remedy: againWithTool(settings),
  };
}

export function compareRuleVersions(settings: ComparedSettings): SettingsDifference | null {
  const { a, b, shared, affected, byVerdict } = settings;
  const changed = changedRules(a, b);
  if (changed.length === 0) return null;
  return {
    code: 'rule-version',
    withholds: [...new Set([...affected(shared.filter((name) => isComputed(name, a, b))), ...byVerdict])],
    reason: `${toolsOf(a, b)} the ${changed.length === 1 ? 'rule' : 'rules'} ${listNames(changed)} differently.`,
    remedy: againWithTool(settings),
  };
}

/**
 * The rules that Turnwise itself changed between two runs, those that it added or removed included. Those that one of the
 * configurations turned off are a change of the settings.
 */
export function changedRules(a: RunManifest, b: RunManifest): string[] {
  const [old, now] = [a, b].map(({ plan }) => plan.versions?.rules);
  if (!old || !now) return [];
  const isOff = (id: string) =>
    [a, b].some(({ plan }) => {
      const setting = plan.rules[id];
      return !plan.rulesEnabled || setting === 'off' || (typeof setting === 'object' && setting.level === 'off');
    });
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].filter((id) => old[id] !== now[id] && !isOff(id));
}

export function compareVerdictVersions(settings: ComparedSettings): SettingsDifference | null {
  const { a, b, byVerdict } = settings;
  if (!isOther(a.plan.versions?.verdict, b.plan.versions?.verdict)) return null;
  return {
    code: 'verdict-version',
    withholds: [...new Set([VERDICT, CORRECT, ...byVerdict])],
    reason: `${toolsOf(a, b)} outcomes and verdicts differently.`,
    remedy: againWithTool(settings),
  };
}

function isOther(old: number | undefined, now: number | undefined): boolean {
  return old !== undefined && now !== undefined && old !== now;
}

/** The beginning of a sentence that ends with what they compute. */
function toolsOf(a: RunManifest, b: RunManifest): string {
  return `Turnwise ${a.tool.version} and ${b.tool.version} compute`;
}

function againWithTool({ first, b, remedies }: ComparedSettings): string {
  const { version } = b.tool;
  return remedies.again(
    first,
    `with Turnwise ${version}; rules cost nothing, and known answers of a judge come from the cache`,
  );
}
