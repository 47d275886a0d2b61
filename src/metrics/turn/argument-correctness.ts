import * as z from 'zod';
import type { Finding } from '../../core/finding.ts';
import type { MetricOutcome } from '../../core/result.ts';
import { agentToolCalls, type ToolStep } from '../../core/session.ts';
import { turnId } from '../../judge/prompting/turn-excerpts.ts';
import { defineQuestion } from '../../judge/question.ts';
import { judgedTurn, requireRequest, vacuous } from '../judged-metric.ts';
import type { TurnView } from '../metric.ts';
import { evidenceIds, REASON } from '../shared/graded-question.ts';
import type { JudgedOutcome } from '../shared/judged-outcome.ts';
import {
  failuresAffecting,
  faultySteps,
  findingReferences,
  scoreFromFindings,
  summarizeFindings,
} from '../shared/rule-based-scores.ts';
import { textOrEmpty } from '../shared/text.ts';
import { userInputMetadata } from '../shared/turn-metadata.ts';

const verdict = z.object({
  call: z.string(),
  evidence: z.array(z.string()),
  reason: z.string().nullish().describe('for no: the argument, its value and what it should be; for yes: null'),
  verdict: z.enum(['yes', 'no']),
});
const verdicts = z.object({ verdicts: z.array(verdict) });
type ArgumentVerdict = z.output<typeof verdict>;

/** One verdict for each call that the prompt shows. */
const VERDICTS = defineQuestion<z.output<typeof verdicts>>({
  name: 'argument_verdicts',
  context: 'turn',
  instructions: `For each tool call of the agent in this turn: do its arguments serve what the user wanted? Exactly one verdict for every call, in their order.
- yes: each value was asked for, comes from the conversation, a result, a file or the agent's rules, or is a sensible default.
- no: a value is wrong, made up or outdated, a condition of the user is changed or left out, a needed argument is missing, or a check proves it wrong.
Judge the values, not whether the call was needed, nor its outcome: an error speaks against an argument only where it is about that argument, and a success speaks for none. A guess made to try something out (a search term, a path) is no fault; a guessed id, amount or date in a change is. Text and code of the agent's own is judged by whether it serves the task. Where a call is shown in part, go by what is shown.`,
  answer: ({ id, call, perCall }) =>
    z.object({ verdicts: perCall(verdict.extend({ call, evidence: evidenceIds(id) })) }),
});

const SUMMARY = defineQuestion({
  name: 'argument_correctness',
  context: 'facts',
  facts: [VERDICTS],
  instructions: `Sum up whether the tool calls of this turn had the right arguments, by the verdicts in "argument_verdicts" alone.
Name the wrong arguments with their values and what they should have been, those that did the most harm first. Where every verdict is yes, say what bears the arguments out. Add no judgement of your own and no score.`,
  answer: () => z.object({ reason: REASON }),
});

/**
 * The share of tool calls whose arguments serve the task, with one verdict per call. By findings: the share of calls
 * without a finding about their arguments.
 */
export const argumentCorrectness = judgedTurn({
  name: 'argument_correctness',
  question: 'Did each tool call have the right arguments for the task?',
  source: 'PandaProbe, trace metrics',
  scale: 'unit',
  threshold: 0.5,
  precheck: (view) => (agentToolCalls(view.turn).length === 0 ? NO_CALLS : requireRequest(view)),
  fromFindings: scoreByFindings,
  ask: {
    question: () => SUMMARY,
    interpret: ({ reason }, facts, view) =>
      interpretVerdicts(reason, verdicts.parse(facts[VERDICTS.name]).verdicts, view),
    verdictInMetadata: true,
  },
});

const NO_CALLS = vacuous(1, 'rules', 'The turn has no tool calls, so no argument can be wrong.');

function scoreByFindings(view: TurnView): MetricOutcome | null {
  const findings = failuresAffecting(view, 'argument_correctness');
  const calls = agentToolCalls(view.turn);
  const faulty = faultySteps(calls, findings).length;
  if (faulty === 0) return null;
  return scoreFromFindings(findings, (calls.length - faulty) / calls.length, { calls: calls.length, faulty });
}

/** A call with its verdict, and the findings that prove it wrong. */
interface JudgedCall {
  readonly call: ToolStep;
  readonly verdict: ArgumentVerdict;
  readonly proven: readonly Finding[];
}

/** Positive verdicts / verdicts. A call that a finding proves wrong is wrong, regardless of its verdict. */
function interpretVerdicts(reason: string, verdicts: readonly ArgumentVerdict[], view: TurnView): JudgedOutcome {
  const calls = agentToolCalls(view.turn);
  const judged = pairVerdicts(calls, verdicts, view);
  const metadata = {
    ...userInputMetadata(view),
    verdicts: judged.map(verdictMetadata),
    calls: calls.length,
    calls_judged: judged.length,
  };
  if (judged.length === 0) {
    return { status: 'error', reason: 'No call fits into the prompt.', cited: [], metadata };
  }
  const wrong = judged.filter((judgedCall) => !isRight(judgedCall));
  const deciding = wrong.length > 0 ? wrong : judged;
  const overruled = judged.filter((judgedCall) => judgedCall.verdict.verdict === 'yes' && judgedCall.proven.length > 0);
  const findings = [...new Set(overruled.flatMap(({ proven }) => proven))];
  return {
    score: (judged.length - wrong.length) / judged.length,
    reason: [reason, describeProven(overruled.length, findings), describeOmitted(calls.length, judged.length)]
      .filter((sentence) => sentence !== '')
      .join(' '),
    cited: deciding.flatMap(({ verdict: { call, evidence } }) => [call, ...evidence]),
    evidence: findings.flatMap(({ evidence }) => evidence),
    metadata: findings.length === 0 ? metadata : { ...metadata, findings: findingReferences(findings) },
  };
}

/** The calls in the prompt, in order, with their verdicts. */
function pairVerdicts(calls: readonly ToolStep[], verdicts: readonly ArgumentVerdict[], view: TurnView): JudgedCall[] {
  const byId = new Map(verdicts.map((verdict) => [verdict.call, verdict]));
  const findings = failuresAffecting(view, 'argument_correctness');
  return calls.flatMap((call, at) => {
    const verdict = byId.get(`${turnId(view.index)}.call${at + 1}`);
    return verdict
      ? { call, verdict, proven: findings.filter((finding) => finding.calls?.includes(call.pointer)) }
      : [];
  });
}

function isRight({ verdict, proven }: JudgedCall): boolean {
  return verdict.verdict === 'yes' && proven.length === 0;
}

/** A verdict under PandaProbe's names, with the name of the tool. */
function verdictMetadata(judgedCall: JudgedCall) {
  const { call, verdict, proven } = judgedCall;
  return {
    name: call.name,
    verdict: isRight(judgedCall) ? 'yes' : 'no',
    reason: textOrEmpty(verdict.reason ?? null) || (proven.length > 0 ? summarizeFindings(proven) : null),
  };
}

function describeProven(count: number, findings: readonly Finding[]): string {
  if (count === 0) return '';
  const calls = count === 1 ? '1 call counts' : `${count} calls count`;
  return `${calls} as wrong, regardless of the judge: ${summarizeFindings(findings)}`;
}

function describeOmitted(calls: number, judged: number): string {
  return judged === calls ? '' : `${judged} of ${calls} calls fit into the prompt and were judged.`;
}
