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
  sought: SearchState;
  selected: number | null;
  onSelect: (turn: number) => void;
  isFilterOpen: boolean;
  onFilterOpen: (isOpen: boolean) => void;
}>;

/** What is looked at, and which of it. */
export function Toolbar({
  header,
  view,
  filtered,
  sought,
  selected,
  onSelect,
  isFilterOpen,
  onFilterOpen,
}: ToolbarProps) {
  const { tab, filter, text, isOnly, change } = view;
  const { facets, failures, strip } = header;
  const tabs: readonly Tab<TabId>[] = [
    { id: 'transcript', title: l10n.t('Transcript'), count: null },
    { id: 'failures', title: l10n.t('Problems'), count: failures },
    { id: 'metrics', title: l10n.t('Metrics'), count: null },
    { id: 'run', title: l10n.t('Run'), count: null },
  ];
  const found = sought.found?.turns ?? [];
  const afterwards = useRef<1 | -1 | null>(null);
  const go = (step: 1 | -1): void => {
    // Who presses Enter as soon as a word is typed goes on when it is found.
    afterwards.current = sought.isBusy ? step : null;
    if (sought.isBusy) return;
    const here = selected ?? -1;
    const next =
      step === 1
        ? (found.find((turn) => turn > here) ?? found[0])
        : (found.findLast((turn) => turn < here) ?? found.at(-1));
    if (next === undefined) return;
    onSelect(next);
    scrollToHighlight(next, 'found');
  };
  useEffect(() => {
    if (!sought.isBusy && afterwards.current !== null) go(afterwards.current);
  });
  const set = Object.values(filter).filter((value) => value !== undefined && value !== false).length;
  // What is filtered is seen to be.
  const isOpen = isFilterOpen || set > 0;
  return (
    <div className="toolbar">
      <Tabs tabs={tabs} selected={tab} onSelect={(id) => change({ tab: id })} />
      {tab === 'transcript' ? (
        <>
          <Find
            text={text}
            isOnly={isOnly}
            finding={sought}
            place={selected === null ? -1 : found.indexOf(selected)}
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
            aria-label={set === 0 ? l10n.t('Filter') : l10n.t('Filter, {0} set', set)}
            title={l10n.t('Filter')}
            onClick={() => onFilterOpen(!isOpen)}
          >
            <Icon of="filter" />
            {set === 0 ? null : set}
          </button>
          <div className="folding" data-folded={!isOpen}>
            <Filters
              facets={facets}
              filter={filter}
              shown={filtered.isBusy ? null : (filtered.found?.turns.length ?? null)}
              turns={strip.turns}
              onFilter={(next) => change({ filter: next })}
            />
          </div>
        </>
      ) : null}
    </div>
  );
}
