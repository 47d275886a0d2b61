import * as z from 'zod';
import type { Evidence, MetricOutcome } from '../../core/result.ts';
import { agentToolCalls } from '../../core/session.ts';
import { turnMetric } from '../metric.ts';
import { type AlignedCall, describeAlignment, firstSentences } from '../shared/call-descriptions.ts';
import { alignCalls, type CallSignature, callKeys, toCallSignature } from '../shared/call-matching.ts';
import { evidenceAt } from '../shared/evidence.ts';
import { requireExpectedCalls } from '../shared/expected-values.ts';
import { sharedCount } from '../shared/multiset.ts';

const MATCH_TYPES = ['EXACT', 'IN_ORDER', 'ANY_ORDER'] as const;
export type MatchType = (typeof MATCH_TYPES)[number];

/** The name in any case, with `-`, a space or `_`, or ADK's number. */
const matchType = z.union([z.literal([0, 1, 2]), z.string()]).transform((value, context): MatchType => {
  const name = typeof value === 'string' ? value.toUpperCase().replace(/[- ]/g, '_') : MATCH_TYPES[value];
  const matched = MATCH_TYPES.find((type) => type === name);
  if (matched) return matched;
  context.addIssue({ code: 'custom', message: `must be one of ${MATCH_TYPES.join(', ')}, or 0, 1, 2` });
  return z.NEVER;
});

/** Whether the calls of a turn are the expected ones: 1 or 0 per turn, averaged over turns. */
export const toolTrajectoryAvgScore = turnMetric({
  name: 'tool_trajectory_avg_score',
  question: 'Did the agent make exactly the expected tool calls?',
  source: 'ADK, metrics and scoring',
  scale: 'binary',
  threshold: 1,
  needs: ['reference'],
  options: z.strictObject({ matchType: matchType.default('EXACT'), ignoreArgs: z.boolean().default(false) }),

  evaluate(view, { matchType, ignoreArgs }): MetricOutcome {
    const { turn } = view;
    const expected = (turn.reference?.toolCalls ?? []).map(toCallSignature);
    const skipped = requireExpectedCalls(view);
    if (skipped) return skipped;
    if (expected.length === 0 && matchType !== 'EXACT') return NOTHING_EXPECTED;

    const actual = agentToolCalls(turn);
    const matched = matches(matchType, expected, actual, ignoreArgs);
    const alignment = describeAlignment(
      alignCalls(expected, actual, { ordered: matchType !== 'ANY_ORDER', ignoreArguments: ignoreArgs }),
      expected,
      actual,
    );
    const offending = matched ? [] : alignment.filter((line) => isMismatch(line, matchType));
    return {
      status: 'scored',
      score: matched ? 1 : 0,
      source: 'reference',
      reason: matched
        ? describeMatch(expected.length, matchType)
        : firstSentences(offending.map(({ reason }) => reason)),
      evidence: offending.map(({ actual: place, reason }): Evidence => {
        const made = place === null ? undefined : actual[place];
        return evidenceAt(turn, made?.pointer ?? turn.pointer, reason);
      }),
      metadata: { matchType, ignoreArgs, ...rates(alignment, expected.length, actual.length), alignment },
    };
  },
});

const NOTHING_EXPECTED: MetricOutcome = Object.freeze({
  status: 'vacuous',
  score: 1,
  source: 'reference',
  reason: 'No calls were expected, and other calls are allowed.',
});

/** ADK's rules: exactly the expected calls; the expected calls in order among others; or in any order. */
function matches(
  type: MatchType,
  expected: readonly CallSignature[],
  actual: readonly CallSignature[],
  ignoreArguments: boolean,
) {
  const wanted = callKeys(expected, 'expected', ignoreArguments);
  const made = callKeys(actual, 'actual', ignoreArguments);
  switch (type) {
    case 'EXACT':
      return wanted.length === made.length && wanted.every((key, index) => key === made[index]);
    case 'IN_ORDER': {
      let matched = 0;
      for (const key of made) if (key === wanted[matched]) matched += 1;
      return matched === wanted.length;
    }
    case 'ANY_ORDER':
      return sharedCount(wanted, made) === wanted.length;
  }
}

function isMismatch({ match }: AlignedCall, type: MatchType): boolean {
  return match !== 'same' && (match !== 'unexpected' || type === 'EXACT');
}

function describeMatch(expected: number, type: MatchType): string {
  if (expected === 0) return 'No calls were expected, and none was made.';
  const order = { EXACT: 'and no others', IN_ORDER: 'in the expected order', ANY_ORDER: 'in any order' }[type];
  return `${expected === 1 ? 'The expected call was' : `All ${expected} expected calls were`} made, ${order}.`;
}

/** Rates of calls at the expected position; null if there is nothing to divide by. */
function rates(alignment: readonly AlignedCall[], expected: number, actual: number) {
  const same = alignment.filter(({ match }) => match === 'same').length;
  return {
    precision: actual === 0 ? null : same / actual,
    recall: expected === 0 ? null : same / expected,
    f1: expected + actual === 0 ? null : (2 * same) / (expected + actual),
  };
}
