import type { BestOf, Criterion, JudgeUsageTotals } from '../app/best-of.ts';
import { pluralize } from '../core/text/pluralize.ts';
import { usageText } from '../reports/model-usage.ts';
import { padEnd, padStart, sanitizeLine, width } from '../reports/terminal-text.ts';
import type { Game, Match } from '../runs/best-of/tournament.ts';

/** A tournament for a person: who is best, the ranking, then every match. */
export function bestOfText(best: BestOf, { verbose }: { readonly verbose: boolean }): string {
  const names = best.runs.map(({ label }) => sanitizeLine(label));
  const lines = [
    headline(best, names),
    `Criterion of ${best.criterion.metric}: ${sanitizeLine(best.criterion.text)}`,
    `Judge: ${sanitizeLine(best.judge)}, each pair in both orders; ${usageText(best.usage)}.`,
    '',
    ...rankingLines(best, names),
    ...best.matches.flatMap((match) => ['', ...matchLines(match, best, names, verbose)]),
  ];
  return `${lines.join('\n')}\n`;
}

/** What a tournament would cost. */
export function bestOfDryRunText({ metric }: Criterion, usage: JudgeUsageTotals): string {
  return `Plan: the best by ${metric}, about ${usageText(usage)}. No model is called.\nTokens are an estimate. Reasoning tokens and retries are not included.\n`;
}

function headline({ best, isClear, criterion: { metric }, matches }: BestOf, names: readonly string[]): string {
  if (matches.every(({ games }) => games.length === 0)) return 'Nothing to compare: the runs have no tasks in common.';
  if (matches.every(({ games, unanswered }) => games.length === unanswered)) return 'No pair was judged.';
  if (best === null) return `No run comes first by ${metric}.`;
  if (isClear) return `${names[best]} is best by ${metric}: it wins each of its matches beyond chance.`;
  return `${names[best]} comes first by ${metric}, but not beyond chance.`;
}

function rankingLines({ standings }: BestOf, names: readonly string[]): string[] {
  const rows = [
    ['run', 'won', 'tied', 'lost', 'share'],
    ...standings.map(({ run, wins, ties, losses, share }) => [
      names[run] ?? '',
      ...[wins, ties, losses].map(String),
      share === null ? '–' : `${Math.round(100 * share)}%`,
    ]),
  ];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...rows.map((row) => width(row[column] ?? ''))));
  return rows.map((row) =>
    row.map((cell, column) => (column === 0 ? padEnd : padStart)(cell, widths[column] ?? 0)).join('  '),
  );
}

function* matchLines(match: Match, { runs }: BestOf, names: readonly string[], verbose: boolean): Generator<string> {
  const { games, wins, ties, unanswered, orders, winner, p } = match;
  const [a = '', b = ''] = match.runs.map((run) => names[run] ?? '');
  yield `${a} against ${b}: ${wins[0]} to ${wins[1]}, ${pluralize(ties, 'tie')}`;
  if (winner !== null) {
    yield `  ${names[winner]} wins ${p < 0.05 ? '' : 'more pairs, but not '}beyond chance (p = ${p < 0.001 ? '<0.001' : p.toFixed(3)}).`;
  }
  if (orders.of > 0) {
    const position = [
      [orders.first, 'first'],
      [orders.second, 'second'],
    ].flatMap(([count = 0, shown]) => (count === 0 ? [] : [`the attempt shown ${shown} in ${count}`]));
    const others = position.length === 0 ? '' : `; of the others, the judge chose ${position.join(' and ')}`;
    yield `  Both orders agree on ${orders.agree} of ${pluralize(orders.of, 'pair')}${others}.`;
  }
  for (const run of match.runs) {
    const alone = (runs[run]?.sessions ?? 0) - games.length;
    if (alone > 0) yield `  Without a partner: ${pluralize(alone, 'session')} of ${names[run]}`;
  }
  if (unanswered > 0)
    yield `  Without an answer: ${pluralize(unanswered, 'pair')}. ${sanitizeLine(firstProblem(games))}`;
  if (verbose) yield* games.flatMap((game) => gameLines(game, names));
}

function firstProblem(games: readonly Game[]): string {
  return (
    games.flatMap(({ choices, reasons }) =>
      choices.flatMap((choice, i) => (choice === null ? [reasons[i] ?? ''] : [])),
    )[0] ?? ''
  );
}

/** What the judge chose in both orders, and why. */
function gameLines({ task, sessions, choices, reasons }: Game, names: readonly string[]): string[] {
  const chosen = choices.map((choice) =>
    choice === null ? 'no answer' : choice === 'tie' ? 'tie' : (names[choice] ?? ''),
  );
  return [
    `  ${sanitizeLine(task ?? [...new Set(sessions)].join(' and '))}`,
    ...chosen.map((choice, i) => `    ${choice}: ${sanitizeLine(reasons[i] ?? '')}`),
  ];
}
