import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@cfworker/json-schema';
import { describe, expect, it } from 'vitest';
import { isObject } from '../../../src/core/json.ts';
import { turnwise } from '../../../src/formats/turnwise.ts';
import { sessionFileJsonSchema } from '../../../src/formats/turnwise-json-schema.ts';
import { load } from '../../../src/input/load.ts';
import { nodeFileSystem } from '../../../src/input/node-file-system.ts';
import { nativeChunks } from '../../../src/reports/native.ts';
import { undescribedKeys } from '../../support/undescribed-keys.ts';
import { documentAt, json, readAs } from './read-fixture.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const SCHEMA = sessionFileJsonSchema();
const validator = new Validator(SCHEMA, '7', false);

function filesIn(...folder: readonly string[]): string[] {
  return readdirSync(join(ROOT, ...folder)).map((name) => join(ROOT, ...folder, name));
}

/** A session file with one session, one turn and one step. */
function file({ session = {}, turn = {}, step = {} }: Record<string, object>): object {
  const steps = [{ type: 'tool', name: 'get_order', arguments: {}, ...step }];
  return { turnwise: 1, sessions: [{ id: 's', turns: [{ input: 'Hi', output: null, steps, ...turn }], ...session }] };
}

describe('the JSON schema of a session file', () => {
  it('describes every key', () => {
    expect(undescribedKeys(SCHEMA)).toEqual([]);
  });

  it("accepts the samples and test data in Turnwise's own format, and the example of the documentation", () => {
    const files = [
      ...filesIn('samples'),
      ...filesIn('test', 'fixtures', 'formats'),
      ...filesIn('test', 'fixtures', 'v0.1.0', 'traces'),
    ].filter((path) => path.endsWith('.json'));
    const own = files
      .map((path): unknown => documentAt(path).value)
      .filter((value) => isObject(value) && 'turnwise' in value);
    expect(own.length).toBeGreaterThan(5);
    const page = readFileSync(join(ROOT, 'docs', 'session-file.md'), 'utf8');
    const [example = ''] = [...page.matchAll(/```json\n(\{\n {2}"turnwise"[\s\S]*?)```/g)].map(([, text = '']) => text);
    for (const value of [...own, JSON.parse(example)]) expect(validator.validate(value).errors).toEqual([]);
  });

  it.each(filesIn('test', 'fixtures', 'formats'))('accepts the converted sessions of %s', async (path) => {
    const { sessions } = await load([path], nodeFileSystem, { signal: new AbortController().signal });
    expect(sessions).not.toEqual([]);
    const converted: unknown = JSON.parse([...nativeChunks(sessions)].join(''));
    expect(validator.validate(converted).errors).toEqual([]);
  });

  it('accepts a session by itself, and files of other formats that have no `turnwise`', () => {
    expect(validator.validate({ turnwise: 1, id: 's', turns: [] }).valid).toBe(true);
    expect(validator.validate({ appName: 'a', events: [] }).valid).toBe(true);
    expect(validator.validate([{ role: 'user', content: 'Hi' }]).valid).toBe(true);
  });

  it.each<[string, object]>([
    ['another version', { turnwise: 2, sessions: [] }],
    ['no sessions', { turnwise: 1 }],
    ['a session without turns', { turnwise: 1, sessions: [{ id: 's' }] }],
    ['a session by itself without an id', { turnwise: 1, turns: [] }],
    ['a misspelt key of a session', file({ session: { gaol: 'x' } })],
    ['an outcome that does not exist', file({ session: { outcome: 'passed' } })],
    ['metadata that are a list', file({ session: { metadata: [] } })],
    ['a score that is a list', file({ session: { scores: { helpfulness: [1] } } })],
    ['a mode that does not exist', file({ session: { reference: { expectations: mode('loose') } } })],
    ['a turn without input', file({ turn: { input: undefined } })],
    ['a misplaced key of a turn', file({ turn: { forbiddenTools: [] } })],
    ['an unknown step', file({ step: { type: 'think' } })],
    ['a misspelt key of a step', file({ step: { argument: {} } })],
    ['arguments that are a number', file({ step: { arguments: 7 } })],
    [
      'expected arguments that are text',
      file({ turn: { reference: { toolCalls: [{ name: 'a', arguments: '{}' }] } } }),
    ],
    ['a mistake in a sub-agent', file({ step: { type: 'agent', name: 'a', arguments: undefined, turns: [{}] } })],
  ])('refuses %s, which the reader reports too', (_, value) => {
    const plain: object = JSON.parse(JSON.stringify(value));
    expect(validator.validate(plain).valid).toBe(false);
    expect(readAs(turnwise, json(plain)).problems).not.toEqual([]);
  });
});

function mode(matchMode: string): object {
  return { toolCalls: { matchMode, expected: [] } };
}
