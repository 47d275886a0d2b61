import type { AttemptRow, ScenarioResult } from '../../protocol/scenarios.ts';

/** What a test item says of a scenario or an attempt. Undecided is `errored`, never `passed`. */
export type TestOutcome = 'passed' | 'failed' | 'errored' | 'skipped';

const OUTCOMES = {
  passed: 'passed',
  failed: 'failed',
  undecided: 'errored',
} as const satisfies Record<AttemptRow['verdict'], TestOutcome>;

/** `skipped`: nothing was recorded that could be replayed. */
export function scenarioOutcome({ verdict, attempts }: ScenarioResult): TestOutcome {
  const isApplicable = attempts.length === 0 || attempts.some((attempt) => attemptOutcome(attempt) !== 'skipped');
  return isApplicable ? OUTCOMES[verdict] : 'skipped';
}

export function attemptOutcome({ verdict, headline }: AttemptRow): TestOutcome {
  return verdict === 'undecided' && headline.kind === 'not-run' ? 'skipped' : OUTCOMES[verdict];
}

/**
 * The outcome that the item of an attempt shows; null: only its description says it. VS Code shows the worst outcome of its
 * children for a scenario, so an attempt must not be worse than its scenario, which can succeed with one that failed.
 */
export function shownAttemptOutcome(attempt: AttemptRow, result: ScenarioResult): TestOutcome | null {
  const outcome = attemptOutcome(attempt);
  return RANK[outcome] > RANK[scenarioOutcome(result)] ? null : outcome;
}

/** Of VS Code: the outcome with the highest rank is that of the parent. */
const RANK = { skipped: 0, passed: 1, failed: 2, errored: 3 } as const satisfies Record<TestOutcome, number>;
