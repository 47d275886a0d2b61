import { pathToFileURL } from 'node:url';
import type { Results } from '../core/report.ts';
import { coverage, type Result } from '../core/result.ts';
import type { Pointer, Step, Turn } from '../core/session.ts';
import { severityRank } from '../core/severity.ts';
import type { FailureRow } from '../protocol/messages.ts';
import type { Call, Failure, Gate, Quote, ReportHeader, Score, Target, TurnRow, Unscored } from '../protocol/report.ts';
import { argumentsText, excerpt, resultText, shortened } from './excerpt.ts';
import type { HeldSession } from './rows.ts';

/** How much of what a trace says a page carries, in characters; and how many rows of a kind a turn has at most. */
const MESSAGE = 4000;
const DETAIL = 600;
const SENTENCE = 600;
const NAME = 120;
const ROWS = 50;

/** How many failures say why. */
const WORST = 3;

/** Shown in the strip and at the head of a turn, not among its scores. */
const RISK = 'turn_risk';

/** What is said of a session before any of its turns is looked at. */
export function headerOf({ row, failures, detail }: HeldSession): ReportHeader {
  const { report, gates, run } = detail;
  const perTurn = report.turns.flatMap(({ metrics }) => own(metrics));
  const names = new Set(perTurn.map(([name]) => name));
  // A session's result of a turn metric is the mean of its turns, which are counted.
  const ofSession = own(report.metrics).filter(([name]) => !names.has(name));
  const all = [...perTurn, ...ofSession];
  const failuresByTurn = countByTurn(failures);
  const targetOf = targets(report.source.file);
  return {
    id: shortened(row.id, NAME),
    target: targetOf(report.source.pointer),
    verdict: row.verdict,
    risk: row.risk,
    riskReason: row.riskReason === null ? null : shortened(row.riskReason, SENTENCE),
    why: failures
      .toSorted((a, b) => severityRank(b.severity) - severityRank(a.severity))
      .slice(0, WORST)
      .map(failureOf),
    failures: failures.length,
    gates: gates.slice(0, ROWS).map(
      ({ scope, metric, threshold, met, reason }): Gate => ({
        scope,
        metric,
        threshold,
        met,
        reason: shortened(reason, SENTENCE),
      }),
    ),
    coverage: coverage(all.map(([, result]) => result)),
    unscored: unscored(withoutSometimes(all)),
    scores: scores(
      ofSession.filter(([name]) => name !== 'session_risk'),
      targetOf,
    ),
    judge: run.judge === null ? null : run.judge.model,
    complete: run.complete,
    cells: report.turns.map(({ index, metrics }) => {
      const risk = Object.hasOwn(metrics, RISK) ? metrics[RISK] : undefined;
      return {
        index,
        risk: risk?.score ?? null,
        reason: risk?.reason === undefined || risk.reason === null ? null : shortened(risk.reason, SENTENCE),
        failures: failuresByTurn.get(index) ?? 0,
      };
    }),
  };
}

/** What was said in a session besides; null: that could not be read again. */
export interface WithTurns extends Pick<HeldSession, 'failures' | 'detail'> {
  readonly turns: readonly Turn[] | null;
}

/** Turns of a session, from one on. */
export function turnsOf({ failures, detail: { report }, turns }: WithTurns, from: number, count: number): TurnRow[] {
  const byTurn = Map.groupBy(failures, ({ turn }) => turn);
  return report.turns.slice(from, from + count).map(({ index, line, pointer, file, metrics }) => {
    const turn = turns?.[index];
    const targetOf = targets(file ?? report.source.file);
    const quote = (text: string | null | undefined, at: Pointer | undefined): Quote | null =>
      text === null || text === undefined ? null : { ...excerpt(text, MESSAGE), target: targetOf(at ?? pointer) };
    const calls = (turn?.steps ?? []).flatMap((step) => (step.type === 'model' ? [] : [step]));
    const found = byTurn.get(index) ?? [];
    const labels = new Set(found.map(({ label }) => label));
    return {
      index,
      line,
      target: targetOf(pointer),
      recorded: turns === null || (turn !== undefined && turn.captured !== false),
      ...(turns === null ? { unread: true } : {}),
      input: quote(turn?.input, turn?.inputPointer),
      output: quote(turn?.output, turn?.outputPointer),
      calls: calls.slice(0, ROWS).map((step) => callOf(step, targetOf)),
      callsOmitted: Math.max(0, calls.length - ROWS),
      failures: found.slice(0, ROWS).map(failureOf),
      failuresOmitted: Math.max(0, found.length - ROWS),
      scores: scores(
        // Labels that are shown as failures, with their reason, are not shown twice.
        own(metrics).filter(([name, { label }]) => name !== RISK && (label === null || !labels.has(label))),
        targetOf,
      ),
      unscored: unscored(own(metrics)),
    };
  });
}

/** What a metric says for another one is not counted, nor shown. */
function own(metrics: Results): [name: string, result: Result][] {
  return Object.entries(metrics).filter(([, { implied }]) => !implied);
}

type TargetOf = (pointer: Pointer, file?: string) => Target;

function targets(file: string): TargetOf {
  const uri = pathToFileURL(file).href;
  return (pointer, other) => ({ uri: other === undefined ? uri : pathToFileURL(other).href, pointer });
}

function countByTurn(failures: readonly FailureRow[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { turn } of failures) counts.set(turn, (counts.get(turn) ?? 0) + 1);
  return counts;
}

function failureOf({ turn, label, severity, reason, place, pointer }: FailureRow): Failure {
  return {
    turn,
    label: shortened(label, NAME),
    severity,
    reason: shortened(reason, SENTENCE),
    target: { uri: place.uri, pointer },
  };
}

function callOf(step: Exclude<Step, { readonly type: 'model' }>, targetOf: TargetOf): Call {
  const plain = { kind: step.type, outcome: 'ok', requestedBy: 'agent', target: targetOf(step.pointer) } as const;
  switch (step.type) {
    case 'tool': {
      const output = step.error ?? (step.result === undefined ? null : resultText(step.result));
      return {
        ...plain,
        name: shortened(step.name, NAME),
        input: excerpt(argumentsText(step.arguments), DETAIL),
        outcome: step.outcome,
        output: output === null ? null : excerpt(output, DETAIL),
        requestedBy: step.requestedBy,
      };
    }
    case 'retrieval':
      return {
        ...plain,
        name: 'retrieval',
        input: excerpt(step.query ?? '', DETAIL),
        output: excerpt(counted(step.documents.length, 'document'), DETAIL),
      };
    case 'agent':
      return {
        ...plain,
        name: shortened(step.name, NAME),
        input: excerpt('', DETAIL),
        output: excerpt(counted(step.turns.length, 'turn'), DETAIL),
      };
  }
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

/** Those that fell short first, then those with a threshold, then others on a scale, then counts. */
function scores(results: readonly (readonly [string, Result])[], targetOf: TargetOf): Score[] {
  return results
    .flatMap(([metric, result]) => scoreOf(metric, result, targetOf) ?? [])
    .sort((a, b) => prominence(a) - prominence(b))
    .slice(0, ROWS);
}

function prominence({ passed, threshold, scale }: Score): number {
  if (passed === false) return 0;
  if (threshold !== null) return 1;
  return scale !== null && scale[1] !== null ? 2 : 3;
}

function scoreOf(metric: string, result: Result, targetOf: TargetOf): Score | null {
  const { status, score, label, scale, threshold, passed, band, reason, evidence } = result;
  const value = score ?? label;
  if ((status !== 'scored' && status !== 'vacuous') || value === null) return null;
  const [first] = evidence;
  return {
    metric: shortened(metric, NAME),
    status,
    // A file can carry the number 1e999, for which JSON has no word.
    value: typeof value === 'number' && Number.isFinite(value) ? value : shortened(String(value), NAME),
    scale,
    threshold,
    passed,
    band: band === null ? null : `${band.name}: ${band.meaning}`,
    reason: reason === null ? null : shortened(reason, SENTENCE),
    target: first ? targetOf(first.pointer, first.file) : null,
  };
}

/** In this order: what went wrong, what could be asked, what cannot. */
const WITHOUT_SCORE = [
  'error',
  'cancelled',
  'needs_judge',
  'needs_embedder',
  'needs_reference',
  'not_applicable',
] as const satisfies readonly Unscored['status'][];

/** Without what does not apply here and does there. */
function withoutSometimes(results: readonly (readonly [string, Result])[]): (readonly [string, Result])[] {
  const applied = new Set(results.flatMap(([name, { status }]) => (status === 'not_applicable' ? [] : [name])));
  return results.filter(([name, { status }]) => status !== 'not_applicable' || !applied.has(name));
}

/** Metrics without a score, by status and then by reason: one sentence for all that share it. */
function unscored(results: readonly (readonly [string, Result])[]): Unscored[] {
  return WITHOUT_SCORE.flatMap((status) => {
    const byReason = new Map<string, Set<string>>();
    const names = new Set<string>();
    for (const [name, { status: found, reason }] of results) {
      if (found !== status) continue;
      const sentence = shortened(reason ?? 'No reason was given.', SENTENCE);
      const metrics = byReason.get(sentence);
      if (metrics) metrics.add(name);
      else byReason.set(sentence, new Set([name]));
      names.add(name);
    }
    if (names.size === 0) return [];
    const reasons = Array.from(byReason, ([reason, metrics]) => ({ reason, metrics: [...metrics] })).slice(0, ROWS);
    return [{ status, metrics: names.size, reasons }];
  });
}
