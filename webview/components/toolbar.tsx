import * as l10n from '@vscode/l10n';
import { type FocusEvent, useEffect, useRef } from 'react';
import { SEVERITIES } from '../../src/core/severity.ts';
import type { ReportHeader } from '../../src/protocol/report.ts';
import type { TurnQuery } from '../../src/protocol/turn-search.ts';
import { focusTurn } from '../hooks/use-report-keys.ts';
import type { SearchState } from '../hooks/use-search.ts';
import { isEmptyFilter, type SavedView, type TabId } from '../hooks/use-view.ts';
import { scrollToHighlight } from '../scroll-to-highlight.ts';
import { FILTER_ID, Filters } from './filters.tsx';
import { Find } from './find.tsx';
import { Icon } from './icon.tsx';
import { type Tab, Tabs } from './tabs.tsx';

type ToolbarProps = Readonly<{
  header: ReportHeader;
  view: SavedView;
  filtered: SearchState;
  search: SearchState;
  selected: number | null;
  onSelect: (turn: number) => void;
  isFilterOpen: boolean;
  onFilterOpen: (isOpen: boolean) => void;
}>;

/** The tabs, and the search and filters of the transcript: one toggle for problems, the others in a menu. */
export function Toolbar({
  header,
  view,
  filtered,
  search,
  selected,
  onSelect,
  isFilterOpen,
  onFilterOpen,
}: ToolbarProps) {
  const { tab, filter, text, isOnly, change } = view;
  const { facets, problems, missedCalls, strip } = header;
  const tabs: readonly Tab<TabId>[] = [
    { id: 'transcript', title: l10n.t('Transcript'), count: null },
    { id: 'failures', title: l10n.t('Problems'), count: problems === 0 && missedCalls ? null : problems },
    { id: 'metrics', title: l10n.t('Metrics'), count: null },
    { id: 'timeline', title: l10n.t('Timeline'), count: null },
    { id: 'run', title: l10n.t('Run'), count: null },
  ];
  const matches = search.matches?.turns ?? [];
  const pendingStep = useRef<1 | -1 | null>(null);
  const go = (step: 1 | -1): void => {
    // If Enter is pressed before the search has finished, go to the match when it arrives.
    pendingStep.current = search.isBusy ? step : null;
    if (search.isBusy) return;
    const current = selected ?? -1;
    const next =
      step === 1
        ? (matches.find((turn) => turn > current) ?? matches[0])
        : (matches.findLast((turn) => turn < current) ?? matches.at(-1));
    if (next === undefined) return;
    onSelect(next);
    scrollToHighlight(next, 'found');
  };
  useEffect(() => {
    if (!search.isBusy && pendingStep.current !== null) go(pendingStep.current);
  });
  const { isProblemsOnly, others } = splitFilter(filter);
  const activeFilters = Object.values(others).filter((value) => value !== undefined && value !== false).length;
  const shown = filtered.isBusy ? null : (filtered.matches?.turns.length ?? null);
  const onLeaveFilter = (event: FocusEvent<HTMLElement>): void => {
    if (!event.currentTarget.contains(event.relatedTarget)) onFilterOpen(false);
  };
  return (
    <div className="toolbar">
      <Tabs tabs={tabs} selected={tab} onSelect={(id) => change({ tab: id })} />
      {tab === 'transcript' ? (
        <>
          <Find
            text={text}
            isOnly={isOnly}
            state={search}
            position={selected === null ? -1 : matches.indexOf(selected)}
            onText={(next) => change({ text: next })}
            onOnly={(next) => change({ isOnly: next })}
            onGo={go}
            onLeave={() => focusTurn(selected)}
          />
          <button
            type="button"
            className="toggle"
            aria-pressed={isProblemsOnly}
            onClick={() => change({ filter: isProblemsOnly ? others : { ...others, severities: SEVERITIES } })}
          >
            {l10n.t('Problems Only')}
          </button>
          {/* biome-ignore lint/a11y/noStaticElementInteractions: Escape and leaving close the menu */}
          <div
            className="filter-menu"
            onBlur={onLeaveFilter}
            onKeyDown={(event) => {
              if (event.key !== 'Escape' || !isFilterOpen) return;
              event.preventDefault();
              event.stopPropagation();
              onFilterOpen(false);
              event.currentTarget.querySelector('button')?.focus();
            }}
          >
            <button
              type="button"
              className="action filter-button"
              aria-expanded={isFilterOpen}
              aria-controls={FILTER_ID}
              aria-label={activeFilters === 0 ? l10n.t('Filter') : l10n.t('Filter, {0} set', activeFilters)}
              title={l10n.t('Filter')}
              onClick={() => onFilterOpen(!isFilterOpen)}
            >
              <Icon name="filter" />
              {activeFilters === 0 ? null : activeFilters}
            </button>
            {isFilterOpen ? (
              <Filters facets={facets} filter={others} onFilter={(next) => change({ filter: next })} />
            ) : null}
          </div>
          {isEmptyFilter(filter) ? null : (
            <span className="filtered">
              <span className="quiet">
                {shown === null
                  ? '…'
                  : l10n.t('{0} of {1} turns', shown.toLocaleString('en'), strip.turns.toLocaleString('en'))}
              </span>
              <button type="button" className="more" onClick={() => change({ filter: {} })}>
                {l10n.t('Clear')}
              </button>
            </span>
          )}
        </>
      ) : null}
    </div>
  );
}

/** Turns with a problem are those with any severity; the other filters are in the menu. */
function splitFilter(filter: TurnQuery): { readonly isProblemsOnly: boolean; readonly others: TurnQuery } {
  const { severities, ...others } = filter;
  const isProblemsOnly = severities?.length === SEVERITIES.length;
  return { isProblemsOnly, others: isProblemsOnly ? others : filter };
}
