import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { evaluateFiles } from '../../src/app/evaluate-files.ts';
import { sampleFromSchema } from '../../src/app/sample-from-schema.ts';
import type { Report, ResultsByMetric } from '../../src/core/report.ts';
import { VERDICT_VERSION } from '../../src/engine/gates.ts';
import { METRICS } from '../../src/metrics/index.ts';
import { RULES } from '../../src/rules/index.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** What one metric, one rule or the verdicts give on the sample traces of the repository. */
export interface OutcomeDigest {
  readonly version: number;
  /** Null where the samples show nothing of it. */
  readonly digest: string | null;
}

export interface OutcomeDigests {
  /** Of the traces: with others, nothing can be compared. */
  readonly traces: string;
  readonly verdicts: OutcomeDigest;
  readonly metrics: Readonly<Record<string, OutcomeDigest>>;
  readonly rules: Readonly<Record<string, OutcomeDigest>>;
}

const ROOT = join(import.meta.dirname, '..', '..');

export const DIGESTS_FILE = join(ROOT, 'test', 'fixtures', 'outcome-digests.json');

/** Evaluates the sample traces, with rules only, and some with a judge whose answers depend on nothing but the schema. */
export async function outcomeDigests(): Promise<OutcomeDigests> {
  const samples = filesIn('samples');
  const formats = filesIn('test/fixtures/formats');
  const metrics = Object.fromEntries(METRICS.map(({ name }) => [name, SETTINGS[name] ?? { enabled: true }]));
  const judge = { model: 'samples', ask: ({ schema }: { readonly schema: unknown }) => sampleFromSchema(schema) };
  await using home = await temporaryFolder();
  const options = { cache: false, env: { TURNWISE_HOME: home.path } };
  const runs = [
    await evaluateFiles([...samples, ...formats].map(absolute), { metrics }, options),
    await evaluateFiles(samples.map(absolute), { metrics, judge }, options),
  ];
  const lines = new Lines();
  for (const [index, { report }] of runs.entries()) addReport(lines, `${index}`, report);
  const traces = [...samples, ...formats].map((file) => [file, hash(readFileSync(absolute(file)))]);
  return {
    traces: hash(JSON.stringify(traces)),
    verdicts: { version: VERDICT_VERSION, digest: lines.digest('verdict') },
    metrics: Object.fromEntries(
      METRICS.map(({ name, version = 1 }) => [name, { version, digest: lines.digest(`metric ${name}`) }]),
    ),
    rules: Object.fromEntries(
      RULES.map(({ id, version = 1 }) => [id, { version, digest: lines.digest(`rule ${id}`) }]),
    ),
  };
}

/** What cannot do without options. */
const SETTINGS: Readonly<Record<string, { readonly enabled: true; readonly k: number }>> = {
  agentic: { enabled: true, k: 2 },
};

/** What changed without another version, as sentences that say what to do. */
export function unversionedChanges(before: OutcomeDigests, now: OutcomeDigests): string[] {
  const rules = Object.keys(now.rules).filter((id) => isUnversioned(before.rules[id], now.rules[id]));
  // What rules find, and what metrics read of other metrics, is another version with them.
  const isRuleRaised = Object.entries(now.rules).some(([id, { version }]) => before.rules[id]?.version !== version);
  const raised = new Set(
    METRICS.flatMap(({ name }) => (before.metrics[name]?.version === now.metrics[name]?.version ? [] : [name])),
  );
  for (let size = -1; size !== raised.size; ) {
    size = raised.size;
    for (const { name, uses = [] } of METRICS) if (uses.some((used) => raised.has(used))) raised.add(name);
  }
  const metrics = Object.keys(now.metrics).filter(
    (name) => isUnversioned(before.metrics[name], now.metrics[name]) && !raised.has(name) && !isRuleRaised,
  );
  const isVerdict =
    isUnversioned(before.verdicts, now.verdicts) && raised.size === 0 && !isRuleRaised && metrics.length === 0;
  return [
    ...rules.map((id) => `The rule ${id} finds something else on the samples: raise its version.`),
    ...(rules.length > 0
      ? []
      : metrics.map((name) => `The results of ${name} on the samples changed: raise its version.`)),
    ...(isVerdict ? ['Outcomes or verdicts of the samples changed: raise VERDICT_VERSION.'] : []),
  ];
}

function isUnversioned(before: OutcomeDigest | undefined, now: OutcomeDigest | undefined): boolean {
  return before !== undefined && now !== undefined && before.digest !== now.digest && before.version === now.version;
}

/** Lines of text by what they are about. */
class Lines {
  readonly #lines = new Map<string, string[]>();

  add(subject: string, ...parts: readonly unknown[]): void {
    const lines = this.#lines.get(subject) ?? [];
    lines.push(JSON.stringify(parts).replaceAll(ROOT, ''));
    this.#lines.set(subject, lines);
  }

  /** Whatever their order. */
  digest(subject: string): string | null {
    const lines = this.#lines.get(subject);
    return lines ? hash([...lines].sort().join('\n')) : null;
  }
}

function addReport(lines: Lines, run: string, report: Report): void {
  addResults(lines, [run], report.metrics);
  for (const { name, metrics } of report.scenarios) addResults(lines, [run, name], metrics);
  for (const { id, source, metrics, turns, verdict, outcome } of report.sessions) {
    const session = [run, source.file, id];
    addResults(lines, session, metrics);
    for (const { index, metrics: ofTurn } of turns) addResults(lines, [...session, index], ofTurn);
    lines.add('verdict', session, verdict, outcome.status, outcome.source);
  }
  const found = [...report.failures.flatMap(({ occurrences }) => occurrences), ...report.observations];
  for (const { rule, session, turn, evidence } of found) {
    if (rule)
      lines.add(
        `rule ${rule}`,
        run,
        session,
        turn,
        evidence.map(({ pointer }) => pointer),
      );
  }
}

/** Neither reasons nor evidence: they may be worded differently. */
function addResults(lines: Lines, where: readonly unknown[], results: ResultsByMetric): void {
  for (const [name, { status, score, label, labels, passed }] of Object.entries(results)) {
    if (status !== 'scored' && status !== 'vacuous') continue;
    lines.add(`metric ${name}`, where, status, score?.toPrecision(9) ?? null, label, labels, passed);
  }
}

function filesIn(folder: string): string[] {
  return readdirSync(absolute(folder), { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => `${folder}/${name}`)
    .sort();
}

function absolute(file: string): string {
  return join(ROOT, file);
}

function hash(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 12);
}
