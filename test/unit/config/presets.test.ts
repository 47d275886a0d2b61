import { describe, expect, it } from 'vitest';
import { checkConfiguration } from '../../../src/config/check.ts';
import { applyFlags, type ConfigFlags } from '../../../src/config/flags.ts';
import { configurationJsonSchema } from '../../../src/config/json-schema.ts';
import { PRESETS } from '../../../src/config/presets.ts';
import { REGISTRY } from '../../../src/config/registry.ts';
import { planMetrics } from '../../../src/engine/plan.ts';
import { METRICS, metricByName } from '../../../src/metrics/index.ts';

/** The result of validating a configuration: the selected metrics or the errors. */
function selected(value: unknown, flags: ConfigFlags = {}): readonly string[] {
  const merged = applyFlags(value, flags, METRICS);
  const { configuration, issues: complaints } = checkConfiguration(merged.value, REGISTRY);
  if (!configuration) {
    return complaints.map(({ message, path }) => [merged.flagAt(path), message].filter(Boolean).join(' | '));
  }
  const { turn, session, scenario, run } = planMetrics(METRICS, configuration);
  return [...turn, ...session, ...scenario, ...run]
    .filter(({ template: frame }) => !frame.implied)
    .map(({ metric }) => metric.name);
}

const same = (names: readonly string[]) => [...names].sort();

describe.each(Object.entries(PRESETS))('%s', (preset, names) => {
  it('contains existing metrics by their main names, and is not itself a metric', () => {
    for (const name of names) expect(metricByName(name)?.name).toBe(name);
    expect(metricByName(preset)).toBeUndefined();
  });

  it('selects its metrics in a list, on the command line, and beside other names', () => {
    expect(same(selected({ metrics: [preset] }))).toEqual(same(names));
    expect(same(selected({}, { metrics: [preset] }))).toEqual(same(names));
    expect(same(selected({ metrics: [preset, 'loop_detection'] }))).toEqual(same([...names, 'loop_detection']));
    expect(same(selected({ metrics: [preset] }, { k: [3] }))).toEqual(same(names));
  });

  it('keeps the settings of its metrics', () => {
    const [name = ''] = names;
    const merged = applyFlags({ metrics: { [name]: { threshold: 0.9 } } }, { metrics: [preset] }, METRICS);
    expect(merged.value).toMatchObject({ metrics: { [name]: { threshold: 0.9, enabled: true } } });
  });

  it('is offered by the JSON schema in lists but not in settings', () => {
    const schema = JSON.stringify(configurationJsonSchema(REGISTRY));
    expect(schema).toContain(`"${preset}"`);
    expect(schema).not.toContain(`"${preset}":`);
  });
});

describe('presets', () => {
  it.each<[string, unknown, ConfigFlags, string]>([
    ['in a list', { metrics: ['suport'] }, {}, 'Unknown metric "suport". Did you mean "support"?'],
    [
      'on the command line',
      {},
      { metrics: ['retrieva'] },
      '--metrics retrieva | Unknown metric "retrieva". Did you mean "retrieval"?',
    ],
  ])('are suggested for a similar name: %s', (_, value, flags, message) => {
    expect(selected(value, flags)).toEqual([expect.stringContaining(message)]);
  });

  it('have no settings or thresholds, and reserve their names', () => {
    const list = '"support" is a preset of metrics, which are configured by their own names: resolution_rate,';
    expect(selected({ metrics: { support: { enabled: true } } })).toEqual([expect.stringContaining(list)]);
    expect(selected({ gates: { thresholds: { support: 0.8 } } })).toEqual([expect.stringContaining(list)]);
    expect(selected({ gates: { thresholds: { suport: 0.8 } } })).toEqual([expect.not.stringContaining('support')]);
    expect(selected({ custom: [{ name: 'support', rubric: 'Is it kind?' }] })).toEqual([
      expect.stringContaining('which is a list of metrics that Turnwise has; choose another name.'),
    ]);
  });
});

describe("a metric's own judge", () => {
  const asks = (name: string) =>
    selected({ metrics: { [name]: { judge: 'openai:m', ...(name === 'agentic' ? { k: 1 } : {}) } } });

  it.each(['agentic', 'composite_score'])('is not allowed for %s, which is computed from other metrics', (name) => {
    expect(asks(name)).toEqual([expect.stringMatching(`${name} uses no model itself; it is derived from .*,`)]);
  });

  it.each(['agentic_answer', 'agentic_tools', 'resolution_rate', 'communication_style'])(
    'is allowed for %s',
    (name) => {
      expect(asks(name)).toContain('agentic_answer');
    },
  );
});
