/**
 * Generates the frame of each metric page from the metric's definition, and the table of contents. `npm run docs` writes them;
 * a test ensures that they are up to date. The text after a frame is written by hand.
 */
import { access, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeOptions } from '../src/cli/option-listing.ts';
import { scaleRange } from '../src/core/scale.ts';
import { METRICS } from '../src/metrics/index.ts';
import type { Metric, MetricNeed } from '../src/metrics/metric.ts';
import { type CallCost, type MetricCost, metricCosts } from './metric-costs.ts';

const BEGIN = '<!-- frame: written by `npm run docs` -->';
const END = '<!-- /frame -->';

/** Data for the frames that is not in the metrics. */
export interface PageContext {
  /** Whether `docs/agreement.md` exists: whether the effect of batching questions is measured. */
  readonly agreement: boolean;
  /** The text of `docs/validity.md`. */
  readonly validity: string;
}

/** The frames by metric name. */
export async function metricFrames(known: PageContext): Promise<ReadonlyMap<string, string>> {
  const costs = await metricCosts();
  return new Map(METRICS.map((metric) => [metric.name, frame(metric, costs.get(metric.name) ?? null, known)] as const));
}

/** Replaces the frame of a page; null if the page has no frame markers. */
export function withFrame(page: string, text: string): string | null {
  const end = page.indexOf(END);
  return page.startsWith(`${BEGIN}\n`) && end > 0 ? `${BEGIN}\n${text}${page.slice(end)}` : null;
}

/** Loads the data for the frames. @param docs the documentation folder. */
export async function loadPageContext(docs: string): Promise<PageContext> {
  const agreement = await access(join(docs, 'agreement.md')).then(
    () => true,
    () => false,
  );
  return { agreement, validity: await readFile(join(docs, 'validity.md'), 'utf8') };
}

function frame(metric: Metric, cost: MetricCost | null, known: PageContext): string {
  const { name, question, bands = [], options } = metric;
  const blocks = [
    `# ${name}`,
    question,
    table(['', ''], ...facts(metric, known)),
    bands.length === 0
      ? ''
      : table(['from', 'band', 'meaning'], ...bands.map((band) => [String(band.from), band.name, band.meaning])),
    optionTable(name, options),
    cost ? costText(metric, cost, known) : '',
  ];
  return `\n${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

const SCOPE_TEXT: Readonly<Record<Metric['scope'], string>> = {
  turn: 'turn',
  session: 'session',
  scenario: 'the attempts of a task',
  run: 'run: all its sessions',
};

const NEED_TEXT: Readonly<Record<MetricNeed, string>> = {
  judge: '[a judge](../judges.md)',
  embedder: 'an embedder',
  reference: 'a reference',
  rubrics: 'rubrics',
  'earlier turns': 'earlier turns',
  attempts: 'several attempts',
};

function facts(metric: Metric, { validity }: PageContext): string[][] {
  const { name, scope, needs, usesJudge, uses = [], optIn, experimental, aliases = [], source } = metric;
  const isMeasured = new RegExp(`^\\| \`${name}\``, 'm').test(validity);
  const needed = needs.map((need) => NEED_TEXT[need]);
  if (usesJudge && !needs.includes('judge')) needed.push('[a judge](../judges.md) if rules and data are not enough');
  const rows = [
    ['scope', SCOPE_TEXT[scope]],
    ['scale', scaleText(metric)],
    ['threshold', thresholdText(metric)],
    ['needs', needed.join(', ') || 'only the trace'],
    ['depends on', uses.map((used) => `[${used}](${used}.md)`).join(', ')],
    ['enabled', optIn ? 'only if selected (opt-in)' : ''],
    ['note', experimental ? 'experimental: gated only if you configure a threshold' : ''],
    ['aliases', aliases.map((alias) => `\`${alias}\``).join(', ')],
    ['validity', isMeasured ? '[measured on labelled sessions](../validity.md)' : ''],
    ['source', source],
  ];
  return rows.filter(([, value]) => value !== '');
}

function scaleText({ scale }: Metric): string {
  const range = scaleRange(scale);
  if (!range) return `\`${scale}\``;
  if (scale === 'binary') return '`binary`, 0 or 1';
  return `\`${scale}\`, ${range[0]} ${range[1] === null ? 'or more' : `to ${range[1]}`}`;
}

function thresholdText({ scale, threshold, lowerIsBetter }: Metric): string {
  if (!scaleRange(scale)) return '';
  if (threshold === null) return 'none: informational';
  return lowerIsBetter ? `${threshold} or below (lower is better)` : `${threshold} or above`;
}

function optionTable(name: string, options: Metric['options']): string {
  const rows = describeOptions(options).map(({ key, type: what }) => [`\`${key}\``, what]);
  return rows.length === 0 ? '' : table([`option, under \`metrics.${name}\``, ''], ...rows);
}

function costText({ scope }: Metric, { batched: packed, alone }: MetricCost, { agreement }: PageContext): string {
  const about = scope === 'turn' ? 'one turn' : 'the session';
  const measured = agreement
    ? '[Agreement](../agreement.md) shows how well answers agree when questions share a call and when each is sent alone.'
    : 'Not measured yet: whether a model gives the same answers when questions share a call (`npm run bench:judge`).';
  return `Cost for ${about} of the built-in example, with placeholder answers and estimated token counts (\`turnwise prompts\` shows the layout):

${table(
  ['', 'calls', 'input tokens', 'output tokens'],
  ['in addition to the other default metrics', ...figures(packed)],
  ['alone', ...figures(alone)],
)}

${measured}`;
}

function figures({ calls, promptTokens, completionTokens }: CallCost): string[] {
  return [String(calls), about(promptTokens), about(completionTokens)];
}

/** Two significant digits: an estimate is not more accurate, and each edit of a prompt would change a third. */
function about(tokens: number): string {
  return Number(tokens.toPrecision(2)).toLocaleString('en');
}

const GROUPS: Readonly<Record<Metric['scope'], string>> = {
  turn: 'Turn metrics',
  session: 'Session metrics',
  scenario: 'Task metrics, over several attempts',
  run: 'Run metrics',
};

/** The table of contents. */
export function metricContents(): string {
  const groups = Object.entries(GROUPS).map(([scope, title]) => {
    const rows = METRICS.filter((metric) => metric.scope === scope).map((metric) => [
      `[${metric.name}](${metric.name}.md)`,
      metric.question,
      scaleText(metric),
      metric.threshold === null ? '' : `${metric.lowerIsBetter ? '≤' : '≥'} ${metric.threshold}`,
      [...metric.needs, ...(metric.optIn ? ['opt-in'] : [])].join(', '),
    ]);
    return `## ${title}\n\n${table(['metric', 'question', 'scale', 'threshold', 'needs'], ...rows)}`;
  });
  return `<!-- Generated by \`npm run docs\` from src/metrics: edit it there. -->

# All metrics

Grouped by scope. [Metrics](../metrics.md) describes what applies to all of them: statuses, results without a model, validity.
[Prompts](../prompts.md) describes what is sent to a model and how to view it.

${groups.join('\n\n')}

opt-in: runs only if selected.
`;
}

function table(...rows: readonly (readonly string[])[]): string {
  const [head = [], ...body] = rows;
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...body.map(line)].join('\n');
}

if (import.meta.main) {
  const docs = join(import.meta.dirname, '..', 'docs');
  const folder = join(docs, 'metrics');
  const frames = await metricFrames(await loadPageContext(docs));
  const missing: string[] = [];
  await writeFile(join(folder, 'README.md'), metricContents());
  for (const [name, text] of frames) {
    const file = join(folder, `${name}.md`);
    const page = withFrame(await readFile(file, 'utf8').catch(() => ''), text);
    if (page === null) missing.push(`docs/metrics/${name}.md`);
    else await writeFile(file, page);
  }
  if (missing.length > 0) {
    console.error(
      `These metrics have no page, or their page does not begin with the frame markers:\n  ${missing.join('\n  ')}`,
    );
    process.exitCode = 1;
  }
}
