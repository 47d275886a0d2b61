import * as l10n from '@vscode/l10n';
import { type KeyboardEvent, useCallback, useEffect, useMemo } from 'react';
import {
  MAX_TIMELINE_ROWS,
  type TimelineEntry,
  type TimelineSummaryRow,
  timelineRows,
  timelineSummary,
} from '../../src/protocol/timeline.ts';
import { useActions } from '../hooks/use-actions.ts';
import { usePages } from '../hooks/use-pages.ts';
import { useRequest } from '../hooks/use-request.ts';
import { ROW_KEYS, useRowFocus } from '../hooks/use-row-focus.ts';
import { scrollToHighlight } from '../scroll-to-highlight.ts';
import { TimelineFacts } from './timeline-facts.tsx';
import { type TimelineColumns, TimelineRow, timelineRowId } from './timeline-row.tsx';
import { VirtualList } from './virtual-list.tsx';

/** The height of a row that was never rendered, in pixels. */
const ROW_HEIGHT = 32;
const PAGE_SIZE = Math.min(100, MAX_TIMELINE_ROWS);

type TimelineProps = Readonly<{ revision: number; turns: number; isShown: boolean }>;

/** The turns and steps of a session over time. @param isShown whether the tab is open. */
export function Timeline({ revision, turns, isShown }: TimelineProps) {
  const { host, session } = useActions();
  const params = useMemo(() => ({ session }), [session]);
  const answer = useRequest(host, timelineSummary, params, revision, isShown);
  if (answer.type === 'waiting') return <p className="quiet">{l10n.t('Loading timeline…')}</p>;
  if (answer.type === 'failed') return <p role="alert">{answer.message}</p>;
  const { summary } = answer.value;
  if (summary === null) {
    return <p className="quiet">{l10n.t('The file changed after the evaluation. The timeline is unavailable.')}</p>;
  }
  return (
    <div className="timeline">
      <TimelineFacts summary={summary} turns={turns} />
      {summary.rows === 0 ? null : <Rows summary={summary} revision={revision} />}
    </div>
  );
}

function Rows({ summary, revision }: Readonly<{ summary: TimelineSummaryRow; revision: number }>) {
  const { host, session, goTo, choose } = useActions();
  const fetchRows = useCallback(
    async (from: number, count: number, signal: AbortSignal) =>
      (await host.request(timelineRows, { session, from, count }, signal)).rows,
    [host, session],
  );
  const { rowAt, failureAt, setVisible, refresh } = usePages<TimelineEntry>(PAGE_SIZE, fetchRows);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new revision may have other rows
  useEffect(() => refresh(null), [refresh, revision]);
  const keys = useMemo(() => Array.from({ length: summary.rows }, (_, index) => index), [summary.rows]);
  const [current, focus] = useRowFocus(keys.length, timelineRowId);
  const pinned = useMemo(() => [current], [current]);
  const columns: TimelineColumns = {
    time: summary.timed.turns + summary.timed.steps > 0,
    tokens: summary.tokens !== null,
    cost: summary.models.some(({ cost }) => cost !== null),
    // A single one is named above.
    model: summary.models.length > 1,
  };
  const open = (index: number): void => {
    focus(index, 'mark');
    const row = rowAt(index);
    if (!row) return;
    const { turn, step, target } = row;
    goTo(turn);
    if (step === null) return;
    const citation = { turn, step, field: 'whole', item: 0, start: 0, end: 0 } as const;
    choose(turn, `timeline-${turn}-${step}`, [{ note: '', target, citation }]);
    scrollToHighlight(turn, 'chosen');
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = ROW_KEYS.get(event.key);
    if (event.key !== 'Enter' && step === undefined) return;
    event.preventDefault();
    if (step === undefined) open(current);
    else focus(Math.min(keys.length - 1, Math.max(0, current + step)), 'focus');
  };
  const heads = [
    ['name', l10n.t('Step')],
    ...(columns.time ? [['start', l10n.t('Start')] as const, ['duration', l10n.t('Duration')] as const] : []),
    ...(columns.tokens ? [['tokens', l10n.t('Tokens in, out')] as const] : []),
    ...(columns.cost ? [['cost', l10n.t('Cost (USD)')] as const] : []),
  ] as const;
  const has = Object.entries(columns).flatMap(([name, isShown]) => (isShown ? [`has-${name}`] : []));
  return (
    <div
      role="treegrid"
      tabIndex={-1}
      className={['spans', ...has].join(' ')}
      aria-label={l10n.t('Timeline')}
      aria-rowcount={keys.length + 1}
      aria-colcount={heads.length}
      onKeyDown={onKeyDown}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: rows of a virtual list are no table rows */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: the focus is in the rows below */}
      <div role="row" aria-rowindex={1} className="span-row heads quiet">
        {heads.map(([name, title]) => (
          // biome-ignore lint/a11y/useSemanticElements: as the rows
          // biome-ignore lint/a11y/useFocusableInteractive: nothing to do here
          <div key={name} role="columnheader" className={`${name}-cell`}>
            {title}
          </div>
        ))}
      </div>
      <VirtualList
        keys={keys}
        estimate={ROW_HEIGHT}
        pinned={pinned}
        role="rowgroup"
        label={l10n.t('Timeline')}
        onShown={setVisible}
      >
        {(index) => (
          <TimelineRow
            index={index}
            row={rowAt(index)}
            failure={failureAt(index)}
            columns={columns}
            isCurrent={index === current}
            onOpen={open}
          />
        )}
      </VirtualList>
    </div>
  );
}
