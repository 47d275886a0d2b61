import { describe, expect, it } from 'vitest';
import { samplingWarning } from '../../../src/app/sampling-warning.ts';
import { type ConfigurationInput, configurationSchema } from '../../../src/config/schema.ts';

function messages(input: ConfigurationInput): string[] {
  return samplingWarning(configurationSchema.parse(input)).map(({ message }) => message);
}

describe('samplingWarning', () => {
  it('warns about samples at temperature 0, with a remedy', () => {
    expect(messages({ judge: { samples: 3 }, metrics: ['helpfulness', 'final_response_match_v2'] })).toEqual([
      'final_response_match_v2 (and 1 more) is asked 5 times at temperature 0, where the answers hardly differ. Set "judge": { "temperature": 0.7 }.',
    ]);
    expect(messages({ metrics: { safety_v1: { samples: 3 } } })).toMatchObject([
      expect.stringMatching(/^safety_v1 is asked 3/),
    ]);
  });

  it.each<[string, ConfigurationInput]>([
    ['each question is asked once', {}],
    ['the temperature lets them differ', { judge: { samples: 3, temperature: 0.7 } }],
    ['what is asked often does not run', { metrics: { final_response_match_v2: { enabled: false, samples: 5 } } }],
    ['no model is asked for what runs', { judge: { samples: 3 }, metrics: ['tool_call_count'] }],
  ])('does not warn if %s', (_, input) => {
    expect(messages(input)).toEqual([]);
  });
});
