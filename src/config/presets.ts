/** Names that stand for lists of metrics, after the kinds of agents that ADK has domain-specific metrics for. */
export const PRESETS: Readonly<Record<string, readonly string[]>> = {
  support: ['resolution_rate', 'user_satisfaction_proxy'],
  retrieval: ['search_precision', 'search_recall', 'search_f1', 'source_attribution'],
  automation: ['completion_rate', 'integration_quality'],
};

export const PRESET_NAMES: readonly string[] = Object.keys(PRESETS);

export function isPreset(name: string): boolean {
  return Object.hasOwn(PRESETS, name);
}

/** Names of metrics, those that presets stand for in the place of presets. */
export function expandPresets(names: readonly string[]): string[] {
  return names.flatMap((name) => (isPreset(name) ? (PRESETS[name] ?? []) : name));
}
