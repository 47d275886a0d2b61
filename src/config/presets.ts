/** Presets: names for lists of metrics, by the kinds of agents for which ADK has domain-specific metrics. */
export const PRESETS: Readonly<Record<string, readonly string[]>> = {
  support: ['resolution_rate', 'user_satisfaction_proxy'],
  retrieval: ['search_precision', 'search_recall', 'search_f1', 'source_attribution'],
  automation: ['completion_rate', 'integration_quality'],
};

export const PRESET_NAMES: readonly string[] = Object.keys(PRESETS);

export function isPreset(name: string): boolean {
  return Object.hasOwn(PRESETS, name);
}

/** Names of metrics, with presets replaced by their metrics. */
export function expandPresets(names: readonly string[]): string[] {
  return names.flatMap((name) => (isPreset(name) ? (PRESETS[name] ?? []) : name));
}
