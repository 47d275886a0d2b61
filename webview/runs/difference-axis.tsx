import type { ShapeStyle } from '../components/shape-icon.tsx';

const WIDTH = 136;
const HEIGHT = 16;
/** Room for the shape at both ends, in pixels. */
const EDGE = 6;

type DifferenceAxisProps = Readonly<{
  /** Positive is better. */
  difference: number;
  interval: readonly [number, number];
  /** The value at the right end; the left end is its negative. */
  end: number;
  tone: ShapeStyle['tone'];
}>;

/** A difference and its interval around zero. The figures stand beside it. */
export function DifferenceAxis({ difference, interval: [low, high], end, tone }: DifferenceAxisProps) {
  const xOf = (value: number): number => {
    const share = end === 0 ? 0 : Math.max(-1, Math.min(1, value / end));
    return WIDTH / 2 + share * (WIDTH / 2 - EDGE);
  };
  const [from, to, at, middle] = [xOf(low), xOf(high), xOf(difference), HEIGHT / 2];
  return (
    <svg className={`difference ${tone}`} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      <path className="zero" d={`M${WIDTH / 2} 0V${HEIGHT}`} />
      <path d={`M${from} ${middle}H${to} M${from} ${middle - 4}v8 M${to} ${middle - 4}v8`} />
      <circle cx={at} cy={middle} r="3.5" className={low > 0 || high < 0 ? 'sure' : ''} />
    </svg>
  );
}

/** A difference where positive is better. */
export function improvementOf(difference: number, lowerIsBetter: boolean): number {
  return lowerIsBetter ? -difference : difference;
}
