import * as z from 'zod/mini';
import type { RecordedRun, RecordedSession, RunManifest } from '../../core/run-record.ts';
import { compactSessionSchema } from '../../core/schemas/compact-report.ts';
import { embedderNameSchema, modelNameSchema, usageSchema } from '../../core/schemas/report.ts';
import { builtInMetric, lowerIsBetter } from '../../report-model/metric-results.ts';

const { outcome, headline, ...session } = compactSessionSchema.shape;
const { id, source, task, verdict, metrics, turns, omitted, omittedEverywhere } = session;

/** Of a JSON report, compact or not, what a comparison reads; reports of Turnwise 0.1.0 have no outcomes. */
const reportFileSchema = z.object({
  schemaVersion: z.literal(1),
  tool: z.object({ name: z.literal('turnwise'), version: z.string() }),
  run: z.object({
    id: z.string(),
    startedAt: z.string(),
    durationMs: z.number(),
    complete: z.boolean(),
    agentVersion: z.nullable(z.string()),
    judge: z.nullable(modelNameSchema),
    embedder: z.nullable(embedderNameSchema),
    questionsPerCall: z.number(),
    turnsPerCall: z.optional(z.number()),
    usage: usageSchema,
  }),
  sessions: z.array(
    z.object({
      id,
      source,
      task,
      verdict,
      metrics,
      omitted,
      omittedEverywhere,
      turns,
      outcome: z.optional(outcome),
      headline: z.optional(headline),
    }),
  ),
});

type ReportedSession = z.output<typeof reportFileSchema>['sessions'][number];

/**
 * A JSON report as a run that can be compared. It has neither the settings of its run nor hashes: its `configuration` is empty,
 * and its tasks are paired by name only. Null for anything else.
 */
export function runOfReport(value: unknown, file: string): RecordedRun | null {
  const { success, data } = reportFileSchema.safeParse(value);
  if (!success) return null;
  const { run, sessions, tool } = data;
  const rows = sessions.map(toRow);
  const manifest: RunManifest = {
    schemaVersion: 1,
    id: run.id,
    name: file,
    startedAt: run.startedAt,
    endedAt: null,
    durationMs: run.durationMs,
    tool,
    project: '',
    inputs: [...new Set(rows.map((row) => row.file))],
    plan: {
      schemaVersion: 1,
      id: run.id,
      startedAt: run.startedAt,
      version: tool.version,
      agentVersion: run.agentVersion,
      metrics: metricsOf(sessions),
      failureMetrics: [],
      thresholds: [],
      gates: { failOn: 'high', outcome: true, minCoverage: 0, attempts: null },
      rulesEnabled: true,
      rules: {},
      severities: {},
      stateChangingTools: [],
      risk: null,
      judge: run.judge,
      judges: {},
      price: null,
      embedder: run.embedder,
      questionsPerCall: run.questionsPerCall,
      ...(run.turnsPerCall !== undefined && { turnsPerCall: run.turnsPerCall }),
      concurrency: 1,
      turn: null,
      k: null,
      estimator: null,
      correctBy: null,
    },
    questions: {},
    sampling: null,
    modelVersions: {},
    configuration: UNKNOWN_CONFIGURATION,
    agent: {
      name: null,
      version: run.agentVersion,
      versionFrom: run.agentVersion === null ? null : 'option',
      models: [],
    },
    git: null,
    state: run.complete ? 'complete' : 'interrupted',
    tasksHash: null,
    totals: null,
  };
  return { manifest, rows };
}

/** The hash of a configuration that nothing recorded. */
export const UNKNOWN_CONFIGURATION = '';

function metricsOf(sessions: readonly ReportedSession[]): RunManifest['plan']['metrics'] {
  const found = new Map<string, RunManifest['plan']['metrics'][number]>();
  for (const session of sessions) {
    for (const [name, { scale, threshold, implied, source: from }] of Object.entries(session.metrics)) {
      if (found.has(name)) continue;
      const template = {
        range: scale,
        threshold,
        bands: [],
        lowerIsBetter: lowerIsBetter(name),
        implied: implied ?? false,
      };
      const scope = from === 'aggregate' ? 'turn' : 'session';
      found.set(name, { name, scope, options: {}, template, hasOwnThreshold: false });
    }
  }
  for (const name of sessions.flatMap(omittedOf)) {
    const metric = builtInMetric(name);
    if (found.has(name) || !metric) continue;
    const { scope, range, threshold } = metric;
    const template = { range, threshold, bands: [], lowerIsBetter: lowerIsBetter(name), implied: false };
    found.set(name, { name, scope, options: {}, template, hasOwnThreshold: false });
  }
  return [...found.values()];
}

/** Metrics that a compact report names instead of their results. */
function omittedOf({ omitted = {}, omittedEverywhere = {} }: ReportedSession): string[] {
  return [omitted, omittedEverywhere].flatMap((byStatus) => Object.values(byStatus).flat());
}

function toRow(session: ReportedSession): RecordedSession {
  const { id, source, task, verdict, metrics, turns, outcome, headline } = session;
  const scored = Object.entries(metrics).filter(([, { status, score }]) => status === 'scored' && score !== null);
  const isJudged = (name: string) =>
    [metrics, ...turns.map((turn) => turn.metrics)].some((results) => results[name]?.source === 'judge');
  const status = outcome?.status ?? 'unknown';
  return {
    id,
    file: source.file,
    line: turns[0]?.line ?? null,
    task,
    inputs: '',
    content: '',
    verdict,
    outcome: { status, source: outcome?.source ?? null },
    headline: headline ?? { kind: verdict === 'failed' ? 'failed' : 'clean', text: `verdict: ${verdict}`, turn: null },
    correct: status === 'unknown' ? null : status === 'succeeded',
    scores: Object.fromEntries(scored.map(([name, { score }]) => [name, score ?? 0])),
    judged: scored.flatMap(([name]) => (isJudged(name) ? [name] : [])),
    passed: Object.fromEntries(scored.flatMap(([name, { passed }]) => (passed === null ? [] : [[name, passed]]))),
    labels: {},
    rules: {},
    severity: null,
    turns: turns.length,
    calls: 0,
    tokens: null,
    cost: null,
    durationMs: null,
  };
}
