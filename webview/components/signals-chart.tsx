import { type PointerEvent, useState } from 'react';
import type { Signal } from '../../src/protocol/report.ts';
import { worstOf } from '../buckets.ts';
import { useWidth } from '../hooks/use-width.ts';
import { pathOf, pointsOf } from '../lines.ts';
import { figure } from '../words.ts';

export type SignalsOf = Readonly<{
  signals: readonly Signal[];
  /** Zero-based. */
  selected: number | null;
  onSelect: (turn: number) => void;
}>;

const HEIGHT = 48;
/** Lines are as thick as that, and stay within the drawing. */
const EDGE = 3;
/** With more points than one in so many pixels, the lowest of some stands for them. */
const LEAST = 3;

/** A line for each signal; hovering says the values of a turn, and pressing goes there. */
export function SignalsChart({ signals, selected, onSelect }: SignalsOf) {
  const [element, width] = useWidth<HTMLDivElement>();
  const [hovered, setHovered] = useState<number | null>(null);
  const turns = signals[0]?.values.length ?? 0;
  const shown = hovered ?? selected;
  const names = signals.map(({ metric }) => metric).join(', ');
  const turnAt = ({ clientX, currentTarget }: PointerEvent<Element>): number => {
    const { left, width: wide } = currentTarget.getBoundingClientRect();
    const share = (clientX - left - EDGE) / Math.max(1, wide - 2 * EDGE);
    return Math.min(turns - 1, Math.max(0, Math.round(share * (turns - 1))));
  };
  const xOf = (turn: number): number => EDGE + (turns < 2 ? 0.5 : turn / (turns - 1)) * (width - 2 * EDGE);
  return (
    <div className="chart" ref={element}>
      <Legend signals={signals} turn={shown} />
      {width === 0 || turns === 0 ? null : (
        // The strip and the table do the same for the keyboard.
        <svg
          role="img"
          aria-label={`Lines of ${names} over ${turns} turns; the table says the same.`}
          width={width}
          height={HEIGHT}
          viewBox={`0 0 ${width} ${HEIGHT}`}
          onPointerMove={(event) => setHovered(turnAt(event))}
          onPointerLeave={() => setHovered(null)}
          onPointerUp={(event) => onSelect(turnAt(event))}
        >
          {thresholds(signals).map((y) => (
            <path key={y} className="threshold" d={`M0 ${at(y)}H${width}`} />
          ))}
          {shown === null ? null : <path className="here" d={`M${xOf(shown).toFixed(1)} 0V${HEIGHT}`} />}
          {signals.map((signal, nth) => (
            <Line key={signal.metric} signal={signal} nth={nth} width={width} />
          ))}
        </svg>
      )}
    </div>
  );
}

/** Where a share of the scale stands, from the bottom. */
function at(share: number): number {
  return HEIGHT - EDGE - share * (HEIGHT - 2 * EDGE);
}

/** All that are lines on the same height are one. */
function thresholds(signals: readonly Signal[]): number[] {
  return [
    ...new Set(signals.flatMap((signal) => (signal.threshold === null ? [] : [shareOf(signal, signal.threshold)]))),
  ];
}

function shareOf({ scale, values }: Signal, value: number): number {
  const least = scale?.[0] ?? 0;
  const most = scale?.[1] ?? values.reduce((max: number, one) => Math.max(max, one ?? 0), least + 1);
  return Math.min(1, Math.max(0, (value - least) / (most - least)));
}

function Line({ signal, nth, width }: Readonly<{ signal: Signal; nth: number; width: number }>) {
  const values = worstOf(signal.values, Math.floor(width / LEAST), signal.lowerIsBetter);
  const points = pointsOf(values, (value) => at(shareOf(signal, value)), EDGE, width - EDGE);
  return (
    <g className={`signal nth-${nth}`}>
      <path d={pathOf(points)} />
      {points.map((point) =>
        point !== null && points.length * 4 * EDGE < width ? (
          <circle key={point.x} cx={point.x} cy={point.y} r="2" />
        ) : null,
      )}
    </g>
  );
}

/** Which line is which, and what it says of the turn that is looked at. */
function Legend({ signals, turn }: Readonly<{ signals: readonly Signal[]; turn: number | null }>) {
  return (
    <p className="legend">
      {signals.map(({ metric, values, scale, question }, nth) => {
        const value = turn === null ? null : (values[turn] ?? null);
        return (
          <span key={metric} title={question ?? undefined}>
            <svg className={`signal nth-${nth}`} viewBox="0 0 16 8" aria-hidden="true">
              <path d="M0 4H16" />
            </svg>
            {SHORT.get(metric) ?? metric} <b>{turn === null ? '' : value === null ? '–' : figure(value, scale)}</b>
          </span>
        );
      })}
      {turn === null || signals.length === 0 ? null : <span className="quiet">turn {turn + 1}</span>}
    </p>
  );
}

const SHORT = new Map([
  ['loop_detection', 'loop'],
  ['tool_correctness', 'tools'],
]);
