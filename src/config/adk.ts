import { dirname, join } from 'node:path';
import { jsonEqual } from '../core/json.ts';
import { createProblem, FOREIGN_JUDGE, type Problem } from '../core/problem.ts';
import type { FileSystem } from '../input/file-system.ts';
import { nodeFileSystem } from '../input/node-file-system.ts';
import type { Metric } from '../metrics/metric.ts';
import { type AdkCriteria, isAdkConfiguration, type SettingsByMetric, translateAdk } from './adk-criteria.ts';
import type { Registry } from './check.ts';
import { restrictMetrics } from './flags.ts';
import { type ConfigurationProblem, locateIssues, readConfiguration } from './load.ts';
import { findMetric } from './metric-names.ts';
import { parseModelName } from './model-name.ts';
import type { Configuration, MetricSettings } from './schema.ts';

const FILE = 'test_config.json';

/** An ADK `test_config.json`, translated into our schema. */
export interface AdkConfiguration {
  readonly file: string;
  /** Null if one of the problems is an error. */
  readonly criteria: AdkCriteria | null;
  readonly problems: readonly ConfigurationProblem[];
}

/**
 * The `test_config.json` beside traces; null if there is none. Other tools have files of this name too: without
 * `criteria`, it counts only beside an evaluation set.
 *
 * @param files the traces. @param evaluationSets those of them, or beside them, that are evaluation sets.
 * @param fileSystem where the traces are.
 */
export async function findAdkConfiguration(
  files: readonly string[],
  registry: Registry,
  evaluationSets: readonly string[] = files,
  fileSystem: Pick<FileSystem, 'stat'> = nodeFileSystem,
): Promise<AdkConfiguration | null> {
  const foldersOf = (paths: readonly string[]) => new Set(paths.filter((path) => path !== '-').map(dirname));
  const expecting = foldersOf(evaluationSets);
  const read = await Promise.all(
    Array.from(foldersOf([...files, ...evaluationSets]), async (folder) => {
      const file = join(folder, FILE);
      const exists = (await fileSystem.stat(file).catch(() => null)) !== null;
      const adk = exists ? await readAdk(file, registry, expecting.has(folder)) : null;
      return { folder, adk };
    }),
  );
  const all = read.flatMap(({ adk }) => adk ?? []);
  const [first, ...others] = all;
  if (!first) return null;
  const other = others.find(({ criteria }) => !jsonEqual(criteria, first.criteria));
  if (other) {
    const message = `Its criteria differ from those of ${first.file}, and a run has one set of criteria. Evaluate the folders separately.`;
    const conflict = { ...createProblem('error', 'configuration', other.file, message), column: null };
    return { file: first.file, criteria: null, problems: [...all.flatMap(({ problems }) => problems), conflict] };
  }
  const without = read.find(({ adk }) => adk === null);
  if (!without) return first;
  const message = `These criteria apply to the whole run, including the traces in ${without.folder}, which has none. Evaluate the folders separately to apply them to this one only.`;
  const warning = { ...createProblem('warning', 'configuration', first.file, message), column: null };
  return { ...first, problems: [...first.problems, warning] };
}

/**
 * Adds criteria to a configuration, which overrides them. Models that criteria name are used only with the provider of
 * the configuration's judge: a file beside a trace must not decide where the trace is sent.
 */
export function applyCriteria(
  configuration: Configuration,
  adkCriteria: AdkCriteria,
  { metrics }: Registry,
): Configuration {
  const { gates } = configuration;
  const criteria = { ...adkCriteria, metrics: dropForeignJudges(adkCriteria.metrics, configuration) };
  const own = gates.thresholds && Object.keys(gates.thresholds).length > 0;
  return {
    ...configuration,
    metrics: Array.isArray(configuration.metrics)
      ? restrictMetrics(criteria.metrics, configuration.metrics, metrics)
      : mergeSettings(criteria.metrics, configuration.metrics, metrics),
    gates: own ? gates : { ...gates, thresholds: { ...criteria.thresholds }, scope: gates.scope ?? 'session' },
  };
}

/** A warning if criteria name models that are not used. */
export function warnUnusedJudges({ file, criteria }: AdkConfiguration, configuration: Configuration): Problem[] {
  const models = Object.values(criteria?.metrics ?? {}).flatMap(({ judge }) => judge ?? []);
  const [foreign] = models.filter((judge) => isForeignJudge(judge, configuration));
  if (foreign === undefined) return [];
  const { provider } = parseModelName(foreign);
  const message = `The judge ${foreign} is ignored, because a file beside a trace cannot decide where the trace is sent. To use it, choose a judge of ${provider} yourself.`;
  return [createProblem('warning', FOREIGN_JUDGE, file, message)];
}

function dropForeignJudges(settings: SettingsByMetric, configuration: Configuration): SettingsByMetric {
  return Object.fromEntries(
    Object.entries(settings).map(([name, { judge, ...own }]) => [
      name,
      judge === undefined || isForeignJudge(judge, configuration) ? own : { ...own, judge },
    ]),
  );
}

function isForeignJudge(judge: string, configuration: Configuration): boolean {
  return parseModelName(judge).provider !== configuration.judge.provider;
}

function mergeSettings(
  criteria: SettingsByMetric,
  own: SettingsByMetric,
  metrics: readonly Metric[],
): Record<string, MetricSettings> {
  const merged = new Map(Object.entries(criteria));
  for (const [key, settings] of Object.entries(own)) {
    const name = findMetric(key, metrics)?.name ?? key;
    merged.set(name, { ...merged.get(name), ...settings });
  }
  return Object.fromEntries(merged);
}

/** Null for a file of another tool, which a file without criteria is unless they are expected. */
async function readAdk(file: string, registry: Registry, isExpected: boolean): Promise<AdkConfiguration | null> {
  const raw = await readConfiguration(file);
  if (!isExpected && (raw.kind === 'failed' || !isAdkConfiguration(raw.value))) return null;
  if (raw.kind === 'failed') {
    const failed = {
      ...createProblem('error', 'configuration', file, raw.message, { line: raw.location?.line }),
      column: raw.location?.column ?? null,
    };
    return { file, criteria: null, problems: [failed] };
  }
  const { criteria, issues } = translateAdk(raw.value, registry);
  return { file, criteria, problems: await locateIssues(issues, file, raw.locateKeys) };
}
