import * as l10n from '@vscode/l10n';
import { type KeyboardEvent, memo } from 'react';
import { formatCount, riskTone } from '../format.ts';
import type { Bucket } from '../strip-buckets.ts';

const STEPS: ReadonlyMap<string, number> = new Map([
  ['ArrowLeft', -1],
  ['ArrowRight', 1],
  ['Home', Number.NEGATIVE_INFINITY],
  ['End', Number.POSITIVE_INFINITY],
]);

type StripRowProps = Readonly<{
  label: string;
  size: 'wide' | 'narrow' | 'least';
  buckets: readonly Bucket[];
  selected: number | null;
  onSelect: (turn: number) => void;
}>;

/** A row of cells. The row is one tab stop; arrow keys move between cells. */
export function StripRow({ label, size, buckets, selected, onSelect }: StripRowProps) {
  const current =
    selected === null ? -1 : buckets.findIndex(({ first, last }) => first <= selected && selected <= last);
  const stop = Math.max(0, current);
  const move = (event: KeyboardEvent<HTMLElement>): void => {
    const step = STEPS.get(event.key);
    if (step === undefined) return;
    event.preventDefault();
    const next = Math.min(buckets.length - 1, Math.max(0, stop + step));
    const bucket = buckets[next];
    if (bucket) onSelect(bucket.worst);
    const cell = event.currentTarget.children.item(next);
    if (cell instanceof HTMLElement) cell.focus();
  };
  return (
    <div role="toolbar" aria-label={label} className={`cells ${size}`} onKeyDown={move}>
      {buckets.map((bucket, index) => (
        <StripCell
          key={bucket.first}
          bucket={bucket}
          hasNumber={size === 'wide'}
          isSelected={index === current}
          isStop={index === stop}
          onSelect={onSelect}
        />
      ))}
    </div>
  );
}

type StripCellProps = Readonly<{ bucket: Bucket; hasNumber: boolean; isSelected: boolean; isStop: boolean }> &
  Pick<StripRowProps, 'onSelect'>;

const WIDTH = 16;
const HEIGHT = 24;
/** The minimum height of a bar, so that a risk of zero is visible. */
const MIN_HEIGHT = 2;

const StripCell = memo(function StripCell({ bucket, hasNumber, isSelected, isStop, onSelect }: StripCellProps) {
  const { worst, risk, mean, reason, problems, severity, coverage } = bucket;
  const isOne = bucket.first === bucket.last;
  const name = nameOf(bucket);
  return (
    <button
      type="button"
      aria-label={name}
      aria-current={isSelected || undefined}
      title={reason === null ? name : `${name}\n${reason}`}
      tabIndex={isStop ? 0 : -1}
      onClick={() => onSelect(worst)}
    >
      <svg
        className={coverage === 'waiting' ? 'waiting' : risk === null ? 'unknown' : riskTone(risk)}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        <Bar of={risk} className={isOne ? '' : 'worst'} />
        {isOne ? null : <Bar of={mean} />}
      </svg>
      {problems > 0 ? (
        <svg className={`failed ${severity ?? ''}`} viewBox="0 0 8 8" aria-hidden="true">
          <path d="M1 1l6 6m0-6l-6 6" />
        </svg>
      ) : coverage === 'failed' ? (
        <svg className="failed high" viewBox="0 0 8 8" aria-hidden="true">
          <path d="M4 0v5m0 1.5v1.5" />
        </svg>
      ) : null}
      {hasNumber ? <span aria-hidden="true">{worst + 1}</span> : null}
    </button>
  );
});

function Bar({ of, className }: Readonly<{ of: number | null; className?: string }>) {
  const height = of === null ? HEIGHT - 1 : MIN_HEIGHT + (HEIGHT - MIN_HEIGHT) * of;
  return <rect className={className} y={HEIGHT - height} width={WIDTH} height={height} />;
}

function nameOf({ first, last, worst, risk, mean, problems, coverage }: Bucket): string {
  const isOne = first === last;
  const figure = risk === null ? l10n.t('no risk score') : l10n.t('risk {0}', risk.toFixed(2));
  return [
    isOne ? l10n.t('Turn {0}', first + 1) : l10n.t('Turns {0} to {1}', first + 1, last + 1),
    isOne || risk === null ? figure : l10n.t('up to {0} in turn {1}', figure, worst + 1),
    ...(isOne || mean === null ? [] : [l10n.t('mean {0}', mean.toFixed(2))]),
    ...(problems === 0 ? [] : [formatCount(problems, 'problem')]),
    ...(coverage === 'waiting' ? [l10n.t('evaluating')] : []),
    ...(coverage === 'failed' ? [l10n.t('judge error')] : []),
  ].join(', ');
}
