import type { TurnReport } from '../../core/report.ts';
import type { Pointer, Session, Turn } from '../../core/session.ts';
import { severityRank } from '../../core/severity.ts';
import type { Quote } from '../../protocol/report-values.ts';
import type { TurnRow } from '../../protocol/turn-rows.ts';
import type { HeldSession } from '../held/rows.ts';
import { excerpt } from '../wording/excerpt.ts';
import { Citing } from './citing.ts';
import { failureRow, foundByTurn, observationRow, suppressedRow } from './findings.ts';
import { MESSAGE, ROWS } from './limits.ts';
import type { Level } from './nested.ts';
import type { OpinionIn } from './opinions.ts';
import { own, resultOf, scoreRows, TURN_RISK, unscoredRows } from './scores.ts';
import { stepRows } from './step-rows.ts';
import { reportOfTurn } from './turn-reports.ts';
import { durationOf, sentence, targetIn } from './values.ts';

/** Steps of a turn that come with it. */
const STEPS = 50;

/** What is known of a session beside what is held of it. */
export interface TurnParts {
  /** As it was evaluated; null when that cannot be read again. */
  readonly session: Session | null;
  readonly opinionIn: OpinionIn;
}

/** Turns of a session, from one on. */
export function turnRows(held: HeldSession, { session, opinionIn }: TurnParts, from: number, count: number): TurnRow[] {
  const { row, file, detail } = held;
  const found = foundByTurn(detail.found);
  const citing = new Citing(file, session);
  const last = Math.min(from + count, row.turns);
  return Array.from({ length: Math.max(0, last - from) }, (_, at): TurnRow => {
    const index = from + at;
    const turn = session?.turns[index];
    const report = reportOfTurn(held, index);
    const failures = (found.failures.get(index) ?? []).toSorted(
      (a, b) => severityRank(b.severity) - severityRank(a.severity),
    );
    const parts = { citing, opinionIn };
    return {
      ...said(turn, report, { index, file, isRead: session !== null }),
      ...judged(report, { ...parts, turn: index }, new Set(failures.map(({ label }) => label))),
      failures: failures.slice(0, ROWS).map((failure) => failureRow(failure, parts)),
      failuresOmitted: Math.max(0, failures.length - ROWS),
      observations: (found.observations.get(index) ?? []).slice(0, ROWS).map((one) => observationRow(one, parts)),
      suppressed: (found.suppressed.get(index) ?? []).slice(0, ROWS).map((one) => suppressedRow(one, parts)),
      opinion: opinionIn(index, { type: 'turn' }),
    };
  });
}

/** Turns of a sub-agent: nothing is said of them. */
export function nestedRows({ turns, file }: Level, from: number, count: number): TurnRow[] {
  return turns.slice(from, from + count).map((turn, at) => ({
    ...said(turn, undefined, { index: from + at, file, isRead: true }),
    ...NOTHING_SAID,
  }));
}

type Said = Omit<TurnRow, keyof typeof NOTHING_SAID>;

const NOTHING_SAID = {
  risk: null,
  riskReason: null,
  failures: [],
  failuresOmitted: 0,
  observations: [],
  suppressed: [],
  scores: [],
  unscored: [],
  opinion: null,
} as const satisfies Partial<TurnRow>;

interface Place {
  readonly index: number;
  /** Of the session. */
  readonly file: string;
  readonly isRead: boolean;
}

/** What was said and done. */
function said(turn: Turn | undefined, report: TurnReport | undefined, { index, file, isRead }: Place): Said {
  const own = turn?.file ?? report?.file ?? file;
  const pointer = turn?.pointer ?? report?.pointer ?? '';
  const quote = (text: string | null | undefined, at: Pointer | undefined): Quote | null =>
    text === null || text === undefined ? null : { ...excerpt(text, MESSAGE), target: targetIn(own, at ?? pointer) };
  return {
    index,
    line: report?.line ?? null,
    target: targetIn(own, pointer),
    // Of what cannot be read it is not known.
    recorded: turn?.captured !== false,
    ...(isRead ? {} : { unread: true as const }),
    input: quote(turn?.input, turn?.inputPointer),
    steps: turn ? stepRows(turn, own, 0, STEPS) : [],
    stepsOmitted: Math.max(0, (turn?.steps.length ?? 0) - STEPS),
    output: quote(turn?.output, turn?.outputPointer),
    durationMs: turn ? durationOf(turn) : null,
  };
}

/** What is said of it; of a turn that is being evaluated, nothing yet. */
function judged(
  report: TurnReport | undefined,
  parts: Parameters<typeof scoreRows>[1],
  labels: ReadonlySet<string>,
): Pick<TurnRow, 'waiting' | 'risk' | 'riskReason' | 'scores' | 'unscored'> {
  if (!report) return { waiting: true, risk: null, riskReason: null, scores: [], unscored: [] };
  const results = own(report.metrics).filter(([metric]) => metric !== TURN_RISK);
  const risk = resultOf(report.metrics, TURN_RISK);
  return {
    risk: risk?.score ?? null,
    riskReason: risk?.reason ? sentence(risk.reason) : null,
    scores: scoreRows(
      // Labels that are shown as failures, with their reason, are not shown twice.
      results.filter(([, { label }]) => label === null || !labels.has(label)),
      parts,
    ),
    unscored: unscoredRows(results),
  };
}
