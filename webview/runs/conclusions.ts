import * as l10n from '@vscode/l10n';
import type { Flip } from '../../src/core/run-comparison.ts';
import type { ComparisonHeadlineRow } from '../../src/protocol/runs.ts';
import type { ShapeStyle } from '../components/shape-icon.tsx';

type Conclusion = NonNullable<ComparisonHeadlineRow['conclusion']>;

interface ConclusionLabel extends ShapeStyle {
  readonly word: string;
}

export const CONCLUSION_LABELS = {
  worse: { word: l10n.t('Worse'), shape: 'fall', tone: 'bad' },
  better: { word: l10n.t('Better'), shape: 'rise', tone: 'good' },
  'better and worse': { word: l10n.t('Better and worse'), shape: 'warning', tone: 'doubtful' },
  'no clear difference': { word: l10n.t('No clear difference'), shape: 'dash', tone: 'quiet' },
  'cannot tell': { word: l10n.t('Cannot tell'), shape: 'question', tone: 'quiet' },
  'not comparable': { word: l10n.t('Not comparable'), shape: 'stop', tone: 'doubtful' },
} as const satisfies Record<Conclusion, ConclusionLabel>;

export const FLIP_LABELS = {
  worse: { word: l10n.t('Worse'), shape: 'fall', tone: 'bad' },
  better: { word: l10n.t('Better'), shape: 'rise', tone: 'good' },
  unclear: { word: l10n.t('Unclear'), shape: 'question', tone: 'quiet' },
} as const satisfies Record<Flip['direction'], ConclusionLabel>;
