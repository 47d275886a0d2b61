import type { Baseline } from '../../core/baseline.ts';

/** The file of a baseline: keys sorted, and a line for each task, so that a review shows which tasks changed. */
export function baselineText({ tasks, quarantine, identity, columns, ...head }: Baseline): string {
  const entries: [key: string, text: string][] = [
    ...Object.entries(head).flatMap(([key, value]): [string, string][] =>
      value === undefined ? [] : [[key, line(value)]],
    ),
    ...Object.entries({ identity, columns, quarantine, tasks }).flatMap(([key, value]): [string, string][] =>
      value === undefined ? [] : [[key, perLine(value)]],
    ),
  ];
  const sorted = entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{\n${sorted.map(([key, text]) => `  ${JSON.stringify(key)}: ${text}`).join(',\n')}\n}\n`;
}

/** An object with a line for each key, sorted. */
function perLine(value: object): string {
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  if (entries.length === 0) return '{}';
  return `{\n${entries.map(([key, own]) => `    ${JSON.stringify(key)}: ${line(own)}`).join(',\n')}\n  }`;
}

function line(value: unknown): string {
  return JSON.stringify(value);
}
