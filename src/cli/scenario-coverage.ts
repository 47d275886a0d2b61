import { type LocatedTool, undescribedTools } from '../app/scenario-coverage.ts';
import { pluralize } from '../core/text/pluralize.ts';
import { sanitizeLine } from '../reports/terminal-text.ts';

/** What the attempts exercised, a line per tool, and what that does not say. */
export function coverageLines(tools: readonly LocatedTool[]): readonly string[] {
  if (tools.length === 0) return ['Tool coverage: no tool was called, and no trace or mock names one.'];
  const called = tools.filter(({ calls }) => calls > 0).length;
  const parts = tools.flatMap((tool) => tool.parts);
  const exercised = parts.filter(({ times }) => times > 0).length;
  return [
    `Tool coverage: ${called} of ${pluralize(tools.length, 'tool')} called, ${exercised} of ${parts.length} arguments, values and error results seen`,
    ...tools.map((tool) => `  ${sanitizeLine(describeTool(tool))}`),
    ...describeUnmeasured(tools).map((sentence) => `  ${sanitizeLine(sentence)}`),
  ];
}

/** What no count can say, a sentence each. */
function describeUnmeasured(tools: readonly LocatedTool[]): readonly string[] {
  const names = undescribedTools(tools);
  return [
    ...(names.length === 0
      ? []
      : [`Arguments that no call had are not measured for ${names.join(', ')}: no trace lists the arguments.`]),
    'Clauses of the policy are not measured: a call does not say which clause it follows.',
  ];
}

function describeTool({ name, calls, parts, place }: LocatedTool): string {
  const where = place === null ? '' : ` (${place.file}:${place.line})`;
  const never = parts.filter(({ times }) => times === 0).map(({ label }) => label);
  if (calls === 0) return `${name}${where}: never called`;
  const seen = parts.filter(({ times }) => times > 0).map(({ label, times }) => `${label} ${times}`);
  const unseen = never.length === 0 ? [] : [`never ${never.join(', ')}`];
  return `${name}${where}: ${[pluralize(calls, 'call'), ...seen, ...unseen].join(' · ')}`;
}
