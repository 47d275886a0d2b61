import type { ResultsByMetric, SessionReport } from '../../core/report.ts';
import type { Result } from '../../core/result.ts';
import { severityOfLabel } from '../../core/severity.ts';
import { turnsCoverage } from '../../report-model/run-coverage.ts';
import { formatScore } from '../../report-model/score-text.ts';
import { keyScore } from '../../report-model/session-order.ts';
import { shortfalls } from '../../report-model/shortfall.ts';
import { sanitizeLine, truncate, width } from '../terminal-text.ts';
import { shortfallText } from './shortfall.ts';
import type { TableStyle } from './style.ts';

const INDENT = '  ';
const GAP = '   ';

/** The session's own scores, without means over its turns and without the score in its header. */
export function* ownScoreLines(session: SessionReport, style: TableStyle): Generator<string> {
  const isMean = createMeanTest(session);
  const own = scoredMetrics(session).filter(([name]) => !isMean(name));
  yield* flowLines(
    own.map(([name, result]) => ({ text: `${sanitizeLine(name)} ${valueText(result)}`, bad: result.passed === false })),
    style,
  );
}

/**
 * The scores of a judged session, including means over its turns. Scores below their threshold come first, with the
 * threshold. A mean gives its number of turns if not all were scored.
 *
 * @param listed names of the metrics that are printed elsewhere.
 * @param most limit of the lines for scores that pass.
 */
export function* scoreLines(
  session: SessionReport,
  listed: ReadonlySet<string>,
  most: number,
  style: TableStyle,
): Generator<string> {
  const isMean = createMeanTest(session);
  const metrics = scoredMetrics(session).filter(
    ([name, result]) => !listed.has(name) && (!isMean(name) || isRelevantMean(name, result, session)),
  );
  const of = (name: string) => (isMean(name) ? coverageText(name, session) : '');
  const short = shortfalls(Object.fromEntries(metrics));
  yield* flowLines(
    short.map((shortfall) => ({ text: `${shortfallText(shortfall)}${of(shortfall.metric)}`, bad: true })),
    style,
  );
  const fine = metrics
    .filter(([, { passed }]) => passed !== false)
    .sort(([a], [b]) => Number(isMean(b)) - Number(isMean(a)));
  yield* flowLines(
    fine.map(([name, result]) => ({ text: `${sanitizeLine(name)} ${valueText(result)}${of(name)}`, bad: false })),
    style,
    most,
  );
}

function createMeanTest({ turns }: SessionReport): (name: string) => boolean {
  const ofTurns = new Set(turns.flatMap(({ metrics }) => Object.keys(metrics)));
  return (name) => ofTurns.has(name);
}

function scoredMetrics(session: SessionReport): (readonly [string, Result])[] {
  const key = keyScore(session)?.metric;
  return Object.entries(session.metrics).filter(
    ([name, { implied, status }]) => name !== key && !implied && status === 'scored',
  );
}

/** Labels of failures are printed by turn. Means without a threshold, such as a number of calls, are left out. */
function isRelevantMean(name: string, { label, threshold }: Result, { turns }: SessionReport): boolean {
  if (name === 'turn_risk' || (label !== null && severityOfLabel(label) !== null)) return false;
  return threshold !== null || turns.some(({ metrics }) => resultNamed(metrics, name)?.judge !== undefined);
}

function valueText({ score, label, scale }: Result): string {
  return score === null ? sanitizeLine(label ?? '') : formatScore(score, scale);
}

/** ` (2 of 5)`: scored turns of the turns to score; empty if all were scored. */
function coverageText(name: string, { turns }: SessionReport): string {
  const { scored, of } = turnsCoverage(turns, name);
  return scored === of ? '' : ` (${scored} of ${of})`;
}

function resultNamed(metrics: ResultsByMetric, name: string): Result | undefined {
  return Object.hasOwn(metrics, name) ? metrics[name] : undefined;
}

interface ScoreItem {
  readonly text: string;
  readonly bad: boolean;
}

/** Scores side by side, on a limited number of lines. */
function* flowLines(
  figures: readonly ScoreItem[],
  style: TableStyle,
  most = Number.POSITIVE_INFINITY,
): Generator<string> {
  const columns = style.columns - INDENT.length;
  const lines: ScoreItem[][] = [];
  let room = 0;
  for (const { text, bad } of figures) {
    const cell = { text: truncate(text, columns), bad };
    const needed = GAP.length + width(cell.text);
    if (needed > room) {
      lines.push([]);
      room = columns + GAP.length;
    }
    lines.at(-1)?.push(cell);
    room -= needed;
  }
  for (const line of lines.slice(0, most)) {
    yield `${INDENT}${line.map(({ text, bad }) => style.paint(text, bad ? 'bad' : 'quiet')).join(GAP)}`;
  }
  const left = lines.slice(most).flat().length;
  if (left > 0) yield `${INDENT}${style.paint(`and ${left} more`, 'quiet')}`;
}
