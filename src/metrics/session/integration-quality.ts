import type { Evidence, Outcome } from '../../core/result.ts';
import { toolCalls } from '../../core/session.ts';
import { argumentsBreakSchema } from '../../rules/arguments-break-schema.ts';
import { argumentsNotJson } from '../../rules/arguments-not-json.ts';
import { callWithoutResult } from '../../rules/call-without-result.ts';
import { ruleView } from '../../rules/view.ts';
import { code } from '../../rules/wording.ts';
import { notApplicable } from '../judged.ts';
import { sessionMetric } from '../metric.ts';
import { evidenceAt } from '../shared/evidence.ts';
import { failedCalls } from '../shared/recovery.ts';

/**
 * Sound tool calls / tool calls. A call is unsound when one of these is proven, each as the rule of that name proves it:
 * its arguments are no JSON object; an argument is missing that the tool's own schema requires at its top level; it has
 * no result; it failed, and no later call of the same tool in the session succeeded. Types and values of arguments are
 * not checked.
 */
export const integrationQuality = sessionMetric({
  name: 'integration_quality',
  question: 'Were tools called with valid arguments, their results awaited and their errors recovered?',
  source: 'ADK, metrics and scoring',
  scale: 'unit',
  threshold: null,
  needs: [],

  evaluate({ session }): Outcome {
    let calls = 0;
    for (const turn of session.turns) if (turn.captured !== false) calls += toolCalls(turn).length;
    if (calls === 0) return NO_CALLS;

    const view = ruleView(session);
    const faults: Fault[] = [
      ...CHECKS.flatMap(([kind, rule]) =>
        rule
          .check(view, undefined)
          .flatMap(({ evidence: [at], message }) => (at ? { kind, at: { ...at, note: message } } : [])),
      ),
      ...failedCalls(session)
        .filter(({ recoveredBy, turn }) => !recoveredBy && turn.captured !== false)
        .map(({ step, turn }): Fault => {
          const note = `${code(step.name)} failed and never succeeded later.`;
          return { kind: 'unrecoveredErrors', at: evidenceAt(turn, step.pointer, note) };
        }),
    ];
    const unsound = new Set(faults.map(({ at }) => `${at.file ?? ''}\n${at.pointer}`)).size;
    const counts = Object.fromEntries(
      KINDS.map((kind) => [kind, faults.filter((fault) => fault.kind === kind).length]),
    );
    return {
      status: 'scored',
      score: (calls - unsound) / calls,
      source: 'rules',
      reason:
        unsound === 0
          ? `Nothing is proven wrong with ${calls === 1 ? 'the only call' : `any of ${calls} calls`}.`
          : `${unsound} of ${calls} calls ${unsound === 1 ? 'is' : 'are'} unsound. ${faults[0]?.at.note ?? ''}`,
      evidence: faults.map(({ at }) => at),
      metadata: { calls, unsound, ...counts },
    };
  },
});

const NO_CALLS = notApplicable('No tool call of this session is recorded.');

const CHECKS = [
  ['argumentsNotJson', argumentsNotJson],
  ['invalidArguments', argumentsBreakSchema],
  ['missingResults', callWithoutResult],
] as const;
const KINDS = [...CHECKS.map(([kind]) => kind), 'unrecoveredErrors'] as const;

interface Fault {
  readonly kind: (typeof KINDS)[number];
  readonly at: Evidence;
}
