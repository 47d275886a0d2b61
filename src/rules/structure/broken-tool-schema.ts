import type { Rule } from '../rule.ts';
import { codeSpan } from '../shared/message-format.ts';
import { createSchemaCache } from './tool-schema.ts';

export const brokenToolSchema: Rule = {
  id: 'broken-tool-schema',
  title: 'Broken tool schema',
  proves: 'The schema of a tool is no valid JSON Schema, so that calls of it could not be checked.',
  severity: 'info',
  label: null,
  affects: [],
  page: {
    how: [
      'The schema of every tool that is called is read once. Reported are types that JSON Schema does not know, a',
      '`required` that is no list of names, a `pattern` that is no regular expression, a reference that leads nowhere in',
      'the schema itself, and a schema of more than 5,000 parts or 60 levels. A tool is named once in a session, at its',
      'first call, because its schema stands in a catalogue beside the turns.',
    ].join('\n'),
    silent: [
      'It is no failure of the agent. Tools that are not called are not looked at, nor is what providers take without',
      'complaint, such as the names of types in Python or in capitals. A keyword that is not known is passed over, as',
      'the standard wants it.',
    ].join('\n'),
    remedy: [
      'Repair the schema where the tool is declared. Until then no call of the tool is checked, and the provider may',
      'pass the schema to the model as something else than was meant.',
    ].join('\n'),
  },
  check(view) {
    const schemaOf = createSchemaCache();
    const told = new Set<string>();
    return view.calls.flatMap(({ step, turn, tool }) => {
      if (!tool || told.has(tool.name)) return [];
      const broken = schemaOf(tool)?.broken ?? null;
      if (broken === null) return [];
      told.add(tool.name);
      return {
        turn,
        message: `The schema of ${codeSpan(step.name)} is broken, so its calls were not checked: ${broken}.`,
        evidence: [view.evidence(turn, step.pointer, 'the first call of the tool, whose schema is in the catalogue')],
      };
    });
  },
};
