import { availableTools, type Tool, type ToolStep } from '../../core/session.ts';
import type { Rule, RuleFinding } from '../rule.ts';
import { errorText, type IndexedCall, type RuleView } from '../rule-view.ts';
import { closestName } from '../shared/closest-name.ts';
import { codeSpan } from '../shared/message-format.ts';

/** Tools that frameworks or providers implement themselves, so that catalogues need not list them. */
const BUILT_IN =
  /^(transfer_to_|handoff_|set_model_response$|final_answer$|final_result$|(web_search|file_search|code_interpreter|image_generation|tool_search|computer|local_shell|shell|apply_patch)$)/;

/** How many distinct unknown names get a suggestion. */
const MAX_SUGGESTIONS = 20;

export const unknownTool: Rule = {
  id: 'unknown-tool',
  title: 'Unknown tool',
  proves: 'The agent called a tool that is not in its catalogue.',
  severity: 'high',
  label: 'wrong tool',
  affects: ['tool_correctness'],
  page: {
    how:
      'Looks up the name of every call in the catalogue of its turn, or else of its session; a name with or without its namespace (`functions.get_order`) is the same. If another tool has a similar name, the finding suggests it.\n\n' +
      'A call with a result is an observation (`info`), reported once for each name: the tool evidently exists, and the recorded catalogue lacks it. The finding is `high` if the call failed, was never executed, or returned a text that says there is no such tool.',
    silent:
      'Does not report if the trace has no catalogue or an empty one. Names that frameworks and providers handle themselves, such as `transfer_to_…` or `web_search`, need not be listed, unless they look like a misspelled name that is listed.',
    remedy:
      "If the tool exists, add it to the recorded catalogue. Otherwise look for its name in the agent's instructions and examples: models call what they have read about. Reject unknown names with an error that lists the known ones.",
  },
  check(view) {
    const suggestionOf = createSuggester(view);
    const observed = new Map<string, IndexedCall[]>();
    const findings: RuleFinding[] = [];
    for (const call of view.calls) {
      const { step, turn, tool } = call;
      if (tool !== null) continue;
      const suggestion = suggestionOf(call);
      if (suggestion === null && BUILT_IN.test(step.name)) continue;
      if (toolExists(step)) {
        const calls = observed.get(step.name);
        if (calls) calls.push(call);
        else observed.set(step.name, [call]);
        continue;
      }
      findings.push({
        turn,
        message: `${codeSpan(step.name)} was called, which is ${describeCatalogue(catalogueOf(view, call))}.${suggestionText(suggestion)}`,
        evidence: [view.evidence(turn, step.pointer, 'the call of a tool that is not in the catalogue')],
        calls: [step.pointer],
      });
    }
    return [...findings, ...[...observed.values()].flatMap((calls) => toFindings(view, calls, suggestionOf))];
  },
};

function toFindings(view: RuleView, calls: readonly IndexedCall[], suggestionOf: SuggestTool): RuleFinding[] {
  const [first] = calls;
  if (!first) return [];
  const { name } = first.step;
  const often = calls.length === 1 ? 'a result' : `results from ${calls.length} calls`;
  return [
    {
      turn: first.turn,
      severity: 'info',
      message: `${codeSpan(name)} is ${describeCatalogue(catalogueOf(view, first))}, yet it returned ${often}: the catalogue in the trace may not be complete.${suggestionText(suggestionOf(first))}`,
      evidence: calls.map(({ step, turn }) => view.evidence(turn, step.pointer, 'a call of a tool that is not listed')),
      calls: calls.map(({ step }) => step.pointer),
    },
  ];
}

function suggestionText(suggestion: string | null): string {
  return suggestion === null ? '' : ` Did it mean ${codeSpan(suggestion)}?`;
}

function catalogueOf({ session }: RuleView, { turn }: IndexedCall): readonly Tool[] {
  const current = session.turns[turn];
  return (current && availableTools(session, current)) ?? [];
}

function describeCatalogue(tools: readonly Tool[]): string {
  const [first] = tools;
  return first && tools.length === 1
    ? `not ${codeSpan(first.name)}, the only tool that the agent was given`
    : `none of the ${tools.length} tools that the agent was given`;
}

/** Suggests the tool that was probably meant; null if none is similar. */
type SuggestTool = (call: IndexedCall) => string | null;

function createSuggester(view: RuleView): SuggestTool {
  const lookUps = new Map<string, string | null>();
  let suggested: readonly Tool[] | undefined;
  return (call) => {
    const { name } = call.step;
    const tools = catalogueOf(view, call);
    if (tools !== suggested) lookUps.clear();
    suggested = tools;
    if (!lookUps.has(name) && lookUps.size < MAX_SUGGESTIONS) {
      const names = tools.map((tool) => tool.name);
      lookUps.set(name, closestName(name, names));
    }
    return lookUps.get(name) ?? null;
  };
}

const NO_SUCH_TOOL =
  /\b(no such|unknown|unrecogni[sz]ed|invalid|undefined|nonexistent|not a valid) (tool|function|action|command)\b|\b(tool|function|action|command)\b.{0,80}\b(not (found|exist|available|defined|supported|recogni[sz]ed|registered)|unknown|isn['’]?t (available|defined|registered))\b/i;

/** Whether the call has a result that does not say there is no such tool. */
function toolExists(step: ToolStep): boolean {
  return step.outcome === 'ok' && !NO_SUCH_TOOL.test(errorText(step).slice(0, 500));
}
