import * as l10n from '@vscode/l10n';
import { memo, type ReactNode } from 'react';
import type { OverviewColumn, OverviewRow } from '../../src/protocol/sessions-overview.ts';
import { ShapeIcon } from '../components/shape-icon.tsx';
import {
  formatDuration,
  HEADLINE_STYLES,
  RISK_LABELS,
  RISK_TONES,
  SEVERITY_LABELS,
  SEVERITY_TONES,
} from '../format.ts';
import { revealHiddenCharacters } from '../hidden-characters.ts';
import { COLUMN_UNITS } from './columns.ts';

type SessionRowProps = Readonly<{
  index: number;
  /** Undefined while it is loading. */
  row: OverviewRow | undefined;
  /** Why it could not be loaded. */
  failure: string | null;
  columns: readonly OverviewColumn[];
  isCurrent: boolean;
  onOpen: (index: number) => void;
}>;

/** A session in the table. Enter is handled by the table. */
export const SessionRow = memo(function SessionRow(props: SessionRowProps) {
  const { index, row, failure, columns, isCurrent, onOpen } = props;
  return (
    // biome-ignore lint/a11y/useSemanticElements: rows of a virtual list are no table rows
    <div
      id={rowId(index)}
      role="row"
      className="row"
      aria-rowindex={index + 2}
      aria-busy={row === undefined && failure === null}
      tabIndex={isCurrent ? 0 : -1}
      onClick={() => onOpen(index)}
      onKeyDown={undefined}
    >
      {row ? (
        columns.map((column) => (
          // biome-ignore lint/a11y/useSemanticElements: cells of a virtual list are no table cells
          // biome-ignore lint/a11y/useFocusableInteractive: the focus is in the row
          <div key={column} role="gridcell" className={`cell ${column}-cell`} data-unit={COLUMN_UNITS[column]}>
            {CELLS[column](row)}
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

export function rowId(index: number): string {
  return `session-${index + 1}`;
}

const CELLS: Readonly<Record<OverviewColumn, (row: OverviewRow) => ReactNode>> = {
  session: ({ file, folder, id, state }) => (
    <>
      <Text text={file} className="name" />
      {folder === null ? null : <Text text={folder} className="quiet" />}
      {file === `${id}.json` ? null : <Text text={id} className="quiet" />}
      {state === 'fresh' ? null : <span className="stale">{STATE_LABELS[state]}</span>}
    </>
  ),
  task: ({ task }) =>
    task && (
      <>
        <Text text={task.name} />
        {task.attempt === null ? null : <Text text={l10n.t('attempt {0}', task.attempt)} className="quiet" />}
      </>
    ),
  outcome: ({ headline, isRunning }) => (
    <>
      <ShapeIcon {...HEADLINE_STYLES[headline.kind]} />
      <Text text={isRunning ? l10n.t('Evaluating…') : headline.text} />
    </>
  ),
  problem: ({ worst, problems }) =>
    worst && (
      <>
        <span className={SEVERITY_TONES[worst.severity]}>{SEVERITY_LABELS[worst.severity]}</span>
        <Text text={worst.label} />
        {problems === 1 ? null : <span className="quiet">{l10n.t('+{0}', (problems - 1).toLocaleString('en'))}</span>}
      </>
    ),
  turns: ({ turns }) => turns.toLocaleString('en'),
  calls: ({ calls }) => formatNumber(calls),
  tokens: ({ tokens }) => formatNumber(tokens),
  duration: ({ durationMs }) => (durationMs === null ? '–' : formatDuration(durationMs)),
  risk: ({ risk, riskLevel }) =>
    risk === null || riskLevel === null ? (
      '–'
    ) : (
      <span className={RISK_TONES[riskLevel]} title={risk.toFixed(2)}>
        {RISK_LABELS[riskLevel]}
      </span>
    ),
};

const STATE_LABELS = { stale: l10n.t('Outdated'), gone: l10n.t('Deleted') } as const;

function formatNumber(count: number | null): string {
  return count === null ? '–' : Math.round(count).toLocaleString('en');
}

/** Text of the trace on one line; what does not fit is in the tooltip. */
function Text({ text, className = '' }: Readonly<{ text: string; className?: string }>) {
  const shown = revealHiddenCharacters(text);
  return (
    <span className={`cut ${className}`} dir="auto" title={shown}>
      {shown}
    </span>
  );
}
