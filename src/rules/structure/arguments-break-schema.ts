import { getArray, isObject } from '../../core/json.ts';
import type { FindingLevel } from '../../core/severity.ts';
import { joinWithAnd, limitList } from '../../core/text/lists.ts';
import type { Rule } from '../rule.ts';
import type { IndexedCall } from '../rule-view.ts';
import { codeSpan } from '../shared/message-format.ts';
import { looksRedacted } from '../shared/redacted.ts';
import { describeViolation, type SchemaViolation } from './schema-violations.ts';
import { createSchemaCache } from './tool-schema.ts';

const MAX_DESCRIBED = 3;
const MAX_NAMES = 4;

export const argumentsBreakSchema: Rule = {
  id: 'arguments-break-schema',
  title: 'Arguments break the schema',
  proves:
    'The arguments do not match the tool’s own JSON Schema: one is missing, has the wrong type or is not allowed.',
  severity: 'high',
  label: 'wrong arguments',
  affects: ['argument_correctness'],
  page: {
    how:
      'Validates the arguments of every call against the JSON Schema of its tool in the catalogue of its turn, in any draft. A call gives one finding, which names the most severe errors first: arguments that are missing (or null, if the schema forbids it), have the wrong type, have a value that is not allowed, are unknown if the schema allows no others, or are out of bounds. A required id that is empty counts as missing if its call did not succeed.\n\n' +
      'The finding is `high` if an argument is missing, has the wrong type or a value that is not allowed, and the call did not succeed. It is `medium` if only bounds or unknown arguments are wrong, or if the tool accepted the arguments.',
    silent:
      'Reads schemas as tolerantly as providers do: `STRING` and `str` are types, `nullable` is supported, an argument with a default is not required, and null stands for an optional argument that is left out. Of the formats, only `date`, `email`, `uuid`, `ipv4` and `ipv6` are checked; `uniqueItems`, `contains` and an `$id` inside a schema are not. References are resolved in the schema itself only: nothing is fetched. Values that were masked in the trace are skipped.\n\n' +
      'A hostile trace must not stop the evaluation: a `pattern` that could take long is ignored, and others are tried on texts of up to 100 characters. A call whose check takes too many steps for its size is skipped, and after three such calls the tool is skipped. The evidence is the call, since a trace may hold the arguments as text, which no pointer can address.',
    remedy:
      'Check the description of the argument first: agents get wrong what it leaves open, such as the format of a date or the unit of an amount. Specify it there, use `enum` for a small set of values, and have the provider enforce the schema if it can (`strict`).',
  },
  check(view) {
    const schemaOf = createSchemaCache();
    return view.calls.flatMap((call) => {
      const { step, turn, tool } = call;
      if (!tool || !isObject(step.arguments) || view.session.turns[turn]?.captured === false) return [];
      const schema = schemaOf(tool);
      if (!schema || schema.broken !== null) return [];
      const violations = schema
        .check(step.arguments, call.key.length)
        .filter((violation) => !looksRedacted(violation.value));
      const wrong = violations.length > 0 ? violations : emptyIdViolations(call);
      if (wrong.length === 0) return [];
      return {
        turn,
        message: findingMessage(step.name, wrong),
        severity: severityOf(wrong, call),
        evidence: [view.evidence(turn, step.pointer, `the call: ${describeTogether(wrong)}`)],
        calls: [step.pointer],
      };
    });
  },
};

function severityOf(violations: readonly SchemaViolation[], { step }: IndexedCall): FindingLevel {
  const grave = violations.some(({ kind }) => kind !== 'unknown' && kind !== 'bounds');
  return grave && step.outcome !== 'ok' ? 'high' : 'medium';
}

function findingMessage(name: string, violations: readonly SchemaViolation[]): string {
  if (violations.some(({ kind }) => kind !== 'missing')) {
    return `The arguments of ${codeSpan(name)} do not fit its schema: ${describeTogether(violations)}.`;
  }
  const names = joinWithAnd(violations.slice(0, MAX_NAMES).map(({ path }) => codeSpan(path)));
  const more = violations.length > MAX_NAMES ? ` (and ${violations.length - MAX_NAMES} more)` : '';
  return `${codeSpan(name)} was called without ${names}${more}, which its schema requires.`;
}

function describeTogether(violations: readonly SchemaViolation[]): string {
  return limitList(violations, MAX_DESCRIBED, describeViolation).join('; ');
}

const ID = /(^|[_-])id$|[a-z]I[dD]$|^ID$/;

/** A tool may accept an empty id for "none". If it did not, the id is missing. */
function emptyIdViolations({ step, tool }: IndexedCall): SchemaViolation[] {
  const { arguments: args } = step;
  if (step.outcome === 'ok' || typeof args === 'string') return [];
  return (getArray(tool?.inputSchema, 'required') ?? []).flatMap((name) => {
    if (typeof name !== 'string' || !ID.test(name) || !Object.hasOwn(args, name)) return [];
    const value = args[name];
    if (typeof value !== 'string' || value.trim() !== '') return [];
    return { kind: 'missing', path: name, value, description: '' };
  });
}
