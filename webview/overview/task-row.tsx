import * as l10n from '@vscode/l10n';
import { Fragment } from 'react';
import type { OverviewEstimate, OverviewTaskRow } from '../../src/protocol/sessions-overview.ts';
import { ShapeIcon } from '../components/shape-icon.tsx';
import { HEADLINE_STYLES } from '../format.ts';
import { revealHiddenCharacters } from '../hidden-characters.ts';
import { TraceText } from './trace-text.tsx';

/** The k that a row shows; the tooltip has the others. */
const SHOWN_K = 2;

/** The cells of a task with several attempts. */
export function TaskCells({ row }: Readonly<{ row: OverviewTaskRow }>) {
  const { name, kind, attempts, matching, succeeded, known, estimates, agreement, strategy, isExpanded } = row;
  const estimate = estimates.find(({ k }) => k === SHOWN_K) ?? estimates[0];
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: cells of a virtual list are no table cells */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: the focus is in the row */}
      <div role="gridcell" className="cell session-cell task-name-cell">
        <span className={isExpanded ? 'twistie open' : 'twistie'} aria-hidden="true" />
        <TraceText text={l10n.t('Task {0}', name)} className="name" />
        <span className="quiet">
          {matching === attempts ? l10n.t('{0} attempts', attempts) : l10n.t('{0} of {1} attempts', matching, attempts)}
        </span>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: cells of a virtual list are no table cells */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: the focus is in the row */}
      <div role="gridcell" className="cell outcome-cell">
        <ShapeIcon {...HEADLINE_STYLES[kind === 'failed' && succeeded > 0 ? 'problems' : kind]} />
        {known === 0 ? l10n.t('Unknown') : l10n.t('{0} of {1} succeeded', succeeded, known)}
        {known > 0 && known < attempts ? (
          <span className="quiet">{l10n.t('{0} unknown', attempts - known)}</span>
        ) : null}
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: cells of a virtual list are no table cells */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: the focus is in the row */}
      <div role="gridcell" className="cell estimates-cell" title={estimatesText(estimates)}>
        {agreement ? <Agreement agreement={agreement} /> : null}
        {estimate ? <Estimate estimate={estimate} /> : null}
        {strategy === null ? null : (
          <span>
            <span className="quiet">{l10n.t('strategy')}</span> {strategy.toFixed(2)}
          </span>
        )}
      </div>
    </>
  );
}

/** How many attempts made the same changes, and how many a clear majority contradicts. */
function Agreement({ agreement }: Readonly<{ agreement: NonNullable<OverviewTaskRow['agreement']> }>) {
  const { attempts, agreeing, standOut, likely } = agreement;
  return (
    <span title={likelyText(likely)}>
      {l10n.t('{0} of {1} agree', agreeing, attempts)}
      {standOut === 0 ? null : (
        <span className="doubtful"> {standOut === 1 ? l10n.t('1 stands out') : l10n.t('{0} stand out', standOut)}</span>
      )}
    </span>
  );
}

function likelyText(likely: readonly string[] | null): string {
  if (likely === null) return l10n.t('No more than half of the attempts made the same changes.');
  if (likely.length === 0) return l10n.t('Likely, not known to be right: most attempts changed nothing.');
  return [
    l10n.t('Likely, not known to be right: most attempts made these changes.'),
    ...likely.map(revealHiddenCharacters),
  ].join('\n');
}

function Estimate({ estimate }: Readonly<{ estimate: OverviewEstimate }>) {
  return figures(estimate).map(([name, figure]) => (
    <Fragment key={name}>
      <span>
        <span className="quiet">{name}</span> {figure}
      </span>
    </Fragment>
  ));
}

/** `pass@2`, `0.83 (0.41–0.97)` */
function figures({ k, passAtK, passPowK, passAtKInterval, passPowKInterval }: OverviewEstimate) {
  return [
    [`pass@${k}`, withInterval(passAtK, passAtKInterval)],
    [`pass^${k}`, withInterval(passPowK, passPowKInterval)],
  ] as const;
}

function withInterval(value: number, interval: OverviewEstimate['passAtKInterval']): string {
  if (!interval) return value.toFixed(2);
  const [low, high] = interval;
  return `${value.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`;
}

function estimatesText(estimates: readonly OverviewEstimate[]): string {
  const rows = estimates.map((estimate) =>
    figures(estimate)
      .map((figure) => figure.join(' '))
      .join(', '),
  );
  return [l10n.t('In brackets, 95% of the Bayesian posterior with a uniform prior.'), ...rows].join('\n');
}
