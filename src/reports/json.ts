import type { CompactSession, Report, SessionReport } from '../core/report.ts';
import { escapeInvisible } from '../core/sanitize.ts';
import { redactJsonValue } from '../core/secrets.ts';
import { sessionCompactor } from './compact.ts';
import type { ReportWriter } from './report-writer.ts';

/** The report for programs: the shape of `src/core/report.ts`. */
export const jsonReport: ReportWriter = {
  name: 'json',
  title: 'the whole report, for programs',
  extension: '.json',
  mediaType: 'application/json',
  write: (report, { compact }) => jsonChunks(report, compact),
};

/**
 * The JSON report in pieces, so that no run is too large for one string: a key per line, and an element of a list per
 * line. Joined, they are what `JSON.parse` reads as the report.
 *
 * @param compact leaves out of sessions the results that say nothing, and names their metrics, and empty keys of results.
 */
export function* jsonChunks(report: Report, compact = false): Generator<string> {
  const shown = compact ? sessionCompactor(report) : (session: SessionReport) => session;
  let separator = '{\n';
  for (const [key, value] of Object.entries(report)) {
    yield `${separator}  ${JSON.stringify(key)}: `;
    if (key === 'sessions') yield* listChunks(report.sessions, (session) => sessionChunks(shown(session)));
    else if (Array.isArray(value)) yield* listChunks(value, elementChunks);
    else yield toJson(value);
    separator = ',\n';
  }
  yield '\n}\n';
}

function* listChunks<T>(items: readonly T[], chunks: (item: T) => Iterable<string>): Generator<string> {
  if (items.length === 0) {
    yield '[]';
    return;
  }
  let separator = '[\n    ';
  for (const item of items) {
    yield separator;
    yield* chunks(item);
    separator = ',\n    ';
  }
  yield '\n  ]';
}

function* elementChunks(item: unknown): Generator<string> {
  yield toJson(item);
}

function* sessionChunks({ turns, ...session }: CompactSession | SessionReport): Generator<string> {
  yield `${toJson(session).slice(0, -1)},"turns":[`;
  for (const [index, turn] of turns.entries()) yield `${index === 0 ? '\n      ' : ',\n      '}${toJson(turn)}`;
  yield ']}';
}

function toJson(value: unknown): string {
  return escapeInvisible(JSON.stringify(value, redactJsonValue));
}
