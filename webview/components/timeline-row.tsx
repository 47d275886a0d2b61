import * as l10n from '@vscode/l10n';
import type { ReactNode } from 'react';
import type { TimelineEntry } from '../../src/protocol/timeline.ts';
import { formatCost, formatDuration } from '../format.ts';
import { OUTCOME_LABELS } from './outcome-labels.ts';
import { PlainText } from './rich-text.tsx';
import { ShapeIcon } from './shape-icon.tsx';

/** What the trace says of its steps; other columns are left out. */
export type TimelineColumns = Readonly<Record<'time' | 'tokens' | 'cost' | 'model', boolean>>;

type TimelineRowProps = Readonly<{
  index: number;
  /** Undefined while it is loading. */
  row: TimelineEntry | undefined;
  failure: string | null;
  columns: TimelineColumns;
  isCurrent: boolean;
  onOpen: (index: number) => void;
}>;

export function timelineRowId(index: number): string {
  return `span-${index + 1}`;
}

/** A turn or a step: its bar is where it was within its turn. Keys are handled by the grid. */
export function TimelineRow({ index, row, failure, columns, isCurrent, onOpen }: TimelineRowProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles keys
    // biome-ignore lint/a11y/useSemanticElements: rows of a virtual list are no table rows
    <div
      id={timelineRowId(index)}
      role="row"
      className={row?.type === 'turn' ? 'span-row turn-row' : 'span-row'}
      aria-rowindex={index + 2}
      aria-level={(row?.depth ?? 0) + 1}
      aria-busy={row === undefined && failure === null}
      tabIndex={isCurrent ? 0 : -1}
      title={l10n.t('Show in transcript')}
      onClick={() => onOpen(index)}
    >
      {row ? (
        <Cells row={row} columns={columns} />
      ) : (
        <Cell name="name">
          <span className="quiet">{failure ?? '…'}</span>
        </Cell>
      )}
    </div>
  );
}

function Cells({ row, columns }: Readonly<{ row: TimelineEntry; columns: TimelineColumns }>) {
  const { startMs, durationMs, tokens, cost } = row;
  return (
    <>
      <Cell name="name">
        <Name row={row} hasModel={columns.model} />
      </Cell>
      {columns.time ? (
        <>
          <Bar row={row} />
          <Cell name="start">{startMs === null || row.type === 'turn' ? '' : `+${formatDuration(startMs)}`}</Cell>
          <Cell name="duration">{durationMs === null ? '–' : formatDuration(durationMs)}</Cell>
        </>
      ) : null}
      {columns.tokens ? (
        <Cell name="tokens">
          {tokens === null ? '' : `${tokens.input.toLocaleString('en')}, ${tokens.output.toLocaleString('en')}`}
        </Cell>
      ) : null}
      {columns.cost ? <Cell name="cost">{cost === null ? '' : formatCost(cost, 4)}</Cell> : null}
    </>
  );
}

function Cell({ name, children }: Readonly<{ name: string; children: ReactNode }>) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: cells of a virtual list are no table cells
    // biome-ignore lint/a11y/useFocusableInteractive: the focus is in the row
    <div role="gridcell" className={`${name}-cell`}>
      {children}
    </div>
  );
}

/** Deeper steps are not indented further. */
const MAX_INDENT = 6;

type NameProps = Readonly<{ row: TimelineEntry; hasModel: boolean }>;

function Name({ row: { type, turn, name, text, outcome, model, depth }, hasModel }: NameProps) {
  return (
    <span className={`span-name indent-${Math.min(depth, MAX_INDENT)}`}>
      {type === 'turn' ? (
        <b>{l10n.t('Turn {0}', turn + 1)}</b>
      ) : name === null ? (
        <span className="kind">{type === 'model' ? l10n.t('model') : l10n.t('retrieval')}</span>
      ) : (
        <code className="name">
          <PlainText text={name} />
        </code>
      )}
      {outcome === null || outcome === 'ok' ? null : (
        <span className={`outcome ${OUTCOME_LABELS[outcome].tone}`}>
          <ShapeIcon {...OUTCOME_LABELS[outcome]} />
          {OUTCOME_LABELS[outcome].word}
        </span>
      )}
      {model === null || !hasModel ? null : (
        <span>
          <PlainText text={model} />
        </span>
      )}
      <span className="one-line quiet" dir="auto">
        <PlainText text={text} />
      </span>
    </span>
  );
}

/** The share of a turn below which a bar would be invisible, in percent. */
const MIN_WIDTH = 0.5;

function Bar({ row: { type, startMs, durationMs, turnMs, outcome } }: Readonly<{ row: TimelineEntry }>) {
  const share = (milliseconds: number): number =>
    turnMs === null || turnMs === 0 ? 0 : Math.min(100, (100 * milliseconds) / turnMs);
  if (startMs === null || turnMs === null) return <div className="track" aria-hidden="true" />;
  const isFailed = outcome === 'error';
  const width = Math.max(MIN_WIDTH, turnMs === 0 ? 100 : share(durationMs ?? 0));
  const left = Math.min(share(startMs), 100 - width);
  return (
    <div className="track" aria-hidden="true">
      <div
        className={`span ${isFailed ? 'failed' : type}-span`}
        style={{ insetInlineStart: `${left}%`, width: `${width}%` }}
      />
    </div>
  );
}
