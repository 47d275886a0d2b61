import * as l10n from '@vscode/l10n';
import { type PointerEvent, useState } from 'react';
import type { ReportSignal } from '../../src/protocol/report.ts';
import { toPoints, toSvgPath } from '../chart-lines.ts';
import { formatValue } from '../format.ts';
import { useWidth } from '../hooks/use-width.ts';
import { worstValues } from '../strip-buckets.ts';

export type SignalsViewProps = Readonly<{
  signals: readonly ReportSignal[];
  /** Zero-based. */
  selected: number | null;
  onSelect: (turn: number) => void;
}>;

/** The height of the lines, and of the turn numbers below, in pixels. */
const HEIGHT = 48;
const FOOT = 16;
/** Vertical padding, so that thick lines are not cut off. */
const EDGE = 3;
/** Horizontal padding for the numbers at each side. */
const SIDE = 32;
/** The minimum distance between points, in pixels; denser values are grouped by their worst. */
const MIN_DISTANCE = 3;

/** A line for each signal. Hovering shows the values of a turn; clicking selects it. */
export function SignalsChart({ signals, selected, onSelect }: SignalsViewProps) {
  const [element, width] = useWidth<HTMLDivElement>();
  const [hovered, setHovered] = useState<number | null>(null);
  const turns = signals[0]?.values.length ?? 0;
  const current = hovered ?? selected;
  const names = signals.map(({ metric }) => metric).join(', ');
  const turnAt = ({ clientX, currentTarget }: PointerEvent<Element>): number => {
    const { left, width: wide } = currentTarget.getBoundingClientRect();
    const share = (clientX - left - SIDE) / Math.max(1, wide - 2 * SIDE);
    return Math.min(turns - 1, Math.max(0, Math.round(share * (turns - 1))));
  };
  const xOf = (turn: number): number => SIDE + (turns < 2 ? 0.5 : turn / (turns - 1)) * (width - 2 * SIDE);
  return (
    <div className="chart" ref={element}>
      <Legend signals={signals} turn={current} />
      {width === 0 || turns === 0 ? null : (
        // Keyboard users have the strip and the table.
        <svg
          role="img"
          aria-label={l10n.t('Lines of {0} over {1} turns; also available as a table.', names, turns)}
          width={width}
          height={HEIGHT + FOOT}
          viewBox={`0 0 ${width} ${HEIGHT + FOOT}`}
          onPointerMove={(event) => setHovered(turnAt(event))}
          onPointerLeave={() => setHovered(null)}
          onPointerUp={(event) => onSelect(turnAt(event))}
        >
          <Axes signals={signals} turns={turns} width={width} />
          <Thresholds signals={signals} width={width} />
          {current === null ? null : <path className="here" d={`M${xOf(current).toFixed(1)} 0V${HEIGHT}`} />}
          {signals.map((signal, nth) => (
            <Line key={signal.metric} signal={signal} nth={nth} width={width} />
          ))}
        </svg>
      )}
    </div>
  );
}

/** The y coordinate of a share of the scale. */
function yOf(share: number): number {
  return HEIGHT - EDGE - share * (HEIGHT - 2 * EDGE);
}

/** The ends of the scale, if all lines share one, and the first and last turn. */
function Axes({ signals, turns, width }: Readonly<{ signals: readonly ReportSignal[]; turns: number; width: number }>) {
  const [least, ...others] = new Set(signals.map((signal) => endsOf(signal).join(' to ')));
  const [signal] = signals;
  const ends = signal && least !== undefined && others.length === 0 ? endsOf(signal) : ['', ''];
  const right = width - SIDE;
  return (
    <g>
      <path className="axis" d={`M${SIDE - 4} ${EDGE}V${HEIGHT - 0.5}H${right + 4}`} fill="none" />
      <text className="end" x={SIDE - 8} y={EDGE + 7}>
        {ends[1]}
      </text>
      <text className="end" x={SIDE - 8} y={HEIGHT}>
        {ends[0]}
      </text>
      <text x={SIDE - 4} y={HEIGHT + FOOT - 3}>
        {turns === 1 ? '' : l10n.t('turn {0}', 1)}
      </text>
      <text className="end" x={right + 4} y={HEIGHT + FOOT - 3}>
        {turns.toLocaleString('en')}
      </text>
    </g>
  );
}

/** A dashed line for each threshold, labelled if there is only one. */
function Thresholds({ signals, width }: Readonly<{ signals: readonly ReportSignal[]; width: number }>) {
  const figures = new Map(
    signals.flatMap((signal) => {
      const { threshold, scale } = signal;
      return threshold === null ? [] : [[shareOf(signal, threshold), formatValue(threshold, scale)] as const];
    }),
  );
  return [...figures].map(([share, text]) => (
    <g key={share}>
      <path className="threshold" d={`M${SIDE - 4} ${yOf(share)}H${width - SIDE + 4}`} />
      {figures.size === 1 ? (
        <text x={width - SIDE + 8} y={yOf(share) + 4}>
          {text}
        </text>
      ) : null}
    </g>
  ));
}

/** The labels of the ends of a signal's scale. */
function endsOf(signal: ReportSignal): readonly [string, string] {
  const [least, most] = rangeOf(signal);
  return [formatValue(least, signal.scale), formatValue(most, signal.scale)];
}

function rangeOf({ scale, values }: ReportSignal): readonly [least: number, most: number] {
  const least = scale?.[0] ?? 0;
  return [least, scale?.[1] ?? values.reduce((max: number, value) => Math.max(max, value ?? 0), least + 1)];
}

function shareOf(signal: ReportSignal, value: number): number {
  const [least, most] = rangeOf(signal);
  return Math.min(1, Math.max(0, (value - least) / (most - least)));
}

function Line({ signal, nth, width }: Readonly<{ signal: ReportSignal; nth: number; width: number }>) {
  const values = worstValues(signal.values, Math.floor(width / MIN_DISTANCE), signal.lowerIsBetter);
  const points = toPoints(values, (value) => yOf(shareOf(signal, value)), SIDE, width - SIDE);
  return (
    <g className={`signal nth-${nth}`}>
      <path d={toSvgPath(points)} />
      {points.map((point) =>
        point !== null && points.length * 4 * EDGE < width ? (
          <circle key={point.x} cx={point.x} cy={point.y} r="2" />
        ) : null,
      )}
    </g>
  );
}

/** The name of each line, and its value at the current turn. */
function Legend({ signals, turn }: Readonly<{ signals: readonly ReportSignal[]; turn: number | null }>) {
  return (
    <p className="legend">
      {signals.map(({ metric, values, scale, question }, nth) => {
        const value = turn === null ? null : (values[turn] ?? null);
        return (
          <span key={metric} title={question ?? undefined}>
            <svg className={`signal nth-${nth}`} viewBox="0 0 16 8" aria-hidden="true">
              <path d="M0 4H16" />
            </svg>
            {SHORT_NAMES.get(metric) ?? metric}{' '}
            <b>{turn === null ? '' : value === null ? '–' : formatValue(value, scale)}</b>
          </span>
        );
      })}
      {turn === null || signals.length === 0 ? null : <span className="quiet">{l10n.t('turn {0}', turn + 1)}</span>}
    </p>
  );
}

const SHORT_NAMES = new Map([
  ['loop_detection', l10n.t('loop')],
  ['tool_correctness', l10n.t('tools')],
]);
