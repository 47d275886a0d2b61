import * as l10n from '@vscode/l10n';
import { type KeyboardEvent, memo, useMemo } from 'react';
import type { ProblemStrip as Turns } from '../../src/protocol/report.ts';
import { formatCount, SEVERITY_TONES } from '../format.ts';
import { useWidth } from '../hooks/use-width.ts';
import { toBuckets } from '../strip-buckets.ts';
import { ShapeIcon } from './shape-icon.tsx';

/** Widths in pixels: of a digit, of a mark, of a turn without its number and marks, and of a group of turns. */
const DIGIT = 8;
const MARK = 16;
const TURN = 20;
const GROUP = 12;

type SelectProblem = (turn: number, position: number | null) => void;

type ProblemStripProps = Readonly<{ strip: Turns; selected: number | null; onSelect: SelectProblem }>;

/** One mark per problem in the order of turns, or one per group of turns where there is no room. */
export function ProblemStripView({ strip, selected, onSelect }: ProblemStripProps) {
  const [element, width] = useWidth<HTMLDivElement>();
  const hasRoom = useMemo(() => needsWidth(strip) <= width, [strip, width]);
  return (
    <section className="strip" aria-label={l10n.t('Problem strip')}>
      <div
        role="toolbar"
        aria-label={l10n.t('Problems by turn')}
        className={hasRoom ? 'marks' : 'groups-of-turns'}
        ref={element}
        onKeyDown={moveFocus}
      >
        {width === 0 ? null : hasRoom ? (
          <TurnMarks strip={strip} selected={selected} onSelect={onSelect} />
        ) : (
          <TurnGroups strip={strip} width={width} selected={selected} onSelect={onSelect} />
        )}
      </div>
    </section>
  );
}

function needsWidth({ turns, problems, marks }: Turns): number {
  const count = problems.reduce((sum, one) => sum + one, 0);
  // Not all problems have a mark.
  if (count > marks.length) return Number.POSITIVE_INFINITY;
  return turns * (TURN + DIGIT * String(turns).length) + count * MARK;
}

/** The number of each turn, and a mark for each of its problems. */
const TurnMarks = memo(function TurnMarks({ strip, selected, onSelect }: ProblemStripProps) {
  const marks = useMemo(() => Map.groupBy(strip.marks, ({ turn }) => turn), [strip.marks]);
  const stop = selected ?? 0;
  return Array.from({ length: strip.turns }, (_, turn) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a turn is identified by its index.
    <span key={turn} className="turn-marks" data-current={turn === selected || undefined}>
      <button
        type="button"
        aria-label={turnLabel(strip, turn)}
        aria-current={turn === selected || undefined}
        title={turnLabel(strip, turn)}
        tabIndex={turn === stop ? 0 : -1}
        onClick={() => onSelect(turn, null)}
      >
        {turn + 1}
        {marks.has(turn) ? null : <TurnState state={strip.coverage[turn] ?? 'waiting'} />}
      </button>
      {(marks.get(turn) ?? []).map(({ severity }, position) => (
        <button
          // biome-ignore lint/suspicious/noArrayIndexKey: a problem is identified by its position in the turn.
          key={position}
          type="button"
          className="mark-button"
          aria-label={l10n.t('Problem {0} of turn {1}, {2}', position + 1, turn + 1, severity)}
          title={l10n.t('Problem {0} of turn {1}, {2}', position + 1, turn + 1, severity)}
          tabIndex={-1}
          onClick={() => onSelect(turn, position)}
        >
          <ShapeIcon
            shape={severity === 'low' || severity === 'medium' ? 'bang' : 'cross'}
            tone={SEVERITY_TONES[severity]}
          />
        </button>
      ))}
    </span>
  ));
});

/** A dot for a turn without problems. */
function TurnState({ state }: Readonly<{ state: Turns['coverage'][number] }>) {
  if (state === 'failed') return <ShapeIcon shape="question" tone="doubtful" />;
  return <ShapeIcon shape={state === 'waiting' ? 'circle' : 'dot'} tone="quiet" />;
}

function turnLabel({ problems, coverage }: Turns, turn: number): string {
  return [l10n.t('Turn {0}', turn + 1), ...stateLabels(problems[turn] ?? 0, coverage[turn] ?? 'waiting')].join(', ');
}

function stateLabels(problems: number, coverage: Turns['coverage'][number]): string[] {
  return [
    formatCount(problems, 'problem'),
    ...(coverage === 'waiting' ? [l10n.t('evaluating')] : []),
    ...(coverage === 'failed' ? [l10n.t('judge error')] : []),
  ];
}

/** A cell per group of turns, with the number of a turn where there is room. A click goes to the turn with the worst problem. */
const TurnGroups = memo(function TurnGroups({
  strip,
  width,
  selected,
  onSelect,
}: ProblemStripProps & Readonly<{ width: number }>) {
  const buckets = useMemo(() => toBuckets(strip, 0, strip.turns, Math.floor(width / GROUP)), [strip, width]);
  const isNumbered = strip.turns * (MARK + DIGIT * String(strip.turns).length) <= width;
  const current = buckets.findIndex(({ first, last }) => selected !== null && first <= selected && selected <= last);
  return buckets.map(({ first, last, worst, problems, severity, coverage }, index) => {
    const turns = first === last ? l10n.t('Turn {0}', first + 1) : l10n.t('Turns {0} to {1}', first + 1, last + 1);
    const label = [turns, ...stateLabels(problems, coverage)].join(', ');
    return (
      <button
        key={first}
        type="button"
        aria-label={label}
        aria-current={index === current || undefined}
        title={label}
        tabIndex={index === Math.max(0, current) ? 0 : -1}
        onClick={() => onSelect(worst, problems > 0 ? 0 : null)}
      >
        {isNumbered ? <span className="quiet">{first + 1}</span> : null}
        {severity === null ? (
          <TurnState state={coverage} />
        ) : (
          <ShapeIcon
            shape={severity === 'low' || severity === 'medium' ? 'bang' : 'cross'}
            tone={SEVERITY_TONES[severity]}
          />
        )}
      </button>
    );
  });
});

const STEPS: ReadonlyMap<string, number> = new Map([
  ['ArrowLeft', -1],
  ['ArrowRight', 1],
  ['Home', Number.NEGATIVE_INFINITY],
  ['End', Number.POSITIVE_INFINITY],
]);

/** The strip is one tab stop; arrow keys move within it, Enter and a click go to a problem. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = STEPS.get(event.key);
  if (step === undefined) return;
  event.preventDefault();
  const buttons = [...event.currentTarget.querySelectorAll('button')];
  const at = buttons.findIndex((button) => button.matches(':focus'));
  buttons[Math.min(buttons.length - 1, Math.max(0, at + step))]?.focus();
}
