import { loadConfiguration } from '../config/load.ts';
import { findMetric } from '../config/metric-names.ts';
import { isPreset, PRESET_NAMES, PRESETS } from '../config/presets.ts';
import { REGISTRY } from '../config/registry.ts';
import { didYouMean } from '../config/suggest.ts';
import { scaleRange } from '../core/scale.ts';
import { formatScore } from '../core/score-text.ts';
import { EXIT_CODES } from '../core/verdict.ts';
import { allMetrics } from '../metrics/custom/metric-table.ts';
import { METRICS } from '../metrics/index.ts';
import type { Metric } from '../metrics/metric.ts';
import { padEnd, padStart, wrap } from '../reports/terminal-text.ts';
import type { CommandHost } from './host.ts';
import { optionLines } from './option-listing.ts';
import { writeStdout } from './output-file.ts';
import { printProblems } from './print-problems.ts';
import { UsageError } from './usage-error.ts';

export interface MetricsArguments {
  readonly config?: string;
}

/** `turnwise metrics`. @returns the exit code. @throws UsageError */
export async function metricsCommand(
  name: string | undefined,
  { config }: MetricsArguments,
  host: CommandHost,
): Promise<number> {
  const loaded = await loadConfiguration({ cwd: host.cwd, file: config, registry: REGISTRY, code: 'skip' });
  await printProblems(host, loaded.problems);
  // An invalid configuration does not prevent listing the built-in metrics.
  const metrics = allMetrics(loaded.configuration?.custom ?? []);
  await writeStdout(metricLines(name, metrics, host.stdout.columns), host);
  return loaded.configuration ? EXIT_CODES.passed : EXIT_CODES.input;
}

/** @throws UsageError */
function* metricLines(name: string | undefined, metrics: readonly Metric[], columns: number): Generator<string> {
  if (name === undefined) {
    yield* listLines(metrics);
    yield* presetLines();
  } else if (isPreset(name)) {
    yield* listLines(metrics.filter((metric) => PRESETS[name]?.includes(metric.name)));
  } else {
    yield* pageLines(requireMetric(name, metrics), columns);
  }
}

function requireMetric(name: string, metrics: readonly Metric[]): Metric {
  const metric = findMetric(name, metrics);
  if (metric) return metric;
  const names = [...metrics.flatMap((metric) => [metric.name, ...(metric.aliases ?? [])]), ...PRESET_NAMES];
  throw new UsageError(`Unknown metric "${name}".${didYouMean(name, names)} \`turnwise metrics\` lists them.`);
}

function* listLines(metrics: readonly Metric[]): Generator<string> {
  const names = Math.max(...metrics.map(({ name }) => name.length));
  yield `${padEnd('metric', names)}  scope     scale           at  needs\n`;
  for (const metric of metrics) {
    const { name, scope, scale } = metric;
    const tags = [metric.optIn ? 'opt-in' : '', METRICS.includes(metric) ? '' : 'custom'];
    const needs = [...metric.needs, ...tags.filter((tag) => tag !== '')].join(', ');
    const row = `${padEnd(name, names)}  ${padEnd(scope, 8)}  ${padEnd(scale, 12)}  ${padStart(thresholdText(metric), 4)}  ${needs}`;
    yield `${row.trimEnd()}\n`;
  }
  yield '\nat: threshold (risks pass at or below it). opt-in: runs only if named.\n';
}

function* presetLines(): Generator<string> {
  yield '\nPresets, for --metrics and the configuration:\n';
  const width = Math.max(...PRESET_NAMES.map((name) => name.length));
  for (const [name, metrics] of Object.entries(PRESETS)) yield `  ${padEnd(name, width)}  ${metrics.join(', ')}\n`;
}

function thresholdText({ threshold }: Metric): string {
  return threshold === null ? '–' : String(threshold);
}

function* pageLines(metric: Metric, columns: number): Generator<string> {
  const {
    name,
    aliases = [],
    question,
    source,
    scope,
    scale,
    threshold,
    lowerIsBetter,
    bands = [],
    needs,
    uses = [],
  } = metric;
  const range = scaleRange(scale);
  const text = function* (label: string, value: string): Generator<string> {
    for (const [index, line] of wrap(value, Math.max(40, columns - 12)).entries()) {
      yield `  ${padEnd(index === 0 ? label : '', 10)}${line}\n`;
    }
  };
  yield `${name}\n  ${question}\n\n`;
  yield* text('scope', scope);
  yield* text(
    'scale',
    range ? `${scale}, ${range[0]} ${range[1] === null ? 'and more' : `to ${range[1]}`}` : 'a label',
  );
  const passes =
    threshold === null ? 'no threshold' : `${lowerIsBetter ? 'at most' : 'at least'} ${formatScore(threshold, range)}`;
  if (range) yield* text('passes', passes);
  yield* text('needs', needs.join(', ') || 'only the trace');
  if (uses.length > 0) yield* text('reads', uses.join(', '));
  if (metric.optIn) yield* text('runs', 'only if named');
  if (metric.experimental) yield* text('note', 'experimental: gated only if a threshold is configured');
  if (aliases.length > 0) yield* text('also', aliases.join(', '));
  yield* text('source', source);
  if (metric.usesJudge) yield* text('asks', `\`turnwise prompts --metric ${name}\` prints what`);
  if (METRICS.includes(metric)) yield* text('page', `docs/metrics/${name}.md`);
  if (bands.length > 0) {
    yield '\n';
    for (const band of bands) yield* text(`≥ ${formatScore(band.from, range)}`, `${band.name}: ${band.meaning}`);
  }
  yield* optionLines(metric.options, `metrics.${name}`);
}
