import { createHash } from 'node:crypto';
import type { Baseline } from '../../core/baseline.ts';
import { canonicalJson } from '../../core/json.ts';
import type { RunManifest } from '../../core/run-record.ts';
import { usedMetrics } from '../../report-model/metric-results.ts';

export type BaselineIdentity = Baseline['identity'];

/** Something that differs between a baseline and a run, and the figures that it makes incomparable. */
export interface IdentityDifference {
  readonly reason: string;
  readonly isAffected: (gate: GateName) => boolean;
}

/** A gate of the baseline: its column and kind. */
export interface GateName {
  readonly name: string;
  readonly kind: 'passed' | 'mean' | 'label' | 'rule';
}

/** What the figures of a run rest on. @param metrics the columns that are metrics. */
export function runIdentity(manifest: RunManifest, metrics: readonly string[]): BaselineIdentity {
  const { plan, questions, sampling, modelVersions, tool } = manifest;
  const known = plan.metrics.filter(({ name }) => metrics.includes(name));
  return {
    tool: tool.version,
    judge: plan.judge && modelName(plan.judge),
    judges: sorted(plan.judges, modelName),
    modelVersions: sorted(modelVersions, (version) => version),
    sampling,
    embedder: plan.embedder && embedderName(plan.embedder),
    correctBy: plan.correctBy,
    gates: hash([
      plan.gates,
      plan.rulesEnabled,
      plan.rules,
      plan.severities,
      plan.failureMetrics,
      plan.stateChangingTools,
      plan.thresholds.map(({ name, part, value, task, tag }) => [
        name,
        part ?? null,
        value,
        ...(task === undefined ? [] : [task]),
        ...(tag === undefined ? [] : [{ tag }]),
      ]),
    ]),
    ...(plan.versions && {
      versions: { rules: hash(plan.versions.rules), verdict: plan.versions.verdict },
    }),
    metrics: Object.fromEntries(
      known
        .map(({ name, options, template, version = 1 }): [string, string] => [
          name,
          hash([
            questions[name] ?? null,
            options,
            template.threshold,
            template.range,
            ...(version === 1 ? [] : [version]),
          ]),
        ])
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    ),
  };
}

/** What differs. @param judged names of the gates that rest on answers of a judge. */
export function identityDifferences(
  before: BaselineIdentity,
  after: BaselineIdentity,
  judged: ReadonlySet<string>,
): IdentityDifference[] {
  const differences: IdentityDifference[] = [];
  const add = (reason: string, isAffected: IdentityDifference['isAffected']) =>
    differences.push({ reason, isAffected });
  const hasJudge = [before, after].some(({ judge, judges }) => judge !== null || Object.keys(judges).length > 0);
  const isJudged = ({ name, kind }: GateName) =>
    judged.has(name) || (hasJudge && (name === 'verdict' || kind === 'label'));
  const tools = `it was made by Turnwise ${before.tool}, this run by ${after.tool}`;
  if (!before.versions || !after.versions) {
    // The outcomes that traces record do not depend on the version that reads them.
    if (before.tool !== after.tool) add(tools, ({ name }) => name !== 'correct');
  } else {
    if (before.versions.rules !== after.versions.rules) {
      add(`${tools}, and their rules differ`, ({ name }) => name !== 'correct');
    }
    if (before.versions.verdict !== after.versions.verdict) {
      add(
        `${tools}, and they decide outcomes and verdicts differently`,
        ({ name }) => name === 'correct' || name === 'verdict',
      );
    }
  }
  for (const [what, key] of JUDGE_PARTS) {
    const [old, now] = [canonicalJson(before[key]), canonicalJson(after[key])];
    if (old !== now) add(`${what} changed from ${describe(before[key])} to ${describe(after[key])}`, isJudged);
  }
  if (before.embedder !== after.embedder) {
    add(
      `the embedder changed from ${describe(before.embedder)} to ${describe(after.embedder)}`,
      ({ kind }) => kind === 'mean',
    );
  }
  if (before.correctBy !== after.correctBy) {
    const [old, now] = [before.correctBy ?? 'the outcome', after.correctBy ?? 'the outcome'];
    add(`correctness was decided by ${old}, now by ${now}`, ({ name }) => name === 'correct');
  }
  if (before.gates !== after.gates) {
    add(
      'the gates, rules or severities of the configuration changed',
      (gate) => gate.kind !== 'mean' && gate.name !== 'correct',
    );
  }
  for (const [name, own] of Object.entries(before.metrics)) {
    const now = after.metrics[name];
    if (now === undefined || now === own) continue;
    add(
      `the question, options, threshold or version of ${name} changed`,
      (gate) => gate.name === name || usedMetrics(gate.name).includes(name),
    );
  }
  return differences;
}

export function sameJudge(before: BaselineIdentity, after: BaselineIdentity): boolean {
  return before.judge === after.judge && canonicalJson(before.judges) === canonicalJson(after.judges);
}

const JUDGE_PARTS = [
  ['the judge', 'judge'],
  ['the judges of metrics', 'judges'],
  ['the version of the judge', 'modelVersions'],
  ['the sampling of the judge', 'sampling'],
] as const;

function describe(value: unknown): string {
  if (value === null) return 'none';
  return typeof value === 'string' ? value : canonicalJson(value);
}

function embedderName(embedder: NonNullable<RunManifest['plan']['embedder']>): string {
  const name = modelName(embedder);
  return embedder.version === undefined ? name : `${name}@${embedder.version}`;
}

function modelName({ provider, model }: { readonly provider: string; readonly model: string | null }): string {
  return model === null ? provider : `${provider}/${model}`;
}

function sorted<Value>(
  values: Readonly<Record<string, Value>>,
  textOf: (value: Value) => string,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values)
      .map(([key, value]): [string, string] => [key, textOf(value)])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

function hash(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex').slice(0, 8);
}
