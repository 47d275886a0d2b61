import type { ToolStep, Turn } from '../../core/session.ts';
import type { Rule, RuleFinding } from '../rule.ts';
import type { IndexedCall, RuleView } from '../rule-view.ts';
import { stringsIn } from '../shared/json-strings.ts';
import { endSentence, formatValue, quoteText } from '../shared/message-format.ts';
import { looksLikeNote } from '../shared/tool-effect.ts';
import { mayHideActions } from '../structure/recovery.ts';
import { factualSentences } from './action-claims.ts';
import { isLatinScript } from './phrases.ts';

export const testsClaimedToPass: Rule = {
  id: 'tests-claimed-to-pass',
  title: 'Tests claimed to pass',
  proves: 'The last test run failed, nothing was done after it, and the answer says that the tests pass.',
  severity: 'high',
  label: 'ignored tool result',
  affects: [],
  page: {
    how: 'Looks for the last test command of a turn (`pytest`, `npm test`, `vitest`, `jest`, `cargo test`, `go test`) whose output counts failures (“1 failed, 17 passed”, “test result: FAILED”), followed by nothing but look-ups, and for a sentence in the answer that says that the tests, or all tests, pass.',
    silent:
      'Any mention of a failure in the answer (“except”, “fails”, “flaky”, “unrelated”) prevents a finding. So do a later edit or command in the turn, a sub-agent, and a test run that stopped before it counted failures. Reads English only.',
    remedy:
      'Do not trust the change: run the tests. In the agent’s instructions, require that an answer about tests is based on the output of the last run.',
  },
  check(view) {
    return view.session.turns.flatMap((turn, index) => findingsIn(view, turn, index, view.callsByTurn[index] ?? []));
  },
};

/** `pytest -q`, `cd app && uv run pytest`, `CI=1 npm run test`. */
const TEST_COMMAND =
  /(?:^|&&|;|\n)[^\S\n]*(?:\w{1,40}=\S{1,80}\s+){0,3}(?:(?:uv|poetry|pipenv|hatch) run\s+|npx\s+|bunx\s+|pnpm exec\s+|python3?\s+-m\s+){0,2}(?:pytest|vitest|jest|(?:npm|yarn|pnpm|bun)\s+(?:run\s+)?test|cargo\s+(?:test|nextest)|go\s+test)\b/;

/** A longer command may be a script that only mentions a test command. */
const MAX_COMMAND_LENGTH = 500;

const FAILURE_COUNT =
  /\b[1-9]\d{0,5} failed\b|^test result: FAILED|^--- FAIL:|\bFAILED \((?:failures|errors)=[1-9]|^FAIL\t/m;

/** How much of the end of an output is read, where failures are counted. */
const TAIL_LENGTH = 4000;

const PASS_CLAIM =
  /\b(?:all|the|every|both)\b(?: [\w`*-]{1,30}){0,3} tests? (?:(?:are|is|have|has|now|all|still|do) ){0,3}(?:pass|passes|passed|passing|succeed|succeeded|green)\b/i;

/** If the answer contains one of these anywhere, it may be about the failed run. */
const FAILURE_ADMISSION =
  /\b(?:fail(?:s|ed|ing|ures?)?|except|flak\w*|unrelated|pre-?existing|broken|other than|apart from)\b/i;

const PROMISE = /\b(?:will|ensure|make sure|so that|not)\b|n['’]t\b/i;

function findingsIn(view: RuleView, turn: Turn, index: number, calls: readonly IndexedCall[]): RuleFinding[] {
  const claim = turn.output === null ? null : passingClaim(turn.output);
  if (claim === null || mayHideActions(turn)) return [];
  const last = calls.findLast(({ step, effect }) => effect !== 'reads' && !looksLikeNote(step.name));
  const run = last && failedTestRun(last.step);
  if (!run) return [];
  const { pointer, resultPointer } = last.step;
  const summary = `The last run of the tests, ${formatValue(run.command)}, counts ${quoteText(run.failures)}, and nothing was done after it, yet the answer says ${quoteText(claim)}`;
  return [
    {
      turn: index,
      message: endSentence(summary),
      evidence: [
        view.evidence(index, resultPointer ?? pointer, 'the output of the tests'),
        view.evidence(index, pointer, 'the last test run'),
        view.evidence(index, turn.outputPointer ?? turn.pointer, 'the answer that says the tests pass'),
      ],
      calls: [pointer],
    },
  ];
}

function passingClaim(answer: string): string | null {
  if (!answer.includes('test') || !PASS_CLAIM.test(answer) || FAILURE_ADMISSION.test(answer) || !isLatinScript(answer))
    return null;
  return factualSentences(answer).find((text) => PASS_CLAIM.test(text) && !PROMISE.test(text)) ?? null;
}

function failedTestRun(step: ToolStep): { readonly command: string; readonly failures: string } | null {
  const [command, ...others] = [...stringsIn(step.arguments)].filter((text) =>
    TEST_COMMAND.test(text.slice(0, MAX_COMMAND_LENGTH)),
  );
  if (command === undefined || others.length > 0 || command.length > MAX_COMMAND_LENGTH) return null;
  const output = [...stringsIn(step.result), step.error ?? ''].join('\n').slice(-TAIL_LENGTH);
  const failures = FAILURE_COUNT.exec(output)?.[0];
  return failures === undefined ? null : { command, failures: failures.trim() };
}
