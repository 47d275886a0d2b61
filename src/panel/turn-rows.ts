import type { TurnReport } from '../core/report.ts';
import type { Pointer, Turn } from '../core/session.ts';
import { baseName } from '../input/paths.ts';
import type { TextQuote } from '../protocol/report-values.ts';
import type { TurnRow } from '../protocol/turn-rows.ts';
import { turnScores } from '../report-model/displayed-scores.ts';
import type { SessionModel } from '../report-model/session-model.ts';
import { groupMissingScores } from '../report-model/session-totals.ts';
import type { CallHistory } from '../report-model/transcript/call-history.ts';
import { compareTurnCalls } from '../report-model/transcript/expected-calls.ts';
import type { TurnList } from '../report-model/transcript/nested-turns.ts';
import { tokensOf, turnDurationMs } from '../report-model/transcript/turn-measures.ts';
import { problemsInTurn } from '../report-model/turn-overview.ts';
import { comparedCallRows } from './call-comparison.ts';
import { CitationResolver } from './citations.ts';
import type { FeedbackLookup } from './feedback.ts';
import { failureRow, observationRow, suppressedRow } from './findings.ts';
import { MAX_MESSAGE, MAX_ROWS } from './limits.ts';
import { scoreRows, unscoredRows } from './scores.ts';
import { stepRows } from './step-rows.ts';
import { toTarget } from './targets.ts';
import { excerpt } from './text/excerpt.ts';
import type { Transcript } from './transcript.ts';
import { limitName } from './values.ts';

/** Steps that come with their turn. */
const MAX_STEPS = 50;

/** What rows of turns are built from, besides the results. */
export interface TurnContext {
  /** Null when the session's files have changed since it was evaluated. */
  readonly transcript: Transcript | null;
  readonly feedback: FeedbackLookup;
}

/** A page of a session's turns. */
export function turnRows(
  file: string,
  model: SessionModel,
  { transcript, feedback }: TurnContext,
  from: number,
  count: number,
): TurnRow[] {
  const findings = model.findingsByTurn();
  const titles = model.problemTitles();
  const citations = new CitationResolver(file, transcript);
  const last = Math.min(from + count, model.turnCount);
  return Array.from({ length: Math.max(0, last - from) }, (_, at): TurnRow => {
    const index = from + at;
    const turn = transcript?.session.turns[index];
    const report = model.turn(index);
    const problems = problemsInTurn(model, index);
    const parts = { citations, feedback };
    return {
      ...turnContent(turn, report, { index, file, isRead: transcript !== null, calls: transcript?.calls() ?? null }),
      ...turnResults(report, { ...parts, turn: index }, new Set(problems.map(({ label }) => label))),
      problems: problems
        .slice(0, MAX_ROWS)
        .map((problem) => failureRow(problem, titles.get(problem) ?? problem.label, parts)),
      problemsOmitted: Math.max(0, problems.length - MAX_ROWS),
      observations: (findings.observations.get(index) ?? [])
        .slice(0, MAX_ROWS)
        .map((observation) => observationRow(observation, parts)),
      suppressed: (findings.suppressed.get(index) ?? [])
        .slice(0, MAX_ROWS)
        .map((finding) => suppressedRow(finding, parts)),
      feedback: feedback(index, { type: 'turn' }),
    };
  });
}

/** A page of a sub-agent's turns, which have no results. */
export function nestedRows({ turns, file }: TurnList, from: number, count: number): TurnRow[] {
  return turns.slice(from, from + count).map((turn, at) => ({
    ...turnContent(turn, undefined, { index: from + at, file, isRead: true, calls: null }),
    ...NO_RESULTS,
  }));
}

type TurnContent = Omit<TurnRow, keyof typeof NO_RESULTS>;

const NO_RESULTS = {
  problems: [],
  problemsOmitted: 0,
  observations: [],
  suppressed: [],
  scores: [],
  unscored: [],
  feedback: null,
} as const satisfies Partial<TurnRow>;

interface TurnOrigin {
  readonly index: number;
  /** The session's file. */
  readonly file: string;
  readonly isRead: boolean;
  /** The session's calls; null for the turns of a sub-agent. */
  readonly calls: CallHistory | null;
}

/** The content of a turn. */
function turnContent(
  turn: Turn | undefined,
  report: TurnReport | undefined,
  { index, file, isRead, calls }: TurnOrigin,
): TurnContent {
  const own = turn?.file ?? report?.file ?? file;
  const pointer = turn?.pointer ?? report?.pointer ?? '';
  const expected = turn ? compareTurnCalls(turn, index) : null;
  const quote = (text: string | null | undefined, at: Pointer | undefined): TextQuote | null =>
    text === null || text === undefined
      ? null
      : { ...excerpt(text, MAX_MESSAGE), target: toTarget(own, at ?? pointer) };
  return {
    index,
    line: report?.line ?? null,
    ...(own === file ? {} : { file: limitName(baseName(own)) }),
    target: toTarget(own, pointer),
    // Unknown where the session cannot be read.
    recorded: turn?.captured !== false,
    ...(isRead ? {} : { unread: true as const }),
    input: quote(turn?.input, turn?.inputPointer),
    steps: turn ? stepRows(turn, { file: own, calls }, 0, MAX_STEPS) : [],
    stepsOmitted: Math.max(0, (turn?.steps.length ?? 0) - MAX_STEPS),
    output: quote(turn?.output, turn?.outputPointer),
    expected: expected && comparedCallRows(expected),
    durationMs: turn ? turnDurationMs(turn) : null,
    tokens: turn ? tokensOf([turn]) : null,
  };
}

/** The results of a turn; none while it is being evaluated. */
function turnResults(
  report: TurnReport | undefined,
  parts: Parameters<typeof scoreRows>[1],
  labels: ReadonlySet<string>,
): Pick<TurnRow, 'waiting' | 'scores' | 'unscored'> {
  if (!report) return { waiting: true, scores: [], unscored: [] };
  const { scores, results } = turnScores(report.metrics, labels);
  return {
    scores: scoreRows(scores, parts),
    unscored: unscoredRows(groupMissingScores(results)),
  };
}
