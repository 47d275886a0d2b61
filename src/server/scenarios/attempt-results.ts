import { relative } from 'node:path';
import type { SessionReport } from '../../core/report.ts';
import type { Verdict } from '../../core/verdict.ts';
import type { AttemptRow } from '../../protocol/scenarios.ts';
import { expectationResults, unmetOf } from '../../report-model/expectation-results.ts';
import type { ScenarioSummary } from '../../report-model/session-attempts.ts';

/** An attempt at a scenario and what came of it. Its messages have no ranges yet: those of the scenario file change. */
export interface AttemptResult extends Omit<AttemptRow, 'messages' | 'uri' | 'session'> {
  /** Absolute path; null where it could not be written. */
  readonly sessionFile: string | null;
  readonly messages: readonly AttemptNote[];
}

/** A message of an attempt, with what it is about. */
export interface AttemptNote {
  readonly text: string;
  readonly expected: string | null;
  readonly actual: string | null;
  /** Zero-based; null: the session as a whole. */
  readonly turn: number | null;
  /** Its position among the calls that the turn expects, or the session. */
  readonly expectedCall: number | null;
  /** One-based, in the session file. */
  readonly traceLine: number | null;
}

/** The last result of a scenario. */
export interface StoredScenarioResult {
  /** Absolute path of the scenario file. */
  readonly file: string;
  readonly name: string;
  readonly summary: ScenarioSummary;
  readonly attempts: readonly AttemptResult[];
  /** Tools that it answers itself; none where a record says what came of it. */
  readonly mockedTools: readonly string[];
  /** The recorded run; null where none is stored. */
  readonly run: string | null;
  /** The recorded run before it that has the scenario. */
  readonly previousRun: string | null;
  /** When its run began, in milliseconds of the epoch: what changes later makes it stale. */
  readonly startedAt: number;
  /** ISO 8601. */
  readonly finishedAt: string;
}

/** What an attempt is known by, besides its results. */
export interface AttemptFacts
  extends Pick<AttemptRow, 'trial' | 'agent' | 'turns' | 'tokens' | 'durationMs' | 'output'> {
  readonly sessionFile: string | null;
  /** Why it did not come to its end, a sentence. */
  readonly failure: string | null;
}

/** The part of a report that says what came of an attempt. */
export type EvaluatedAttempt = Pick<SessionReport, 'verdict' | 'headline' | 'undecided' | 'metrics' | 'turns'>;

/** @param evaluated null where there are no results. @param project paths in texts are relative to it */
export function attemptResult(facts: AttemptFacts, evaluated: EvaluatedAttempt | null, project: string): AttemptResult {
  const { failure, ...known } = facts;
  const notes = evaluated ? unmetNotes(evaluated, facts.sessionFile, project) : [];
  const failed = failure === null ? [] : [wholeNote(failure)];
  const text = evaluated ? whyText(evaluated) : NOT_EVALUATED;
  const verdict: Verdict = evaluated?.verdict ?? 'undecided';
  const rest = notes.length + failed.length === 0 && verdict !== 'passed' ? [wholeNote(text)] : [];
  return {
    ...known,
    verdict: failure !== null && verdict === 'passed' ? 'undecided' : verdict,
    headline: evaluated?.headline ?? { kind: 'undecided', text: NOT_EVALUATED, turn: null },
    messages: [...failed, ...notes, ...rest],
  };
}

const NOT_EVALUATED = 'The attempt was not evaluated.';

function whyText({ headline, undecided = [] }: EvaluatedAttempt): string {
  return [headline.text, ...undecided].join('\n');
}

function wholeNote(text: string): AttemptNote {
  return { text, expected: null, actual: null, turn: null, expectedCall: null, traceLine: null };
}

/** What was expected and is not so, in the order of the turns. */
function unmetNotes({ metrics, turns }: EvaluatedAttempt, sessionFile: string | null, project: string): AttemptNote[] {
  const results = expectationResults(
    turns.map((turn) => turn.metrics),
    metrics,
  );
  return results.flatMap(({ metric, result }) =>
    unmetOf(result).map((unmet): AttemptNote => {
      const { title, reason, expected, actual, expectedCall = null } = unmet;
      const isOfTurn = metric === 'turn_expectations';
      const line = turns.find(({ index }) => index === unmet.turn)?.line ?? null;
      const trace = sessionFile === null ? '' : `${relative(project, sessionFile)}${line === null ? '' : `:${line}`}`;
      const lines = [
        `Turn ${unmet.turn + 1}: ${title}.`,
        reason,
        ...(expected === null ? [] : [`Expected: ${expected}`]),
        ...(expected === null && actual === null ? [] : [`Actual: ${actual ?? 'none'}`]),
        ...(trace === '' ? [] : [`Trace: ${trace}`]),
      ];
      return {
        text: lines.join('\n'),
        expected,
        actual,
        turn: isOfTurn ? unmet.turn : null,
        expectedCall,
        traceLine: line,
      };
    }),
  );
}
