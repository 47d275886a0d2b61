import type { Rule } from '../rule.ts';
import { codeSpan } from '../shared/message-format.ts';
import { createSchemaCache } from './tool-schema.ts';

export const brokenToolSchema: Rule = {
  id: 'broken-tool-schema',
  title: 'Broken tool schema',
  proves: 'The schema of a tool is not a valid JSON Schema, so its calls could not be checked.',
  severity: 'info',
  label: null,
  affects: [],
  page: {
    how: 'Reads the schema of every tool that is called, once. Reports unknown types, a `required` that is not a list of names, a `pattern` that is not a regular expression, a reference that cannot be resolved in the schema itself, and a schema with more than 5,000 parts or 60 levels. Each tool is reported once in a session, at its first call.',
    silent:
      'This is not a failure of the agent. Tools that are not called are not checked, nor is what providers accept, such as Python or upper-case type names. Unknown keywords are ignored, as the standard requires.',
    remedy:
      'Fix the schema where the tool is declared. Until then no call of the tool is checked, and the provider may pass a different schema to the model than intended.',
  },
  check(view) {
    const schemaOf = createSchemaCache();
    const reported = new Set<string>();
    return view.calls.flatMap(({ step, turn, tool }) => {
      if (!tool || reported.has(tool.name)) return [];
      const broken = schemaOf(tool)?.broken ?? null;
      if (broken === null) return [];
      reported.add(tool.name);
      return {
        turn,
        message: `The schema of ${codeSpan(step.name)} is broken, so its calls were not checked: ${broken}.`,
        evidence: [view.evidence(turn, step.pointer, 'the first call of the tool, whose schema is in the catalogue')],
      };
    });
  },
};
