import type { RunManifest } from '../../core/run-record.ts';
import {
  again,
  CORRECT,
  type ComparedSettings,
  type Difference,
  isComputed,
  type LabelledRun,
  listNames,
  VERDICT,
} from './compared-settings.ts';

/** A run that does not say the versions of metrics and rules may find more, or less. What a judge answers is told by its question. */
export function compareToolVersions({
  a,
  b,
  first,
  other,
  shared,
  affected,
  byVerdict,
}: ComparedSettings): Difference | null {
  const [old, now] = [a.tool.version, b.tool.version];
  if (old === now || (a.plan.versions && b.plan.versions)) return null;
  return {
    code: 'tool-version',
    withholds: [...new Set([...affected(shared.filter((name) => isComputed(name, a, b))), ...byVerdict])],
    reason: `Turnwise changed: ${old} evaluated ${first.label}, ${now} ${other.label}. Its rules may find something else.`,
    remedy: againWithTool(first, other),
  };
}

export function compareMetricVersions({ a, b, first, other, shared, affected }: ComparedSettings): Difference | null {
  const of = ({ plan }: RunManifest) => new Map(plan.metrics.map(({ name, version }) => [name, version]));
  const [old, now] = [of(a), of(b)];
  const changed = shared.filter((name) => isOther(old.get(name), now.get(name)));
  if (changed.length === 0) return null;
  return {
    code: 'metric-version',
    withholds: affected(changed),
    reason: `${toolsOf(a, b)} ${listNames(changed)} differently.`,
    remedy: againWithTool(first, other),
  };
}

export function compareRuleVersions({
  a,
  b,
  first,
  other,
  shared,
  affected,
  byVerdict,
}: ComparedSettings): Difference | null {
  const changed = changedRules(a, b);
  if (changed.length === 0) return null;
  return {
    code: 'rule-version',
    withholds: [...new Set([...affected(shared.filter((name) => isComputed(name, a, b))), ...byVerdict])],
    reason: `${toolsOf(a, b)} the ${changed.length === 1 ? 'rule' : 'rules'} ${listNames(changed)} differently.`,
    remedy: againWithTool(first, other),
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

export function compareVerdictVersions({ a, b, first, other, byVerdict }: ComparedSettings): Difference | null {
  if (!isOther(a.plan.versions?.verdict, b.plan.versions?.verdict)) return null;
  return {
    code: 'verdict-version',
    withholds: [...new Set([VERDICT, CORRECT, ...byVerdict])],
    reason: `${toolsOf(a, b)} outcomes and verdicts differently.`,
    remedy: againWithTool(first, other),
  };
}

function isOther(old: number | undefined, now: number | undefined): boolean {
  return old !== undefined && now !== undefined && old !== now;
}

/** The beginning of a sentence that ends with what they compute. */
function toolsOf(a: RunManifest, b: RunManifest): string {
  return `Turnwise ${a.tool.version} and ${b.tool.version} compute`;
}

function againWithTool(first: LabelledRun, { run }: LabelledRun): string {
  const { version } = run.manifest.tool;
  return again(first, `with Turnwise ${version}; rules cost nothing, and known answers of a judge come from the cache`);
}
