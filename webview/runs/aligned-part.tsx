import * as l10n from '@vscode/l10n';
import { memo } from 'react';
import type { JsonTarget } from '../../src/protocol/report-values.ts';
import type { AlignedPartRow } from '../../src/protocol/runs.ts';
import { ArgumentChanges } from '../components/argument-changes.tsx';
import { ShapeIcon, type ShapeStyle } from '../components/shape-icon.tsx';
import { isCall, PartText, partName } from './part-text.tsx';

type AlignedPartProps = Readonly<{
  index: number;
  /** Undefined while it is loading. */
  row: AlignedPartRow | undefined;
  /** The row before it: where its turns are others, the numbers of the turns are shown. */
  above: AlignedPartRow | undefined;
  failure: string | null;
  isCurrent: boolean;
  /** Whether this is where they diverge. */
  isDivergence: boolean;
  onReveal: (target: JsonTarget, focus: boolean) => void;
}>;

/** A message or a step of two sessions, side by side. */
export const AlignedPart = memo(function AlignedPart(props: AlignedPartProps) {
  const { index, row, above, failure, isCurrent, isDivergence, onReveal } = props;
  if (!row) {
    return (
      <article
        id={alignedPartId(index)}
        className="part quiet"
        tabIndex={isCurrent ? 0 : -1}
        aria-busy={failure === null}
      >
        {failure ?? '…'}
      </article>
    );
  }
  const { change, left, right } = row;
  const label = CHANGE_LABELS[change];
  const name = partName(row);
  return (
    <article
      id={alignedPartId(index)}
      className={`part change-${change}`}
      tabIndex={isCurrent ? 0 : -1}
      aria-label={label === null ? name : `${name}: ${label.word}`}
    >
      <header>
        <b className={row.name === null ? '' : 'metric'}>{name}</b>
        {label === null ? null : (
          <span className={`item ${label.tone}`}>
            <ShapeIcon {...label} />
            {label.word}
          </span>
        )}
        {isDivergence ? <span className="first-difference">{l10n.t('Diverges here')}</span> : null}
        <Turns row={row} above={above} />
      </header>
      {row.arguments === null ? null : (
        <ArgumentChanges changes={row.arguments.changes} omitted={row.arguments.changesOmitted} names={['A', 'B']} />
      )}
      {change === 'same' ? (
        <PartText id={`${index} both`} part={left ?? right} isCall={isCall(row)} onReveal={onReveal} side={null} />
      ) : (
        <div className="sides">
          <PartText id={`${index} A`} part={left} isCall={isCall(row)} onReveal={onReveal} side="A" />
          <PartText id={`${index} B`} part={right} isCall={isCall(row)} onReveal={onReveal} side="B" />
        </div>
      )}
    </article>
  );
});

export function alignedPartId(index: number): string {
  return `part-${index}`;
}

interface ChangeLabel extends ShapeStyle {
  readonly word: string;
}

const CHANGE_LABELS: Readonly<Record<AlignedPartRow['change'], ChangeLabel | null>> = {
  same: null,
  reworded: { word: l10n.t('other words'), shape: 'dash', tone: 'quiet' },
  arguments: { word: l10n.t('other arguments'), shape: 'unequal', tone: 'doubtful' },
  result: { word: l10n.t('other result'), shape: 'unequal', tone: 'doubtful' },
  left: { word: l10n.t('only in A'), shape: 'before', tone: 'doubtful' },
  right: { word: l10n.t('only in B'), shape: 'after', tone: 'doubtful' },
};

/** The numbers of the turns, where they are others than above. */
function Turns({ row, above }: Pick<AlignedPartProps, 'above'> & Readonly<{ row: AlignedPartRow }>) {
  const isNew = (['left', 'right'] as const).some((side) => {
    const [now, before] = [row[side]?.turn, above?.[side]?.turn];
    return now !== undefined && now !== before && (before !== undefined || !hasTurn(above, now));
  });
  return isNew ? <span className="quiet part-turns">{turnsOf(row)}</span> : null;
}

function hasTurn(row: AlignedPartRow | undefined, turn: number): boolean {
  return row?.left?.turn === turn || row?.right?.turn === turn;
}

function turnsOf({ left, right }: AlignedPartRow): string {
  if (left && right && left.turn === right.turn) return l10n.t('turn {0}', left.turn + 1);
  const one = left ? l10n.t('turn {0} of A', left.turn + 1) : null;
  const other = right ? l10n.t('turn {0} of B', right.turn + 1) : null;
  return [one, other].filter((text) => text !== null).join(', ');
}
