import { availableTools, type Tool } from '../core/session.ts';
import { nearest } from './near-miss.ts';
import type { Rule } from './rule.ts';
import { code } from './wording.ts';

/** Names that frameworks answer themselves and do not list: a hand-over, a structured final answer. */
const BUILT_IN = /^(transfer_to_|handoff_|set_model_response$|final_answer$|final_result$)/;

/** Distinct unknown names for which a likely meaning is looked up: an agent that invents more has other troubles. */
const MOST_SUGGESTIONS = 20;

export const unknownTool: Rule = {
  id: 'unknown-tool',
  title: 'Unknown tool',
  proves: 'The agent called a tool that is not in the catalogue it was given.',
  severity: 'high',
  label: 'wrong tool',
  moves: ['tool_correctness'],
  page: { how: '', silent: '', remedy: '' },
  check(view) {
    const { session } = view;
    const looked = new Map<string, string | null>();
    let given: readonly Tool[] | undefined;
    return view.calls.flatMap(({ step, turn, tool }) => {
      const one = session.turns[turn];
      if (tool !== null || !one) return [];
      const tools = availableTools(session, one) ?? [];
      if (tools !== given) looked.clear();
      given = tools;
      if (!looked.has(step.name) && looked.size < MOST_SUGGESTIONS) {
        const names = tools.map(({ name }) => name);
        looked.set(step.name, nearest(step.name, names));
      }
      const near = looked.get(step.name) ?? null;
      if (near === null && BUILT_IN.test(step.name)) return [];
      const worked = step.outcome === 'ok' ? ', though it returned a result' : '';
      const offer = tools.length === 1 ? 'not the one tool' : `none of the ${tools.length} tools`;
      return {
        turn,
        message: `${code(step.name)} was called, which is ${offer} that the agent was given${worked}.${near === null ? '' : ` Did it mean ${code(near)}?`}`,
        evidence: [view.evidence(turn, step.pointer, 'the call of a tool that is not in the catalogue')],
      };
    });
  },
};
