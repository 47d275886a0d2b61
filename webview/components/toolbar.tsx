import * as l10n from '@vscode/l10n';
import { useEffect, useRef } from 'react';
import type { ReportHeader } from '../../src/protocol/report.ts';
import { focusTurn } from '../hooks/use-report-keys.ts';
import type { SearchState } from '../hooks/use-search.ts';
import type { SavedView, TabId } from '../hooks/use-view.ts';
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

/** The tabs, and the search and filter of the transcript. */
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
  const { facets, problems, strip } = header;
  const tabs: readonly Tab<TabId>[] = [
    { id: 'transcript', title: l10n.t('Transcript'), count: null },
    { id: 'failures', title: l10n.t('Problems'), count: problems },
    { id: 'metrics', title: l10n.t('Metrics'), count: null },
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
  const activeFilters = Object.values(filter).filter((value) => value !== undefined && value !== false).length;
  // An active filter is always visible.
  const isOpen = isFilterOpen || activeFilters > 0;
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
            className="action filter-button"
            aria-expanded={isOpen}
            aria-controls={FILTER_ID}
            aria-label={activeFilters === 0 ? l10n.t('Filter') : l10n.t('Filter, {0} set', activeFilters)}
            title={l10n.t('Filter')}
            onClick={() => onFilterOpen(!isOpen)}
          >
            <Icon name="filter" />
            {activeFilters === 0 ? null : activeFilters}
          </button>
          <div className="folding" data-folded={!isOpen}>
            <Filters
              facets={facets}
              filter={filter}
              shown={filtered.isBusy ? null : (filtered.matches?.turns.length ?? null)}
              turns={strip.turns}
              onFilter={(next) => change({ filter: next })}
            />
          </div>
        </>
      ) : null}
    </div>
  );
}
