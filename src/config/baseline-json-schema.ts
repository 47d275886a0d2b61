import * as z from 'zod';
import type { JsonObject } from '../core/json.ts';
import { baselineSchema } from '../core/schemas/baseline.ts';

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  reason: 'Why these figures were accepted.',
  run: 'The run that the figures are of.',
  raised: 'Runs that raised figures since.',
  identity: 'What a run must have in common to be compared. Written by turnwise baseline accept.',
  columns: 'What the numbers of each task stand for, in this order.',
  quarantine: 'Tasks that do not count until a date, each with the reason. Edit this by hand.',
  tasks: 'By task: attempts, how many of them passed each gate, means, and how many had which label or rule.',
};

/** The JSON schema of `turnwise.baseline.json`, for editors. */
export function baselineJsonSchema(): JsonObject {
  const schema = z.toJSONSchema(baselineSchema, { io: 'input', target: 'draft-7' });
  const properties = Object.entries(schema.properties ?? {}).map(([key, property]) => {
    const description = DESCRIPTIONS[key];
    return [key, typeof property === 'object' && description ? { ...property, description } : property] as const;
  });
  return { ...schema, title: 'Baseline of Turnwise', properties: Object.fromEntries(properties) };
}
