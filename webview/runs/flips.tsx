import * as l10n from '@vscode/l10n';
import { type KeyboardEvent, useCallback, useMemo, useState } from 'react';
import type { Flip } from '../../src/core/run-comparison.ts';
import { PlainText } from '../components/rich-text.tsx';
import { ShapeIcon } from '../components/shape-icon.tsx';
import { VirtualList } from '../components/virtual-list.tsx';
import { HEADLINE_STYLES, SEVERITY_LABELS, SEVERITY_TONES } from '../format.ts';
import { ROW_KEYS, useRowFocus } from '../hooks/use-row-focus.ts';
import { TraceText } from '../overview/trace-text.tsx';
import { FLIP_LABELS } from './conclusions.ts';
import { locationOf } from './run-values.ts';

const DIRECTIONS = ['worse', 'better', 'unclear'] as const satisfies readonly Flip['direction'][];
/** The height of a row that was never rendered, in pixels. */
const ROW_HEIGHT = 64;
const STEPS: ReadonlyMap<string, number> = new Map([...ROW_KEYS, ['j', 1], ['k', -1]]);

type FlipsProps = Readonly<{
  flips: readonly Flip[];
  /** That no session changed; null where one did. */
  unchanged: string | null;
  isShown: boolean;
  onOpen: (before: Flip['before'], after: Flip['after']) => void;
}>;

/** The sessions whose verdict or outcome changed, the worst first. */
export function Flips({ flips, unchanged, isShown, onOpen }: FlipsProps) {
  const [direction, setDirection] = useState<Flip['direction'] | null>(null);
  const keys = useMemo(
    () => flips.flatMap((flip, index) => (direction === null || flip.direction === direction ? [index] : [])),
    [flips, direction],
  );
  const [position, goTo] = useRowFocus(
    isShown ? keys.length : 0,
    useCallback((at: number) => flipId(keys[at] ?? 0), [keys]),
  );
  const current = keys[position] ?? 0;
  const pinned = useMemo(() => [current], [current]);
  if (flips.length === 0) {
    return (
      <p className="nothing">
        <PlainText text={unchanged ?? ''} />
      </p>
    );
  }
  const open = (index: number): void => {
    const flip = flips[index];
    goTo(keys.indexOf(index), 'mark');
    if (flip) onOpen(flip.before, flip.after);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = STEPS.get(event.key);
    if (event.key !== 'Enter' && step === undefined) return;
    event.preventDefault();
    if (step === undefined) open(current);
    else goTo(Math.min(keys.length - 1, Math.max(0, position + step)), 'focus');
  };
  return (
    <>
      <fieldset className="kinds flip-filter" aria-label={l10n.t('Filter by change')}>
        {DIRECTIONS.map((one) => {
          const count = flips.filter((flip) => flip.direction === one).length;
          if (count === 0) return null;
          const { word, shape, tone } = FLIP_LABELS[one];
          return (
            <button
              key={one}
              type="button"
              className="chip"
              aria-pressed={direction === one}
              onClick={() => setDirection(direction === one ? null : one)}
            >
              <ShapeIcon shape={shape} tone={tone} /> <b>{count.toLocaleString('en')}</b> {word.toLowerCase()}
            </button>
          );
        })}
      </fieldset>
      {/* biome-ignore lint/a11y/useSemanticElements: rows of a virtual list are no table rows */}
      <div
        role="grid"
        tabIndex={-1}
        className="flips"
        aria-label={l10n.t('Changed sessions')}
        aria-rowcount={keys.length}
        onKeyDown={onKeyDown}
      >
        <VirtualList
          keys={keys}
          estimate={ROW_HEIGHT}
          pinned={pinned}
          role="rowgroup"
          label={l10n.t('Changed sessions')}
        >
          {(index, at) => {
            const flip = flips[index];
            return flip ? (
              <FlipRow flip={flip} index={index} position={at} isCurrent={index === current} onOpen={open} />
            ) : null;
          }}
        </VirtualList>
      </div>
    </>
  );
}

function flipId(index: number): string {
  return `flip-${index}`;
}

type FlipRowProps = Readonly<{
  flip: Flip;
  index: number;
  position: number;
  isCurrent: boolean;
  onOpen: (index: number) => void;
}>;

function FlipRow({ flip, index, position, isCurrent, onOpen }: FlipRowProps) {
  const { task, direction, before, after, attempts } = flip;
  const { word, shape, tone } = FLIP_LABELS[direction];
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list handles keys
    // biome-ignore lint/a11y/useSemanticElements: as the rows of the sessions overview
    <div
      id={flipId(index)}
      role="row"
      className="flip"
      aria-rowindex={position + 1}
      tabIndex={isCurrent ? 0 : -1}
      onClick={() => onOpen(index)}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: cells of a virtual list are no table cells */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: the focus is in the row */}
      <div role="gridcell" className="flip-word">
        <span className={`item ${tone}`}>
          <ShapeIcon shape={shape} tone={tone} />
          {word}
        </span>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: cells of a virtual list are no table cells */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: the focus is in the row */}
      <div role="gridcell" className="flip-name">
        <TraceText text={task ?? after.id} className="name" />
        <span className="quiet flip-facts">
          {after.trial === null ? null : <TraceText text={l10n.t('attempt {0}', after.trial)} />}
          {attempts === null ? null : (
            <span>
              {l10n.t(
                '{0} of {1} → {2} of {3} attempts',
                attempts.before.correct,
                attempts.before.of,
                attempts.after.correct,
                attempts.after.of,
              )}
            </span>
          )}
          <TraceText text={locationOf(after)} />
        </span>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: cells of a virtual list are no table cells */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: the focus is in the row */}
      <div role="gridcell" className="flip-headlines">
        <SessionHeadline session={before} label={l10n.t('before')} />
        <SessionHeadline session={after} label={l10n.t('after')} />
      </div>
    </div>
  );
}

function SessionHeadline({ session, label }: Readonly<{ session: Flip['before']; label: string }>) {
  const { headline, severity } = session;
  return (
    <span className="item">
      <span className="quiet flip-side">{label}</span>
      <ShapeIcon {...HEADLINE_STYLES[headline.kind]} />
      <TraceText text={headline.text} />
      {severity === null ? null : <span className={SEVERITY_TONES[severity]}>{SEVERITY_LABELS[severity]}</span>}
    </span>
  );
}
