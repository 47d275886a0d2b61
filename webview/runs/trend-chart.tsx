import * as l10n from '@vscode/l10n';
import { type KeyboardEvent, useRef } from 'react';
import type { RunTrend, TrendPoint } from '../../src/core/run-trend.ts';
import { toSvgPath } from '../chart-lines.ts';
import { revealHiddenCharacters } from '../hidden-characters.ts';
import { useWidth } from '../hooks/use-width.ts';
import { FLIP_LABELS } from './conclusions.ts';
import { pointFacts } from './point-facts.ts';
import { formatRunTime, formatRunValue, shortCommit } from './run-values.ts';

/** In pixels: the lines, the labels of the runs below, and the figures at the left. */
const HEIGHT = 184;
const FOOT = 36;
const LEFT = 56;
const RIGHT = 16;
/** Room for the marks of changes above the lines. */
const TOP = 24;
/** The width of a label of a run, in pixels; where there is no room, some are left out. */
const LABEL_WIDTH = 72;
/** Up and down is half the length of the strokes at the end of an interval. */
const CAP = 4;

type TrendChartProps = Readonly<{
  trend: RunTrend;
  /** The id of the chosen run. */
  current: string | null;
  onChoose: (run: string) => void;
}>;

const STEPS: ReadonlyMap<string, number> = new Map([
  ['ArrowRight', 1],
  ['ArrowLeft', -1],
  ['Home', Number.NEGATIVE_INFINITY],
  ['End', Number.POSITIVE_INFINITY],
]);

/** A value per run with its interval. The arrow keys move between the runs. */
export function TrendChart({ trend, current, onChoose }: TrendChartProps) {
  const [element, width] = useWidth<HTMLDivElement>();
  const svg = useRef<SVGSVGElement>(null);
  const { points, segments, changes, subject } = trend;
  const [low, high] = rangeOf(trend);
  const inner = Math.max(0, width - LEFT - RIGHT);
  const xOf = (index: number): number => LEFT + (points.length < 2 ? 0.5 : (index + 0.5) / points.length) * inner;
  const yOf = (value: number): number => TOP + (1 - (value - low) / (high - low)) * (HEIGHT - TOP - 8);
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = STEPS.get(event.key);
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const at = points.findIndex(({ run }) => run === current);
    const next = Math.min(points.length - 1, Math.max(0, at + step));
    const chosen = points[next];
    if (!chosen) return;
    onChoose(chosen.run);
    svg.current?.querySelectorAll<SVGGElement>('.trend-point')[next]?.focus();
  };
  const every = Math.max(1, Math.ceil((points.length * LABEL_WIDTH) / Math.max(1, inner)));
  const format = (value: number) => formatRunValue(value, subject.unit, subject.scale);
  return (
    <div className="trend-chart" ref={element}>
      {width === 0 ? null : (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be in a drawing
        <svg
          ref={svg}
          role="group"
          aria-label={l10n.t('{0} over {1} runs; also available as a table.', subject.name, points.length)}
          width={width}
          height={HEIGHT + FOOT}
          viewBox={`0 0 ${width} ${HEIGHT + FOOT}`}
          onKeyDown={onKeyDown}
        >
          {/* biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it can be focused */}
          <g aria-hidden="true">
            {[high, (low + high) / 2, low].map((value) => (
              <g key={value}>
                <path className="grid-line" d={`M${LEFT} ${yOf(value)}H${width - RIGHT}`} />
                <text className="end" x={LEFT - 8} y={yOf(value) + 4}>
                  {format(value)}
                </text>
              </g>
            ))}
            {subject.threshold === null ? null : (
              <g>
                <path className="threshold" d={`M${LEFT} ${yOf(subject.threshold)}H${width - RIGHT}`} />
                <text className="end" x={width - RIGHT} y={yOf(subject.threshold) - 4}>
                  {l10n.t('threshold {0}', format(subject.threshold))}
                </text>
              </g>
            )}
            {segments.map(({ from, to }) => (
              <g key={from}>
                {from === 0 ? null : (
                  <path className="break" d={`M${(xOf(from - 1) + xOf(from)) / 2} ${TOP - 8}V${HEIGHT}`} />
                )}
                <path
                  className="trend-line"
                  d={toSvgPath(
                    points
                      .slice(from, to + 1)
                      .map(({ value }, at) => (value === null ? null : { x: xOf(from + at), y: yOf(value) })),
                  )}
                />
              </g>
            ))}
            {points.map((point, index) =>
              (points.length - 1 - index) % every === 0 ? (
                <RunLabel key={point.run} point={point} x={xOf(index)} />
              ) : null,
            )}
          </g>
          {points.map((point, index) => {
            const change = changes.find(({ at }) => at === index);
            return (
              <ChartPoint
                key={point.run}
                trend={trend}
                point={point}
                change={change}
                x={xOf(index)}
                yOf={yOf}
                isCurrent={point.run === current}
                onChoose={onChoose}
              />
            );
          })}
        </svg>
      )}
    </div>
  );
}

/** When a run was, else its name; below it its commit and the version of the agent. */
function RunLabel({ point, x }: Readonly<{ point: TrendPoint; x: number }>) {
  const { git, agentVersion, startedAt, name } = point;
  const below = [git ? shortCommit(git.commit) : null, agentVersion].filter((text) => text !== null && text !== '');
  return (
    <g className="run-label">
      <text x={x} y={HEIGHT + 14}>
        {cut(below[0] ?? name ?? formatRunTime(startedAt))}
      </text>
      <text x={x} y={HEIGHT + 30}>
        {cut(below[1] ?? '')}
      </text>
    </g>
  );
}

function cut(text: string): string {
  const shown = revealHiddenCharacters(text);
  return shown.length > 10 ? `${shown.slice(0, 9)}…` : shown;
}

type ChartPointProps = Readonly<{
  trend: RunTrend;
  point: TrendPoint;
  change: RunTrend['changes'][number] | undefined;
  x: number;
  yOf: (value: number) => number;
  isCurrent: boolean;
  onChoose: (run: string) => void;
}>;

function ChartPoint({ trend, point, change, x, yOf, isCurrent, onChoose }: ChartPointProps) {
  const { value, interval, complete } = point;
  const y = value === null ? HEIGHT - 8 : yOf(value);
  const label = change ? FLIP_LABELS[change.conclusion] : null;
  const sentence = [
    point.name ?? formatRunTime(point.startedAt),
    ...pointFacts(trend, point),
    ...(change && label ? [`${label.word}: ${change.text}`] : []),
  ].join(', ');
  return (
    // biome-ignore lint/a11y/useSemanticElements: a button cannot be in a drawing
    <g
      className={`trend-point ${complete ? '' : 'incomplete'}`}
      role="button"
      aria-pressed={isCurrent}
      aria-label={revealHiddenCharacters(sentence)}
      tabIndex={isCurrent ? 0 : -1}
      onClick={() => onChoose(point.run)}
      onFocus={() => onChoose(point.run)}
    >
      <title>{revealHiddenCharacters(sentence)}</title>
      <rect className="hit" x={x - 10} y={TOP - 16} width={20} height={HEIGHT - TOP + 16} />
      {interval === null ? null : (
        <path
          className="interval"
          d={`M${x} ${yOf(interval[0])}V${yOf(interval[1])} M${x - CAP} ${yOf(interval[0])}h${2 * CAP} M${x - CAP} ${yOf(interval[1])}h${2 * CAP}`}
        />
      )}
      {value === null ? (
        <path className="no-value-mark" d={`M${x - 3} ${y - 3}l6 6m0 -6l-6 6`} />
      ) : (
        <circle cx={x} cy={y} r="3.5" />
      )}
      {label === null ? null : (
        <g className={`change ${label.tone}`}>
          <path d={change?.conclusion === 'worse' ? `M${x - 5} 3h10l-5 8z` : `M${x - 5} 11h10l-5 -8z`} />
          <text x={x + 9} y={11}>
            {label.word}
          </text>
        </g>
      )}
    </g>
  );
}

/** The values of the axis: the whole scale of scores and shares, else from 0 to the largest. */
function rangeOf({ points, subject }: RunTrend): readonly [number, number] {
  const { unit, scale, threshold } = subject;
  const values = points.flatMap(({ value, interval }) => [...(value === null ? [] : [value]), ...(interval ?? [])]);
  const [low, high] = [Math.min(0, ...values), Math.max(threshold ?? 0, ...values)];
  if (unit === 'share') return [0, 1];
  if (scale && scale[1] !== null) return [scale[0], scale[1]];
  return [low, high > low ? high : low + 1];
}
