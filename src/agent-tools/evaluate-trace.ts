import * as z from 'zod';
import { pluralize } from '../core/text/pluralize.ts';
import { placeText, wordText } from '../reports/agent-text.ts';
import { failuresAnswer } from './find-failures.ts';
import { type AgentToolContext, defineTool } from './tool.ts';
import { ToolError } from './tool-error.ts';
import type { EvaluateTrace, JudgeCost } from './trace-evaluation.ts';

const ARGS = {
  path: z.string().min(1).max(1000).describe('A file or folder inside of the project.'),
  judge: z.boolean().default(false).describe('Whether the judge of the configuration is asked too (default false).'),
  maxCalls: z
    .number()
    .int()
    .min(1)
    .max(100_000)
    .optional()
    .describe('With "judge": the most calls that may be made, as the user agreed.'),
};

export const evaluateTrace = defineTool({
  name: 'evaluate_trace',
  title: 'Evaluate Trace',
  description:
    'Evaluates a trace file, or a folder of traces, of this project, and lists what is wrong as find_failures does. By rules alone it costs nothing, sends nothing and records nothing. With "judge" it also asks the configured model, after the user has seen what that takes.',
  isReadOnly: false,
  args: ARGS,
  async answer({ path, judge, maxCalls }, { runs, traces, evaluate, signal }) {
    if (!evaluate) throw new ToolError('Nothing is evaluated here.');
    const file = await traces.resolve(path);
    if (maxCalls !== undefined && !judge)
      throw new ToolError('"maxCalls" limits the judge: it goes with "judge": true.');
    const asked = judge ? await agreedCost(file, path, maxCalls, evaluate, signal) : null;
    if (asked && 'question' in asked) {
      return { head: asked.question, items: [], nothing: 'Nothing was sent.', key: [], again: {} };
    }
    const evaluated = asked
      ? await evaluate.byJudge(file, asked.maxCalls, signal)
      : await evaluate.byRules(file, signal);
    const run = runs.keep(evaluated);
    const { usage } = run.report.run;
    const cost = asked
      ? `It took ${pluralize(usage.judgeCalls, 'call')} of the judge, ${usage.judgeCallsCached} of them from the cache`
      : 'Rules only: no model was asked, at no cost';
    const intro = `Evaluated ${placeText(path, null)}. ${cost}; not recorded, other tools find it as "run": "${run.reference}". `;
    return failuresAnswer(run, { severity: 'low', only: null }, intro);
  },
});

/** What a call wants to spend on the judge. */
export interface AgreedCost extends JudgeCost {
  /** As the call names it. */
  readonly path: string;
  /** The most calls that the user is asked to agree to, and never more than it takes. */
  readonly maxCalls: number;
}

/**
 * What the user is to agree to before a call, for a host that asks before it makes the call.
 *
 * @returns null where no judge would be asked, or where the call itself says what is wrong. @throws ToolError
 */
export async function costOfCall(
  args: unknown,
  { traces, evaluate, signal }: Pick<AgentToolContext, 'traces' | 'evaluate' | 'signal'>,
): Promise<AgreedCost | null> {
  const { success, data } = z.object(ARGS).safeParse(args);
  if (!success || !data.judge || !evaluate) return null;
  return await costOf(await traces.resolve(data.path), data, evaluate, signal);
}

async function costOf(
  file: string,
  { path, maxCalls }: { readonly path: string; readonly maxCalls?: number | undefined },
  evaluate: EvaluateTrace,
  signal: AbortSignal,
): Promise<AgreedCost> {
  const cost = await evaluate.judgeCost(file, signal);
  return { ...cost, path, maxCalls: Math.min(maxCalls ?? Number.POSITIVE_INFINITY, Math.max(1, cost.calls)) };
}

/** @returns how many calls may be made; or what to ask for first */
async function agreedCost(
  file: string,
  path: string,
  maxCalls: number | undefined,
  evaluate: EvaluateTrace,
  signal: AbortSignal,
): Promise<{ readonly maxCalls: number } | { readonly question: string }> {
  const cost = await costOf(file, { path, maxCalls }, evaluate, signal);
  const { model, sessions, calls, cachedCalls, tokens, maxCalls: most } = cost;
  const what = `Asking ${wordText(model)} about ${pluralize(sessions, 'session')} of ${placeText(path, null)} takes about ${pluralize(calls - cachedCalls, 'call')} and ${tokens.toLocaleString('en')} tokens`;
  const answer = await evaluate.confirm(`${what}. Ask it, with at most ${pluralize(most, 'call')}?`, signal);
  if (answer === true) return { maxCalls: most };
  if (answer === false) return { question: `${what}. The user declined.` };
  // Where nobody can be asked, a call may only repeat what an answer has said before: a trace can ask for any call.
  if (evaluate.shownCosts.take(file, cost) && maxCalls !== undefined) return { maxCalls: most };
  evaluate.shownCosts.add(file, cost);
  return { question: `${what}. If the user agrees, call it again with "judge": true and "maxCalls": ${most}.` };
}
