/** A figure with its interval. */
export interface Estimate {
  readonly value: number | null;
  readonly interval: readonly [low: number, high: number] | null;
}

/** A table of Markdown: the first row is its head. */
export function table(...rows: readonly (readonly string[])[]): string {
  const [head = [], ...body] = rows;
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...body.map(line)].join('\n');
}

export function figure(value: number | null, places = 3): string {
  return value === null ? '–' : value.toFixed(places);
}

export function percent(share: number | null, places = 0): string {
  return share === null ? '–' : `${(share * 100).toFixed(places)} %`;
}

/** `0.712 (0.62 to 0.80)`. */
export function estimate({ value, interval }: Estimate): string {
  return interval ? `${figure(value)} (${figure(interval[0], 2)} to ${figure(interval[1], 2)})` : figure(value);
}

export function percentRange(interval: readonly [low: number, high: number] | null): string {
  return interval ? `${percent(interval[0])} to ${percent(interval[1])}` : '–';
}
