export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Spreads values evenly between two x positions; a missing value has no point. */
export function toPoints(
  values: readonly (number | null)[],
  yOf: (value: number) => number,
  from: number,
  to: number,
): (Point | null)[] {
  const step = values.length < 2 ? 0 : (to - from) / (values.length - 1);
  const first = values.length < 2 ? (from + to) / 2 : from;
  return values.map((value, index) => (value === null ? null : { x: first + index * step, y: yOf(value) }));
}

/** An SVG path through the points, interrupted by missing ones. An isolated point becomes a dot. */
export function toSvgPath(points: readonly (Point | null)[]): string {
  let path = '';
  for (const [index, point] of points.entries()) {
    if (!point) continue;
    const isFirst = !points[index - 1];
    path += `${isFirst ? 'M' : 'L'}${point.x.toFixed(1)} ${point.y.toFixed(1)}`;
    if (isFirst && !points[index + 1]) path += 'h0.01';
  }
  return path;
}
