/**
 * The frames of the metrics' pages, from the metrics themselves, and their table of contents. `npm run docs` writes them;
 * a test sees to it that they are true. What stands behind a frame is written by hand.
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

/** What else the frames tell of. */
export interface PageContext {
  /** Whether somebody has measured what packing changes. */
  readonly agreement: boolean;
  /** The text of `docs/validity.md`. */
  readonly validity: string;
}

/** By the names of the metrics, what stands between the two lines of a page. */
export async function metricFrames(known: PageContext): Promise<ReadonlyMap<string, string>> {
  const costs = await metricCosts();
  return new Map(METRICS.map((metric) => [metric.name, frame(metric, costs.get(metric.name) ?? null, known)] as const));
}

/** A page with another frame; null where it has no place for one. */
export function withFrame(page: string, text: string): string | null {
  const end = page.indexOf(END);
  return page.startsWith(`${BEGIN}\n`) && end > 0 ? `${BEGIN}\n${text}${page.slice(end)}` : null;
}

/** What the metrics' pages have to be true to. */
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
      : table(['from', 'band', ''], ...bands.map((band) => [String(band.from), band.name, band.meaning])),
    optionTable(name, options),
    cost ? costText(metric, cost, known) : '',
  ];
  return `\n${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

const SCOPE_TEXT: Readonly<Record<Metric['scope'], string>> = {
  turn: 'a turn',
  session: 'a session',
  scenario: 'the attempts of a scenario',
  run: 'all sessions of a run',
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
  const { name, scope, needs, usesJudge: asked, uses = [], optIn, experimental, aliases = [], source } = metric;
  const isMeasured = new RegExp(`^\\| \`${name}\``, 'm').test(validity);
  const needed = needs.map((need) => NEED_TEXT[need]);
  if (asked && !needs.includes('judge')) needed.push('[a judge](../judges.md) where nothing else tells');
  const rows = [
    ['looks at', SCOPE_TEXT[scope]],
    ['scale', scaleText(metric)],
    ['passes', passesText(metric)],
    ['needs', needed.join(', ') || 'nothing but the trace'],
    ['reads', uses.map((used) => `[${used}](${used}.md)`).join(', ')],
    ['runs', optIn ? 'only when it is named' : ''],
    ['note', experimental ? 'experimental: gated only where a threshold is configured' : ''],
    ['also called', aliases.map((alias) => `\`${alias}\``).join(', ')],
    ['validity', isMeasured ? '[measured on labelled sessions](../validity.md)' : ''],
    ['source', source],
  ];
  return rows.filter(([, value]) => value !== '');
}

function scaleText({ scale }: Metric): string {
  const range = scaleRange(scale);
  if (!range) return `\`${scale}\``;
  if (scale === 'binary') return '`binary`, 0 or 1';
  return `\`${scale}\`, ${range[0]} ${range[1] === null ? 'and more' : `to ${range[1]}`}`;
}

function passesText({ scale, threshold, lowerIsBetter }: Metric): string {
  if (!scaleRange(scale)) return '';
  if (threshold === null) return 'has no threshold: it informs';
  return lowerIsBetter ? `at ${threshold} or below: lower is better` : `at ${threshold} or above`;
}

function optionTable(name: string, options: Metric['options']): string {
  const rows = describeOptions(options).map(({ key, type: what }) => [`\`${key}\``, what]);
  return rows.length === 0 ? '' : table([`option, under \`metrics.${name}\``, ''], ...rows);
}

function costText({ scope }: Metric, { batched: packed, alone }: MetricCost, { agreement }: PageContext): string {
  const about = scope === 'turn' ? 'one turn' : 'the session';
  const measured = agreement
    ? 'How far answers agree when questions travel together and alone is in [agreement](../agreement.md).'
    : 'It is not yet measured whether a model answers the same when questions share a call (`npm run bench:judge`).';
  return `What it costs, measured on ${about} of the built-in example (\`turnwise prompts\` shows its layout), where a stand-in answers; tokens are estimated:

${table(
  ['', 'calls', 'tokens sent', 'tokens answered'],
  ['on top of the other metrics that ask by default', ...figures(packed)],
  ['alone', ...figures(alone)],
)}

${measured}`;
}

function figures({ calls, promptTokens, completionTokens }: CallCost): string[] {
  return [String(calls), about(promptTokens), about(completionTokens)];
}

/** Two figures are more than an estimate can tell, and every edit of a prompt would change a third. */
function about(tokens: number): string {
  return Number(tokens.toPrecision(2)).toLocaleString('en');
}

const GROUPS: Readonly<Record<Metric['scope'], string>> = {
  turn: 'Of a turn',
  session: 'Of a session',
  scenario: 'Over the attempts of a scenario',
  run: 'Over a run',
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
    return `## ${title}\n\n${table(['metric', 'answers', 'scale', 'passes', 'needs'], ...rows)}`;
  });
  return `<!-- Written by \`npm run docs\` from src/metrics: change it there. -->

# Every metric

By what they look at. [Metrics](../metrics.md) says what holds for all of them: what a status means, what is answered without a
model, what is known of their validity. [Prompts](../prompts.md) says what a model is asked and how to see it.

${groups.join('\n\n')}

opt-in: runs only when it is named.
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
      `These metrics have no page, or one that does not begin with the two lines of a frame:\n  ${missing.join('\n  ')}`,
    );
    process.exitCode = 1;
  }
}
