import { Validator } from '@cfworker/json-schema';
import { describe, expect, it } from 'vitest';
import { sidecarJsonSchema } from '../../../src/input/sidecar-schema.ts';

const validator = new Validator(sidecarJsonSchema(), '7');

describe('the JSON schema of a sidecar', () => {
  it.each<[string, unknown]>([
    ['a task with numbers', { task: { id: 7, trial: 2, agent: 'v1' } }],
    ['entries of sessions and turns', { sessions: [{ id: 's', task: { trial: '1' }, turns: [{ index: 0 }] }] }],
    ['labels', { labels: { helpfulness: 'good', __proto__: 1 } }],
    ["a session file in Turnwise's own format", { turnwise: 1, sessions: [{ id: 's', turns: [] }] }],
  ])('accepts %s', (_, value) => {
    expect(validator.validate(value).errors).toEqual([]);
  });

  it.each<[string, unknown]>([
    ['an unknown key', { taks: { id: 'x' } }],
    ['a task that is text', { task: 'refund' }],
    ['an unknown key of a task', { task: { name: 'refund' } }],
    ['a suppression without a reason', { suppressions: [{ rule: 'no-answer' }] }],
  ])('refuses %s', (_, value) => {
    expect(validator.validate(value).valid).toBe(false);
  });

  it('describes every key', () => {
    const { else: sidecar } = sidecarJsonSchema();
    const { $schema, ...properties } = (sidecar as { properties: Record<string, { description?: string }> }).properties;
    expect(Object.entries(properties).filter(([, { description }]) => description === undefined)).toEqual([]);
  });
});
