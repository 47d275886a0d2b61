import { pathToFileURL } from 'node:url';
import type { Gate as FoundGate, ProblemOccurrence } from '../../core/report.ts';
import { type Coverage, coverage, type Result } from '../../core/result.ts';
import { severityRank } from '../../core/severity.ts';
import { baseName } from '../../input/paths.ts';
import type { Change, FileState } from '../../protocol/messages.ts';
import type { Because, Gate, ReportHeader, RunFacts } from '../../protocol/report.ts';
import type { HeldSession } from '../held/rows.ts';
import { Citing } from './citing.ts';
import { facetsOf } from './facets.ts';
import { ROWS } from './limits.ts';
import type { OpinionIn } from './opinions.ts';
import { type Named, own, SESSION_RISK, scoreRows, Unscoreds } from './scores.ts';
import { stripOf } from './strip.ts';
import { finite, name, sentence, targetIn } from './values.ts';

/** How many failures say why, and how many sentences about gates, or about what is missing; and how many of both. */
const WORST = 3;
const MOST_WHY = 4;

/** What is known of a session beside what is held of it. */
export interface HeaderParts {
  readonly edition: number;
  readonly state: FileState;
  readonly changed?: Change;
  /** How many sessions begin in its file. */
  readonly siblings: number;
  readonly opinionIn: OpinionIn;
}

/** What is said of a session before any of its turns is looked at. */
export function headerOf(
  held: HeldSession,
  { edition, state, changed, siblings, opinionIn }: HeaderParts,
): ReportHeader {
  const { row, file, detail } = held;
  const { report, gates } = detail;
  const facts = factsOf(held);
  const parts = { turn: null, citing: new Citing(file, null), opinionIn };
  return {
    edition,
    key: row.key,
    id: name(row.id),
    file: { name: name(baseName(file)), uri: pathToFileURL(file).href },
    format: report.source.format,
    target: targetIn(file, report.source.pointer),
    state,
    changed,
    verdict: row.verdict,
    risk: row.risk,
    riskReason: row.riskReason === null ? null : sentence(row.riskReason),
    why: why(held),
    failures: row.failures,
    gates: gates.slice(0, ROWS).map(gateRow),
    coverage: facts.coverage,
    unscored: facts.unscored,
    scores: scoreRows(
      facts.ofSession.filter(([metric]) => metric !== SESSION_RISK),
      parts,
    ),
    judges: facts.judges,
    run: runFacts(held),
    turnsDone: row.turnsDone,
    strip: facts.strip,
    facets: facts.facets,
    siblings,
  };
}

/** What takes a look at all turns. */
interface Facts extends Pick<ReportHeader, 'unscored' | 'judges' | 'strip' | 'facets'> {
  readonly coverage: Coverage;
  readonly ofSession: readonly Named[];
}

/** What is held of a session never changes. */
const KNOWN = new WeakMap<HeldSession, Facts>();

function factsOf(held: HeldSession): Facts {
  const known = KNOWN.get(held) ?? found(held);
  KNOWN.set(held, known);
  return known;
}

/** In one pass: there may be a million results. */
function found(held: HeldSession): Facts {
  const { report, run } = held.detail;
  const unscored = new Unscoreds();
  const judges = new Set(run.judge ? [`${run.judge.provider}/${run.judge.model}`] : []);
  const names = new Set<string>();
  const applied = new Set<string>();
  const counts = { scored: 0, of: 0 };
  const add = (metric: string, result: Result): void => {
    const counted = coverage([result]);
    counts.scored += counted.scored;
    counts.of += counted.of;
    if (result.status !== 'not_applicable') applied.add(metric);
    if (result.judge !== undefined) judges.add(result.judge);
    unscored.add(metric, result);
  };
  for (const { metrics } of report.turns) {
    for (const metric in metrics) {
      const result = metrics[metric];
      if (!result || result.implied) continue;
      names.add(metric);
      add(metric, result);
    }
  }
  // A session's result of a turn metric is the mean of its turns, which are counted.
  const ofSession = own(report.metrics).filter(([metric]) => !names.has(metric));
  for (const [metric, result] of ofSession) add(metric, result);
  return {
    ofSession,
    coverage: counts,
    unscored: unscored.rows(applied),
    judges: [...judges].slice(0, ROWS).map(name),
    strip: stripOf(held),
    facets: facetsOf(held),
  };
}

/** What decides the verdict, or leaves it open, then the worst failures. */
function why(held: HeldSession): Because[] {
  const failures = held.detail.found.groups.flatMap(({ occurrences }) => occurrences).sort(bySeverity);
  const decisive = decisiveIn(held, failures.length > 0).slice(0, WORST);
  const room = Math.min(WORST, MOST_WHY - decisive.length);
  return [
    ...decisive.map((text) => ({ sentence: sentence(text), turn: null, severity: null, target: null })),
    ...failures.slice(0, room).map(becauseOf),
  ];
}

/**
 * Its own gates: those of the run decide of the run.
 *
 * @param hasFailures whether failures are told of: they say more than a gate of severity does.
 */
function decisiveIn({ row, detail: { gates } }: HeldSession, hasFailures: boolean): readonly string[] {
  if (row.verdict === 'undecided') return row.why;
  return gates
    .filter(({ scope, met, metric }) => scope === 'session' && met === false && !(hasFailures && metric === 'severity'))
    .map(({ metric, reason }) => (metric === 'severity' ? reason : `${metric}: ${reason}`));
}

function bySeverity(a: ProblemOccurrence, b: ProblemOccurrence): number {
  return severityRank(b.severity) - severityRank(a.severity) || a.turn - b.turn;
}

function becauseOf({ severity, reason, turn, file, pointer }: ProblemOccurrence): Because {
  return { sentence: sentence(reason), turn, severity, target: targetIn(file, pointer) };
}

function gateRow({ scope, metric, threshold, actual, met, reason }: FoundGate): Gate {
  return {
    scope,
    metric: name(metric),
    threshold,
    actual: typeof actual === 'number' ? finite(actual) : actual,
    met,
    reason: sentence(reason),
  };
}

function runFacts({ detail: { run, undecided = [] } }: HeldSession): RunFacts {
  const { startedAt, durationMs, complete, usage } = run;
  return {
    // Of one that goes on it is not known.
    startedAt: startedAt === '' ? null : startedAt,
    durationMs: startedAt === '' ? null : durationMs,
    complete,
    calls: usage.judgeCalls,
    callsCached: usage.judgeCallsCached,
    promptTokens: usage.promptTokens,
    completionTokens: usage.completionTokens,
    cost: usage.cost ?? null,
    ...(undecided.length === 0 ? {} : { undecided: undecided.slice(0, ROWS).map(sentence) }),
  };
}
