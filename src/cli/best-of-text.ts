import type { BestOf, Criterion, JudgeUsageTotals } from '../app/best-of.ts';
import { escapeMarkup } from '../core/text/escape-markdown.ts';
import { pluralize } from '../core/text/pluralize.ts';
import { usageText } from '../reports/model-usage.ts';
import { padEnd, padStart, sanitizeLine, width } from '../reports/terminal-text.ts';
import type { Game, Match } from '../runs/best-of/tournament.ts';

/** Of tasks with their games in Markdown. */
const SHOWN_GAMES = 30;

/** A tournament for a pull request or a wiki. Labels, the criterion and reasons may contain text of traces. */
export function bestOfMarkdown(best: BestOf): string {
  const names = best.runs.map(({ label }) => markdown(label));
  const [headings = [], ...rows] = rankingRows(best, names);
  const lines = [
    `## Best of ${names.join(', ')}`,
    '',
    `**${headline(best, names)}**`,
    '',
    `Criterion of ${markdown(best.criterion.metric)}: ${markdown(best.criterion.text)}`,
    '',
    `Judge: ${markdown(best.judge)}, each pair in both orders; ${usageText(best.usage)}.`,
    '',
    ...markdownTable(headings, rows),
    ...best.matches.flatMap((match) => ['', ...matchMarkdown(match, best, names)]),
  ];
  return `${lines.join('\n')}\n`;
}

function* matchMarkdown(match: Match, best: BestOf, names: readonly string[]): Generator<string> {
  yield `### ${matchTitle(match, names)}`;
  yield '';
  for (const note of matchNotes(match, best, names, markdown)) yield `- ${note}`;
  if (match.games.length === 0) return;
  yield '';
  yield* markdownTable(
    ['Task', 'Chosen, in both orders', 'Reasons'],
    match.games
      .slice(0, SHOWN_GAMES)
      .map((game) => [
        markdown(gameName(game)),
        chosenBy(game, names).join(', '),
        game.reasons.map(markdown).join('<br>'),
      ]),
  );
  const more = match.games.length - SHOWN_GAMES;
  if (more > 0) yield `\nand ${more} more`;
}

function* markdownTable(headings: readonly string[], rows: readonly (readonly string[])[]): Generator<string> {
  yield `| ${headings.join(' | ')} |`;
  yield `|${headings.map(() => ' --- |').join('')}`;
  for (const row of rows) yield `| ${row.join(' | ')} |`;
}

function markdown(value: string): string {
  return escapeMarkup(sanitizeLine(value));
}

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
  // As king of the hill, the first run stays where no match has a winner.
  if (best === null || matches.every(({ winner }) => winner === null)) return `No run comes first by ${metric}.`;
  if (isClear) return `${names[best]} is best by ${metric}: it wins each of its matches beyond chance.`;
  return `${names[best]} comes first by ${metric}, but not beyond chance.`;
}

function rankingRows({ standings }: BestOf, names: readonly string[]): string[][] {
  return [
    ['run', 'won', 'tied', 'lost', 'share'],
    ...standings.map(({ run, wins, ties, losses, share }) => [
      names[run] ?? '',
      ...[wins, ties, losses].map(String),
      share === null ? '–' : `${Math.round(100 * share)}%`,
    ]),
  ];
}

function rankingLines(best: BestOf, names: readonly string[]): string[] {
  const rows = rankingRows(best, names);
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...rows.map((row) => width(row[column] ?? ''))));
  return rows.map((row) =>
    row.map((cell, column) => (column === 0 ? padEnd : padStart)(cell, widths[column] ?? 0)).join('  '),
  );
}

function* matchLines(match: Match, best: BestOf, names: readonly string[], verbose: boolean): Generator<string> {
  yield matchTitle(match, names);
  for (const note of matchNotes(match, best, names, sanitizeLine)) yield `  ${note}`;
  if (verbose) yield* match.games.flatMap((game) => gameLines(game, names));
}

function matchTitle({ runs, wins, ties }: Match, names: readonly string[]): string {
  const [a = '', b = ''] = runs.map((run) => names[run] ?? '');
  return `${a} against ${b}: ${wins[0]} to ${wins[1]}, ${pluralize(ties, 'tie')}`;
}

/** Sentences about a match. @param safe makes text of traces safe */
function* matchNotes(
  match: Match,
  { runs }: BestOf,
  names: readonly string[],
  safe: (text: string) => string,
): Generator<string> {
  const { games, unanswered, orders, winner, p } = match;
  if (winner !== null) {
    yield `${names[winner]} wins ${p < 0.05 ? '' : 'more pairs, but not '}beyond chance (p = ${p < 0.001 ? '<0.001' : p.toFixed(3)}).`;
  }
  if (orders.of > 0) {
    const position = [
      [orders.first, 'first'],
      [orders.second, 'second'],
    ].flatMap(([count = 0, shown]) => (count === 0 ? [] : [`the attempt shown ${shown} in ${count}`]));
    const others = position.length === 0 ? '' : `; of the others, the judge chose ${position.join(' and ')}`;
    yield `Both orders agree on ${orders.agree} of ${pluralize(orders.of, 'pair')}${others}.`;
  }
  for (const run of match.runs) {
    const alone = (runs[run]?.sessions ?? 0) - games.length;
    if (alone > 0) yield `Without a partner: ${pluralize(alone, 'session')} of ${names[run]}`;
  }
  if (unanswered > 0) yield `Without an answer: ${pluralize(unanswered, 'pair')}. ${safe(firstProblem(games))}`;
}

function firstProblem(games: readonly Game[]): string {
  return (
    games.flatMap(({ choices, reasons }) =>
      choices.flatMap((choice, i) => (choice === null ? [reasons[i] ?? ''] : [])),
    )[0] ?? ''
  );
}

/** What the judge chose in both orders, and why. */
function gameLines(game: Game, names: readonly string[]): string[] {
  return [
    `  ${sanitizeLine(gameName(game))}`,
    ...chosenBy(game, names).map((choice, i) => `    ${choice}: ${sanitizeLine(game.reasons[i] ?? '')}`),
  ];
}

function gameName({ task, sessions }: Game): string {
  return task ?? [...new Set(sessions)].join(' and ');
}

function chosenBy({ choices }: Game, names: readonly string[]): string[] {
  return choices.map((choice) => (choice === null ? 'no answer' : choice === 'tie' ? 'tie' : (names[choice] ?? '')));
}
