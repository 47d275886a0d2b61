import * as l10n from '@vscode/l10n';
import type { OverviewColumn } from '../../src/protocol/sessions-overview.ts';

/** From left to right. */
export const COLUMN_LABELS = {
  session: l10n.t('Session'),
  task: l10n.t('Task'),
  outcome: l10n.t('Outcome'),
  problem: l10n.t('Worst Problem'),
  turns: l10n.t('Turns'),
  calls: l10n.t('Calls'),
  tokens: l10n.t('Tokens'),
  cost: l10n.t('Cost in $'),
  duration: l10n.t('Duration'),
  risk: l10n.t('Risk'),
} as const satisfies Record<OverviewColumn, string>;

/** What stands behind a number where there are no column heads. */
export const COLUMN_UNITS: Partial<Record<OverviewColumn, string>> = {
  turns: l10n.t('turns'),
  calls: l10n.t('calls'),
  tokens: l10n.t('tokens'),
  cost: '$',
  risk: l10n.t('risk'),
};

export const COLUMN_ORDER = Object.keys(COLUMN_LABELS) as readonly OverviewColumn[];
