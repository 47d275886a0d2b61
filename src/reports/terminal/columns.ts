import { padEnd, truncate, width } from '../terminal-text.ts';
import type { TableStyle } from './style.ts';

/** Width of a metric's column in the rows of turns. */
export const METRIC_WIDTH = 16;

/** Names of metrics as column headings; long names wrap at underscores. */
export function* metricHeadings(
  metrics: readonly string[],
  withRisk: boolean,
  indent: number,
  style: TableStyle,
): Generator<string> {
  const names = metrics.map((name) => wrapMetricName(name, METRIC_WIDTH));
  const height = Math.max(withRisk ? 1 : 0, ...names.map((lines) => lines.length));
  for (let row = 0; row < height; row += 1) {
    const cells = names.map((lines) => `  ${padEnd(lines[lines.length - height + row] ?? '', METRIC_WIDTH)}`).join('');
    const last = withRisk && row === height - 1 ? '  risk' : '';
    yield style.paint(`${' '.repeat(indent)}${cells}${last}`.trimEnd(), 'quiet');
  }
}

function wrapMetricName(name: string, columns: number): string[] {
  const lines: string[] = [];
  for (const word of name.split(/(?<=_)/)) {
    const last = lines.at(-1);
    if (last !== undefined && width(last + word) <= columns) lines[lines.length - 1] = last + word;
    else lines.push(truncate(word, columns));
  }
  return lines;
}
