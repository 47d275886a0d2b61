import type { AnswerExpectation, CallExpectation, Expectations, UnmetExpectation } from '../../core/expectations.ts';
import type { Finding } from '../../core/finding.ts';
import { createNameTest } from '../../core/name-pattern.ts';
import { childPointer } from '../../core/pointer.ts';
import type { Evidence } from '../../core/result.ts';
import { agentToolCalls, type Session, type ToolStep, type Turn, turnFile } from '../../core/session.ts';
import { isProblemLevel } from '../../core/severity.ts';
import { limitList } from '../../core/text/lists.ts';
import { findRule } from '../../rules/index.ts';
import { closestName } from '../../rules/shared/closest-name.ts';
import {
  codeSpan,
  formatArguments,
  formatValue,
  inlineText,
  quoteText,
  turnLabel,
} from '../../rules/shared/message-format.ts';
import { suggestTool } from './call-descriptions.ts';
import { findUnmetCalls, type UnmetCall } from './call-expectations.ts';
import { answerEvidence, evidenceAt } from './evidence.ts';
import { formatPath, type ValueDifference, valueDifferences } from './value-differences.ts';

/** An expectation that is not met, and where that shows. */
export interface LocatedUnmet extends UnmetExpectation {
  readonly at: Evidence;
}

/** What expectations are compared with: a turn, or all turns of a session. */
export interface ExpectationSubject {
  readonly session: Session;
  /** With their indexes in the session; at least one. */
  readonly turns: readonly (readonly [index: number, turn: Turn])[];
  readonly findings: readonly Finding[];
}

/** How many expectations there are: the calls and limits of calls, the texts of the answer, the rules. */
export function countExpectations({ toolCalls, answer, noFindings = [] }: Expectations): number {
  const calls = toolCalls ? Math.max(toolCalls.expected.length, 1) + (toolCalls.forbidden?.length ?? 0) : 0;
  const texts = answer
    ? Number(answer.equals !== undefined) + (answer.contains?.length ?? 0) + (answer.excludes?.length ?? 0)
    : 0;
  return calls + texts + noFindings.length;
}

export function unmetExpectations(
  { toolCalls, answer, noFindings = [] }: Expectations,
  subject: ExpectationSubject,
): LocatedUnmet[] {
  return [
    ...(toolCalls ? unmetCalls(toolCalls, subject) : []),
    ...(answer ? unmetAnswer(answer, subject) : []),
    ...unmetFindings(noFindings, subject),
  ];
}

/** Patterns of `noFindings` that name no rule of the run: nothing found by them proves nothing. */
export function describeUncheckedRules(patterns: readonly string[], ruleIds: readonly string[]): string | null {
  const unchecked = patterns.find((pattern) => !ruleIds.some(ruleTest(pattern)));
  if (unchecked === undefined) return null;
  const near = closestName(unchecked, ruleIds);
  const hint = near === null ? 'It may be turned off.' : `Did you mean ${codeSpan(near)}?`;
  return `noFindings names ${codeSpan(unchecked)}, but no such rule checks the session. ${hint}`;
}

/** Whether a finding is one that must not be. Observations count only where their rule is named. */
function findingTest(pattern: string): (finding: Finding) => boolean {
  const test = ruleTest(pattern);
  const isNamed = !pattern.includes('*');
  return ({ rule, severity }) => test(rule) && (isNamed || isProblemLevel(severity));
}

/** A pattern with `*`, or the id or former id of a rule. */
function ruleTest(pattern: string): (id: string) => boolean {
  return createNameTest(findRule(pattern)?.id ?? pattern);
}

interface MadeCall {
  readonly step: ToolStep;
  readonly index: number;
  readonly turn: Turn;
}

function unmetCalls(expectation: CallExpectation, { turns }: ExpectationSubject): LocatedUnmet[] {
  const made = turns.flatMap(([index, turn]) => agentToolCalls(turn).map((step): MadeCall => ({ step, index, turn })));
  const calls = made.map(({ step }) => step);
  const unmet = findUnmetCalls(expectation, calls);
  const spare = unmet.flatMap((deviation) => (deviation.kind === 'extra-call' ? (calls[deviation.actual] ?? []) : []));
  const last = turns.at(-1);
  return unmet.flatMap((deviation): LocatedUnmet[] => {
    const call = 'actual' in deviation ? made[deviation.actual] : undefined;
    const [index, turn] = call ? [call.index, call.turn] : (last ?? []);
    if (index === undefined || !turn) return [];
    const described = describeCall(deviation, expectation, calls, spare);
    const at = evidenceAt(turn, call?.step.pointer ?? turn.outputPointer ?? turn.pointer, described.reason);
    return [{ kind: deviation.kind, turn: index, ...described, at }];
  });
}

function describeCall(
  deviation: UnmetCall,
  { expected: wanted }: CallExpectation,
  calls: readonly ToolStep[],
  spare: readonly ToolStep[],
): Pick<LocatedUnmet, 'title' | 'reason' | 'expected' | 'actual' | 'expectedCall'> {
  const expected = 'expected' in deviation ? wanted[deviation.expected] : undefined;
  const actual = 'actual' in deviation ? calls[deviation.actual] : undefined;
  const name = inlineText(expected?.name ?? actual?.name ?? '');
  const place = 'actual' in deviation ? `Call ${deviation.actual + 1}, ${codeSpan(name)},` : '';
  const texts = {
    expected: expected ? signature(expected.name, expected.args) : null,
    actual: actual ? signature(actual.name, actual.arguments) : null,
    ...('expected' in deviation ? { expectedCall: deviation.expected } : {}),
  };
  switch (deviation.kind) {
    case 'missing-call': {
      const reason = `Expected call ${codeSpan(name)}${withArguments(expected?.args)} was not made.${suggestTool(name, spare)}`;
      return { title: `Expected call ${name} was not made`, reason, ...texts };
    }
    case 'arguments': {
      const reason = `${place} has other arguments than expected: ${describeDifferences(deviation.differences)}.`;
      return { title: `Call ${name} has other arguments than expected`, reason, ...texts };
    }
    case 'order': {
      const neighbor = codeSpan(wanted[deviation.neighbor]?.name ?? '');
      const reason = `${place} is out of order: it was expected ${deviation.relation} ${neighbor}.`;
      return { title: `Call ${name} is out of order`, reason, ...texts };
    }
    case 'extra-call':
      return {
        title: `Call ${name} was not expected`,
        reason: `${place} was not expected; it was made${withArguments(actual?.arguments)}.`,
        ...texts,
      };
    case 'forbidden-call':
      return {
        title: `Forbidden call ${name} was made`,
        reason: `${place} is forbidden by ${codeSpan(deviation.pattern)}; it was made${withArguments(actual?.arguments)}.`,
        ...texts,
        expected: `no call of ${inlineText(deviation.pattern)}`,
      };
  }
}

function withArguments(args: ToolStep['arguments'] | undefined): string {
  return args === undefined ? '' : ` ${formatArguments(args)}`;
}

/** `refund_order {"amount":42.5}`. */
function signature(name: string, args: ToolStep['arguments'] | undefined): string {
  return args === undefined ? inlineText(name) : `${inlineText(name)} ${formatValue(args)}`;
}

const MAX_DIFFERENCES = 3;

/** ``expected `amount` 42.5, actual 425; expected `note` "x", actual none``. */
function describeDifferences(differences: readonly ValueDifference[], whole = 'arguments'): string {
  return limitList(differences, MAX_DIFFERENCES, (difference) => describeDifference(difference, whole)).join('; ');
}

function describeDifference({ path, kind, expected, actual }: ValueDifference, whole: string): string {
  const name = path.length === 0 ? whole : codeSpan(formatPath(path));
  switch (kind) {
    case 'missing':
      return `expected ${name} ${formatValue(expected)}, actual none`;
    case 'extra':
      return `${name} ${formatValue(actual)} was not expected`;
    case 'other':
      return `expected ${name} ${formatValue(expected)}, actual ${formatValue(actual)}`;
  }
}

function unmetAnswer(
  { equals, contains = [], excludes = [] }: AnswerExpectation,
  { turns }: ExpectationSubject,
): LocatedUnmet[] {
  const last = turns.at(-1);
  if (!last) return [];
  const [index, turn] = last;
  const answer = turn.output ?? '';
  const actual = turn.output === null ? 'there is none' : quoteText(answer);
  const text = fold(answer);
  const unmet = (title: string, what: string, expected: string): LocatedUnmet => {
    const reason = `${what}; actual: ${actual}.`;
    return {
      kind: 'answer',
      title,
      reason,
      turn: index,
      expected,
      actual: turn.output === null ? null : inlineText(answer, MAX_ANSWER),
      at: answerEvidence(turn, reason),
    };
  };
  return [
    ...(equals === undefined || equals.trim() === answer.trim()
      ? []
      : [
          unmet(
            'Answer is not the expected one',
            `Expected the answer ${quoteText(equals)}`,
            inlineText(equals, MAX_ANSWER),
          ),
        ]),
    ...contains
      .filter((part) => !text.includes(fold(part)))
      .map((part) =>
        unmet(
          'Answer lacks an expected text',
          `The answer does not contain ${quoteText(part)}`,
          inlineText(part, MAX_ANSWER),
        ),
      ),
    ...excludes
      .filter((part) => text.includes(fold(part)))
      .map((part) =>
        unmet(
          'Answer has an excluded text',
          `The answer contains ${quoteText(part)}, which it must not`,
          `no ${quoteText(part)}`,
        ),
      ),
  ];
}

/** Characters of an answer that are shown beside the expected one. */
const MAX_ANSWER = 500;

function fold(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

function unmetFindings(patterns: readonly string[], { session, turns, findings }: ExpectationSubject): LocatedUnmet[] {
  const tests = patterns.map((pattern) => ({ pattern, test: findingTest(pattern) }));
  return findings.flatMap((finding): LocatedUnmet[] => {
    const match = tests.find(({ test }) => test(finding));
    if (!match) return [];
    const { rule, turn, message, evidence } = finding;
    const title = `Rule ${rule} reports a finding, where none was expected`;
    const reason = `Expected no finding of ${codeSpan(rule)}, but there is one in ${turnLabel(turn)}: ${message}`;
    const [first] = evidence;
    const known = turns.find(([index]) => index === turn)?.[1];
    const pointer = first?.pointer ?? known?.pointer ?? session.source.pointer;
    const file = first?.file ?? (known && turnFile(session, known) !== session.source.file ? known.file : undefined);
    const at = { pointer, note: reason, ...(file === undefined ? {} : { file }) };
    const expected = `no finding of ${inlineText(match.pattern)}`;
    return [{ kind: 'finding', title, reason, turn, expected, actual: message, at }];
  });
}

/** What of the expected state was not so after the last turn. */
export function unmetState(
  expected: unknown,
  { finalState, finalStatePointer, source, turns }: Session,
): LocatedUnmet[] {
  return valueDifferences(expected, finalState, 'partial').map((difference): LocatedUnmet => {
    const { path, kind } = difference;
    const reason = `Final state: ${describeDifferences([difference], 'state')}.`;
    const existing = kind === 'missing' ? path.slice(0, -1) : path;
    return {
      kind: 'state',
      title:
        path.length === 0
          ? 'Final state is not the expected one'
          : `Final state has another ${inlineText(formatPath(path))}`,
      reason,
      turn: Math.max(turns.length - 1, 0),
      expected: formatValue(difference.expected),
      actual: kind === 'missing' ? null : formatValue(difference.actual),
      at: {
        pointer: finalStatePointer === undefined ? source.pointer : childPointer(finalStatePointer, ...existing),
        note: reason,
      },
    };
  });
}
