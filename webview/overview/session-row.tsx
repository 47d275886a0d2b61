import * as l10n from '@vscode/l10n';
import { memo, type ReactNode } from 'react';
import type { OverviewColumn, OverviewRow, OverviewSessionRow } from '../../src/protocol/sessions-overview.ts';
import { ShapeIcon } from '../components/shape-icon.tsx';
import {
  formatCost,
  formatDuration,
  HEADLINE_STYLES,
  RISK_LABELS,
  SEVERITY_LABELS,
  SEVERITY_TONES,
} from '../format.ts';
import { COLUMN_UNITS } from './columns.ts';
import { MiddleCut } from './middle-cut.tsx';
import { TaskCells } from './task-row.tsx';
import { TraceText } from './trace-text.tsx';

type SessionRowProps = Readonly<{
  index: number;
  /** Undefined while it is loading. */
  row: OverviewRow | undefined;
  /** Why it could not be loaded. */
  failure: string | null;
  columns: readonly OverviewColumn[];
  /** Of the table. */
  scope: string | null;
  isCurrent: boolean;
  /** Whether it is chosen to be compared; null: it cannot be. */
  isPicked: boolean | null;
  onOpen: (index: number) => void;
  onPick: (key: string) => void;
}>;

/** A session in the table, or a task with its attempts. Keys are handled by the table. */
export const SessionRow = memo(function SessionRow(props: SessionRowProps) {
  const { index, row, failure, columns, scope, isCurrent, isPicked, onOpen, onPick } = props;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the table handles keys
    // biome-ignore lint/a11y/useSemanticElements: rows of a virtual list are no table rows
    <div
      id={rowId(index)}
      role="row"
      className={rowClass(row)}
      aria-rowindex={index + 2}
      aria-level={row?.type === 'session' && row.isAttempt ? 2 : 1}
      aria-expanded={row?.type === 'task' ? row.isExpanded : undefined}
      aria-selected={row?.type === 'session' ? (isPicked ?? undefined) : undefined}
      aria-busy={row === undefined && failure === null}
      tabIndex={isCurrent ? 0 : -1}
      onClick={({ ctrlKey, metaKey }) => {
        if (isPicked !== null && (ctrlKey || metaKey) && row?.type === 'session') onPick(row.key);
        else onOpen(index);
      }}
    >
      {row?.type === 'task' ? <TaskCells row={row} /> : null}
      {row?.type === 'task' ? null : row ? (
        columns.map((column) => (
          // biome-ignore lint/a11y/useSemanticElements: cells of a virtual list are no table cells
          // biome-ignore lint/a11y/useFocusableInteractive: the focus is in the row
          <div
            key={column}
            role="gridcell"
            className={`cell ${column}-cell ${MAY_BE_UNKNOWN[column]?.(row) === null ? 'no-value' : ''}`}
            data-unit={COLUMN_UNITS[column]}
          >
            {column === 'session' && isPicked !== null ? (
              <input
                type="checkbox"
                className="pick"
                tabIndex={-1}
                checked={isPicked}
                aria-label={l10n.t('Select to compare')}
                title={l10n.t('Select to compare (c)')}
                onClick={(event) => event.stopPropagation()}
                onChange={() => onPick(row.key)}
              />
            ) : null}
            {CELLS[column](row, scope)}
          </div>
        ))
      ) : (
        // biome-ignore lint/a11y/useSemanticElements: cells of a virtual list are no table cells
        // biome-ignore lint/a11y/useFocusableInteractive: the focus is in the row
        <div role="gridcell" className="cell session-cell quiet">
          {failure ?? '…'}
        </div>
      )}
    </div>
  );
});

function rowClass(row: OverviewRow | undefined): string {
  if (row?.type === 'task') return 'row task';
  return row?.isAttempt ? 'row attempt' : 'row';
}

export function rowId(index: number): string {
  return `session-${index + 1}`;
}

const CELLS: Readonly<Record<OverviewColumn, (row: OverviewSessionRow, scope: string | null) => ReactNode>> = {
  session: ({ file, folder, id, state }, scope) => {
    const isNamed = !isNameOf(scope, file);
    const names = [isNamed ? file : null, isNamed && file === `${id}.json` ? null : id, folder];
    const title = names.filter((name) => name !== null).join(' · ');
    return (
      <>
        {isNamed ? <TraceText text={file} className="file-name" title={title} /> : null}
        {names[1] ? <MiddleCut text={id} className={isNamed ? 'quiet' : ''} title={title} /> : null}
        <Beside text={folder} />
        {state === 'fresh' ? null : <span className="stale">{STATE_LABELS[state]}</span>}
      </>
    );
  },
  task: ({ task, isAttempt }) =>
    task && (
      <>
        {/* Its task is in the row above. */}
        {isAttempt ? null : (
          <MiddleCut text={task.name} title={[task.name, task.of].filter((part) => part !== null).join(' · ')} />
        )}
        {task.attempt === null ? null : <MiddleCut text={l10n.t('attempt {0}', task.attempt)} className="quiet" />}
        {isAttempt ? null : <Beside text={task.of} />}
      </>
    ),
  outcome: ({ headline, isRunning, standsOut }) => (
    <>
      <ShapeIcon {...HEADLINE_STYLES[headline.kind]} />
      <TraceText text={isRunning ? l10n.t('Evaluating…') : headline.text} />
      {standsOut ? (
        <span className="doubtful" title={l10n.t('Most other attempts of the task made other changes.')}>
          {l10n.t('stands out')}
        </span>
      ) : null}
    </>
  ),
  problem: ({ worst, problems }) =>
    worst && (
      <>
        <span className={SEVERITY_TONES[worst.severity]}>{SEVERITY_LABELS[worst.severity]}</span>
        <TraceText text={worst.title} />
        {problems === 1 ? null : <span className="quiet">{l10n.t('+{0}', (problems - 1).toLocaleString('en'))}</span>}
      </>
    ),
  turns: ({ turns }) => turns.toLocaleString('en'),
  calls: ({ calls }) => formatNumber(calls),
  tokens: ({ tokens }) => formatNumber(tokens),
  cost: ({ cost }) => (cost === null ? '–' : formatCost(cost)),
  duration: ({ durationMs }) => (durationMs === null ? '–' : formatDuration(durationMs)),
  risk: ({ risk, riskLevel }) =>
    risk === null || riskLevel === null ? '–' : <span title={risk.toFixed(2)}>{RISK_LABELS[riskLevel]}</span>,
};

/** Text that is left out where there is no room for a few characters. */
function Beside({ text }: Readonly<{ text: string | null }>) {
  return <span className="beside quiet">{text === null ? null : <TraceText text={text} />}</span>;
}

/** Values that a trace may lack; a narrow table leaves them out. */
const MAY_BE_UNKNOWN: Readonly<Partial<Record<OverviewColumn, (row: OverviewSessionRow) => unknown>>> = {
  calls: ({ calls }) => calls,
  tokens: ({ tokens }) => tokens,
  cost: ({ cost }) => cost,
  duration: ({ durationMs }) => durationMs,
  risk: ({ risk }) => risk,
};

const STATE_LABELS = { stale: l10n.t('Outdated'), gone: l10n.t('Deleted') } as const;

function formatNumber(count: number | null): string {
  return count === null ? '–' : Math.round(count).toLocaleString('en');
}

/** Whether the table shows the sessions of one file, which need not repeat its name. */
function isNameOf(scope: string | null, file: string): boolean {
  return scope?.endsWith(`/${encodeURIComponent(file)}`) ?? false;
}
