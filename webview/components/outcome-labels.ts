import * as l10n from '@vscode/l10n';
import type { ToolStepRow } from '../../src/protocol/turn-rows.ts';
import type { ShapeStyle } from './shape-icon.tsx';

/** How a tool call ended. */
export const OUTCOME_LABELS = {
  ok: { shape: 'tick', tone: 'quiet', word: l10n.t('ok') },
  error: { shape: 'cross', tone: 'bad', word: l10n.t('failed') },
  rejected: { shape: 'stop', tone: 'doubtful', word: l10n.t('rejected by the user') },
  missing: { shape: 'question', tone: 'doubtful', word: l10n.t('no result') },
} as const satisfies Record<ToolStepRow['outcome'], ShapeStyle & { word: string }>;
