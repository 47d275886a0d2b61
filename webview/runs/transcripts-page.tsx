import * as l10n from '@vscode/l10n';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { reveal } from '../../src/protocol/panel.ts';
import type { JsonTarget } from '../../src/protocol/report-values.ts';
import {
  type AlignedPartRow,
  type ComparedSide,
  type ComparedTranscripts,
  comparedTranscripts,
  type TranscriptSide,
} from '../../src/protocol/runs.ts';
import { openSessionReport } from '../../src/protocol/sessions-overview.ts';
import { Icon } from '../components/icon.tsx';
import { LoadError } from '../components/load-error.tsx';
import { PlainText } from '../components/rich-text.tsx';
import { ShapeIcon } from '../components/shape-icon.tsx';
import { VirtualList } from '../components/virtual-list.tsx';
import { formatCount, HEADLINE_STYLES } from '../format.ts';
import { useKeys } from '../hooks/use-keys.ts';
import { usePages } from '../hooks/use-pages.ts';
import { useRowFocus } from '../hooks/use-row-focus.ts';
import { emptyRowState, RowStateContext } from '../hooks/use-row-state.ts';
import type { RunsHost } from '../host.ts';
import { AlignedPart, alignedPartId } from './aligned-part.tsx';
import type { RunsPageProps } from './page-props.ts';
import { formatRunTime } from './run-values.ts';

const PAGE_SIZE = 100;
/** The height of a row that was never rendered, in pixels. */
const ROW_HEIGHT = 72;

type TranscriptsPageProps = RunsPageProps &
  Readonly<{
    left: ComparedSide;
    right: ComparedSide;
    /** Goes back to the comparison; null where there is none. */
    onBack: (() => void) | null;
  }>;

type PairSummary = Omit<ComparedTranscripts, 'rows'>;

/** Two transcripts side by side, at the first step where they diverge. */
export function TranscriptsPage({ host, revision, onRetry, left, right, onBack }: TranscriptsPageProps) {
  const [summary, setSummary] = useState<PairSummary | null>(null);
  const pages = usePages<AlignedPartRow>(PAGE_SIZE, async (offset, limit, signal) => {
    const { rows, ...others } = await host.request(comparedTranscripts, { left, right, offset, limit }, signal);
    if (!signal.aborted) setSummary(others);
    return rows;
  });
  const { setVisible, refresh, failureAt } = pages;
  useEffect(() => setVisible([0]), [setVisible]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new revision may have other rows
  useEffect(() => refresh(null), [revision, refresh]);
  const failure = failureAt(0);
  if (failure !== null && summary === null) return <LoadError message={failure} onRetry={onRetry} />;
  if (summary === null) {
    return (
      <main>
        <p role="status">{l10n.t('Aligning transcripts…')}</p>
      </main>
    );
  }
  return <AlignedTranscripts host={host} summary={summary} pages={pages} onBack={onBack} />;
}

type AlignedTranscriptsProps = Readonly<{
  host: RunsHost;
  summary: PairSummary;
  pages: ReturnType<typeof usePages<AlignedPartRow>>;
  onBack: TranscriptsPageProps['onBack'];
}>;

function AlignedTranscripts({ host, summary, pages, onBack }: AlignedTranscriptsProps) {
  const { left, right, total, divergence, changed } = summary;
  const [isOnlyChanges, setOnlyChanges] = useState(false);
  const keys = useMemo(
    () => (isOnlyChanges ? changed : Array.from({ length: total }, (_, index) => index)),
    [isOnlyChanges, changed, total],
  );
  const [position, goTo] = useRowFocus(
    keys.length,
    useCallback((at: number) => alignedPartId(keys[at] ?? 0), [keys]),
  );
  const current = keys[position] ?? 0;
  const isDivergenceLoaded = divergence !== null && pages.rowAt(divergence) !== undefined;
  const isOpened = useRef(false);
  // Opens at the divergence. It is rendered, and with that loaded, as the current row.
  useEffect(() => {
    if (isOpened.current || divergence === null) return;
    if (!isDivergenceLoaded) {
      goTo(divergence, 'mark');
      return;
    }
    isOpened.current = true;
    const row = document.getElementById(alignedPartId(divergence));
    row?.focus({ preventScroll: true });
    row?.scrollIntoView({ block: 'center' });
  }, [divergence, isDivergenceLoaded, goTo]);
  const goToChange = useCallback(
    (step: 1 | -1): void => {
      const next = step > 0 ? changed.find((index) => index > current) : changed.findLast((index) => index < current);
      const at = next === undefined ? -1 : keys.indexOf(next);
      if (at >= 0) goTo(at, 'focus');
    },
    [changed, current, keys, goTo],
  );
  const onToggle = (): void => {
    const index = current;
    setOnlyChanges(!isOnlyChanges);
    const at = isOnlyChanges ? index : changed.indexOf(index);
    goTo(Math.max(0, at), 'mark');
  };
  const actions = useMemo(
    () =>
      new Map<string, () => void>([
        ['n', () => goToChange(1)],
        ['p', () => goToChange(-1)],
        ['j', () => goTo(Math.min(keys.length - 1, position + 1), 'focus')],
        ['k', () => goTo(Math.max(0, position - 1), 'focus')],
        ['Escape', () => onBack?.()],
      ]),
    [goToChange, goTo, keys.length, position, onBack],
  );
  useKeys(actions);
  const [rowState] = useState(emptyRowState);
  const show = useCallback(
    (target: JsonTarget, focus: boolean) => void host.request(reveal, { target, focus }).catch(() => {}),
    [host],
  );
  const pinned = useMemo(() => [current], [current]);
  return (
    <main className="pair">
      <header className="pair-head">
        <div className="runs-title">
          {onBack === null ? null : (
            <button type="button" className="more back" onClick={onBack}>
              {l10n.t('Back to Comparison')}
            </button>
          )}
          <h1>{l10n.t('Compared Transcripts')}</h1>
        </div>
        <div className="sides">
          <Side host={host} side={left} letter="A" />
          <Side host={host} side={right} letter="B" />
        </div>
        {total === 0 ? null : (
          <div className="toolbar pair-toolbar">
            <p role="status">{summarySentence(summary)}</p>
            <label className="check">
              <input type="checkbox" checked={isOnlyChanges} onChange={onToggle} /> {l10n.t('Differences only')}
            </label>
            <span className="steppers">
              <button
                type="button"
                className="action"
                title={l10n.t('Previous Difference (p)')}
                aria-label={l10n.t('Previous Difference')}
                disabled={!changed.some((index) => index < current)}
                onClick={() => goToChange(-1)}
              >
                <Icon name="up" />
              </button>
              <button
                type="button"
                className="action"
                title={l10n.t('Next Difference (n)')}
                aria-label={l10n.t('Next Difference')}
                disabled={!changed.some((index) => index > current)}
                onClick={() => goToChange(1)}
              >
                <Icon name="down" />
              </button>
            </span>
          </div>
        )}
      </header>
      <RowStateContext value={rowState}>
        <VirtualList
          keys={keys}
          estimate={ROW_HEIGHT}
          pinned={pinned}
          role="list"
          rowRole="listitem"
          label={l10n.t('Messages and steps')}
          onShown={pages.setVisible}
        >
          {(index) => (
            <AlignedPart
              index={index}
              row={pages.rowAt(index)}
              above={isOnlyChanges ? undefined : pages.rowAt(index - 1)}
              failure={pages.failureAt(index)}
              isCurrent={index === current}
              isDivergence={index === divergence}
              onReveal={show}
            />
          )}
        </VirtualList>
      </RowStateContext>
      {isOnlyChanges && keys.length === 0 ? <p className="nothing">{l10n.t('Nothing differs.')}</p> : null}
    </main>
  );
}

function summarySentence({ divergence, actions, wordings }: PairSummary): string {
  if (divergence === null) return l10n.t('Both transcripts are the same.');
  if (actions === 0)
    return l10n.t('The calls are the same in both. {0} in words.', formatCount(wordings, 'difference'));
  const done = l10n.t('{0} in what was done', formatCount(actions, 'difference'));
  return wordings === 0 ? `${done}.` : l10n.t('{0}, {1} in words alone.', done, wordings.toLocaleString('en'));
}

/** What one of the sessions is, and its report. */
function Side({ host, side, letter }: Readonly<{ host: RunsHost; side: TranscriptSide; letter: string }>) {
  const { title, run, headline, key, target, missing } = side;
  const from = run === null ? l10n.t('Current results') : (run.name ?? formatRunTime(run.startedAt));
  return (
    <section className="side" aria-label={l10n.t('Session {0}', letter)}>
      <p className="side-title">
        <b aria-hidden="true">{letter}</b>{' '}
        <span>
          <PlainText text={title} />
        </span>{' '}
        <span className="quiet">
          <PlainText text={from} />
        </span>
      </p>
      <p className={`item ${HEADLINE_STYLES[headline.kind].tone}`}>
        <ShapeIcon {...HEADLINE_STYLES[headline.kind]} />
        <span>
          <PlainText text={headline.text} />
        </span>
      </p>
      {missing === null ? null : (
        <p role="alert">
          <PlainText text={missing} />
        </p>
      )}
      <p className="facts">
        {key === null ? null : (
          <button
            type="button"
            className="more"
            onClick={() => void host.request(openSessionReport, { session: key }).catch(() => {})}
          >
            {l10n.t('Open Report')}
          </button>
        )}
        {target === null ? null : (
          <button
            type="button"
            className="more"
            onClick={() => void host.request(reveal, { target, focus: true }).catch(() => {})}
          >
            {l10n.t('Open JSON')}
          </button>
        )}
      </p>
    </section>
  );
}
