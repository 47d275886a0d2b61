import { describe, expect, it } from 'vitest';
import { configurationJsonSchema } from '../../../src/config/json-schema.ts';
import { PROVIDER_NAMES } from '../../../src/core/model-providers.ts';
import { TEST_REGISTRY } from './test-registry.ts';

describe('configurationJsonSchema', () => {
  const schema = configurationJsonSchema(TEST_REGISTRY);
  const NAMES = expect.arrayContaining(['coherence', 'tool_call_count', 'tool_call_count_v1']);

  it('completes what says which sessions are attempts of one task', () => {
    expect(schema).toMatchObject({
      properties: {
        tasks: {
          properties: {
            by: {
              anyOf: [{ type: 'string' }, { properties: { file: { type: 'string' }, session: { type: 'string' } } }],
            },
            trial: { type: 'string' },
            agent: { type: 'string' },
          },
          additionalProperties: false,
        },
      },
    });
  });

  it('lists metrics with their options and the ranges of their thresholds', () => {
    expect(schema).toMatchObject({
      properties: {
        metrics: {
          anyOf: [
            { items: { anyOf: [{ enum: NAMES }, { type: 'string' }] } },
            {
              properties: {
                tool_trajectory_avg_score: {
                  additionalProperties: false,
                  properties: {
                    matchType: { enum: ['EXACT', 'IN_ORDER', 'ANY_ORDER'] },
                    ignoreArgs: { type: 'boolean' },
                  },
                },
              },
            },
          ],
        },
        gates: {
          properties: {
            failOn: { enum: ['low', 'medium', 'high', 'critical', 'never'] },
            thresholds: {
              properties: {
                coherence: { anyOf: [{ minimum: 0, maximum: 1 }, { type: 'string' }] },
                conversation_coherence: { minimum: 1, maximum: 5 },
              },
            },
            for: {
              items: {
                oneOf: [{ required: ['task'] }, { required: ['tag'] }],
                properties: {
                  task: { type: 'string' },
                  tag: { type: 'string' },
                  thresholds: { properties: { conversation_coherence: { minimum: 1, maximum: 5 } } },
                  failOn: { enum: ['low', 'medium', 'high', 'critical', 'never'] },
                },
                additionalProperties: false,
              },
            },
          },
        },
        rules: {
          properties: {
            'repeated-call': {
              anyOf: [
                { enum: ['info', 'low', 'medium', 'high', 'critical', 'off'] },
                {
                  properties: { level: { enum: ['info', 'low', 'medium', 'high', 'critical', 'off'] }, often: {} },
                  additionalProperties: false,
                },
              ],
            },
          },
          additionalProperties: false,
        },
      },
    });
  });

  it('has no threshold for labels', () => {
    expect(JSON.stringify(schema)).toContain('"agent_behavior_failure"');
    expect(schema).not.toHaveProperty('properties.gates.properties.thresholds.properties.agent_behavior_failure');
  });

  it('has a judge setting only for metrics that use one', () => {
    const settings = 'properties.metrics.anyOf.1.properties';
    expect(schema).toHaveProperty(
      `${settings}.coherence.properties.judge.pattern`,
      `^(${[...PROVIDER_NAMES, 'editor'].join('|')})[:/].+`,
    );
    expect(schema).not.toHaveProperty(`${settings}.loop_detection.properties.judge`);
  });
});
