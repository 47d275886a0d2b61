import type { MetricOutcome } from '../../core/result.ts';
import { agentToolCalls } from '../../core/session.ts';
import { joinWithAnd, limitList } from '../../core/text/lists.ts';
import { codeSpan } from '../../rules/shared/message-format.ts';
import { notApplicable } from '../judged-metric.ts';
import { turnMetric } from '../metric.ts';
import { suggestTool } from '../shared/call-descriptions.ts';
import { alignCalls, toCallSignature } from '../shared/call-matching.ts';
import { evidenceAt } from '../shared/evidence.ts';
import { requireExpectedCalls } from '../shared/expected-values.ts';

/** Expected tools that were called / expected tools, each counted as often as it was expected. */
export const toolSelectionAccuracy = turnMetric({
  name: 'tool_selection_accuracy',
  question: 'How many of the expected tools did the agent call?',
  source: 'ADK, metrics and scoring',
  scale: 'unit',
  threshold: 0.85,
  needs: ['reference'],

  evaluate(view): MetricOutcome {
    const { turn } = view;
    const expected = (turn.reference?.toolCalls ?? []).map(toCallSignature);
    const skipped = requireExpectedCalls(view);
    if (skipped) return skipped;
    if (expected.length === 0) return NOTHING_EXPECTED;

    const actual = agentToolCalls(turn);
    const { matches, unexpected } = alignCalls(expected, actual, { ordered: false, ignoreArguments: true });
    const missing = expected.filter((_, index) => !matches[index]);
    const correct = expected.length - missing.length;
    const spare = unexpected.flatMap((index) => actual[index] ?? []);
    const hints = missing.map(({ name }) => suggestTool(name, spare)).join('');
    return {
      status: 'scored',
      score: correct / expected.length,
      source: 'reference',
      reason:
        missing.length === 0
          ? `${expected.length === 1 ? 'The expected call names' : `All ${expected.length} expected calls name`} the right tool.`
          : `Called ${correct} of ${expected.length} expected tools; missing ${listNames(missing)}.${hints}`,
      evidence: [
        ...missing.map(({ name }) => evidenceAt(turn, turn.pointer, `${codeSpan(name)} was expected and not called`)),
        ...spare.map(({ name, pointer }) => evidenceAt(turn, pointer, `${codeSpan(name)} was not expected`)),
      ],
      metadata: {
        accuracy: (100 * correct) / expected.length,
        expected: expected.map(({ name }) => name),
        actual: actual.map(({ name }) => name),
        correct,
        precision: actual.length === 0 ? null : correct / actual.length,
      },
    };
  },
});

const NOTHING_EXPECTED = notApplicable('No tool calls were expected of this turn.');
const MAX_NAMED = 4;

function listNames(calls: readonly { readonly name: string }[]): string {
  return joinWithAnd(limitList(calls, MAX_NAMED, ({ name }) => codeSpan(name)));
}
