import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Validator } from '@cfworker/json-schema';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { isObject } from '../../../src/core/json.ts';
import { scenarioSchema } from '../../../src/scenarios/scenario.ts';
import { scenarioJsonSchema } from '../../../src/scenarios/scenario-json-schema.ts';
import { undescribedKeys } from '../../support/undescribed-keys.ts';

const SCHEMA = scenarioJsonSchema();
const validator = new Validator(SCHEMA, '7');
const isValid = (value: unknown) => validator.validate(value).valid;

const PAGE = join(import.meta.dirname, '..', '..', '..', 'docs', 'scenarios.md');

const TURN = { userMessage: 'Hello' };

describe('the JSON schema of scenarios', () => {
  it('describes every key', () => {
    expect(undescribedKeys(SCHEMA)).toEqual([]);
  });

  it('has every key that a scenario that is data can have', () => {
    const text = JSON.stringify(SCHEMA);
    const code = ['mockedTools', 'hasState', 'finalState'];
    const keys = Object.keys(scenarioSchema.shape).filter((key) => !code.includes(key));
    expect(keys.filter((key) => !text.includes(`"${key}":{`))).toEqual([]);
    expect(code.filter((key) => text.includes(`"${key}"`))).toEqual([]);
  });

  it('accepts the examples of the documentation, alone and in lists', async () => {
    const page = await readFile(PAGE, 'utf8');
    const examples = Array.from(page.matchAll(/```yaml\n([\s\S]*?)```/g), ([, text = '']) => text)
      .filter((text) => /^(name|scenarios):/m.test(text))
      .flatMap((text) => parseAllDocuments(text).map((document): unknown => parse(String(document))));
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) {
      expect(validator.validate(example).errors).toEqual([]);
      if (!isObject(example) || 'scenarios' in example) continue;
      expect(isValid([example])).toBe(true);
      expect(isValid({ scenarios: [example] })).toBe(true);
    }
  });

  it.each<[string, object]>([
    ['a misspelt key', { name: 'a', turns: [TURN], maxTurn: 3 }],
    [
      'a mode that does not exist',
      { name: 'a', turns: [TURN], assertions: { toolCalls: { matchMode: 'loose', expected: [] } } },
    ],
    ['no name', { turns: [TURN] }],
    ['neither turns nor a goal', { name: 'a', profile: 'Ada' }],
    ['no turns', { name: 'a', turns: [] }],
    ['an empty sequence', { name: 'a', turns: [TURN], mocks: { tools: { b: { sequence: [] } } } }],
    [
      'a call of a mock without an answer',
      { name: 'a', turns: [TURN], mocks: { tools: { b: { calls: [{ args: {} }] } } } },
    ],
    ['metrics that are one text', { name: 'a', turns: [TURN], metrics: 'relevance' }],
    ['another option of a metric', { name: 'a', turns: [TURN], metrics: { relevance: { judge: 'openai:x' } } }],
    ['a threshold that is no percentage', { name: 'a', turns: [TURN], thresholds: { relevance: 'high' } }],
    ['code', { name: 'a', turns: [TURN], mocks: { state: {} } }],
  ])('marks %s', (_, scenario) => {
    expect(isValid(scenario)).toBe(false);
    expect(isValid({ scenarios: [scenario] })).toBe(false);
  });

  it('accepts any other answer of a mock', () => {
    for (const answer of [
      1,
      null,
      'x',
      [],
      { error: 'x', code: 3 },
      { error: 'it fails' },
      { calls: [{ args: { a: 1 }, result: null }] },
    ]) {
      expect(isValid({ name: 'a', turns: [TURN], mocks: { tools: { b: answer } } })).toBe(true);
    }
  });
});
