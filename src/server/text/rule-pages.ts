import type { InitializationSettings } from '../../protocol/settings.ts';
import { findRule } from '../../rules/index.ts';

/** The documentation URL of a rule; null where there is none. */
export function rulePageUrl(rule: string, { rulePages }: Pick<InitializationSettings, 'rulePages'>): string | null {
  const id = findRule(rule)?.id;
  return rulePages === undefined || id === undefined ? null : `${rulePages.replace(/\/$/, '')}/${id}.md`;
}
