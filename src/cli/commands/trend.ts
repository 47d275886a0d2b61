import { InvalidArgumentError, Option } from 'commander';
import { TREND_RUNS } from '../../runs/trend/load-runs.ts';
import type { TrendArguments } from '../trend.ts';
import type { CommandLine } from './command-line.ts';
import { wholeNumberFrom } from './option-parsers.ts';

export function addTrend({ program, host, finish }: CommandLine): void {
  program
    .command('trend')
    .summary('show how a metric develops over runs')
    .description(
      'Shows a metric, a figure (correct, verdict, cost, tokens, duration, turns), a rule or a failure label over the recorded runs of this project, and marks changes beyond chance. Without a name: the success of the sessions, the least reliable tasks and the riskiest sessions.',
    )
    .argument('[name]', 'a metric, a figure, a rule or a failure label')
    .option('--task <id>', 'only attempts of this task')
    .option('--by-task', 'list the versions of the agent by task as well')
    .option('--limit <n>', 'the newest n runs', wholeNumberFrom(1), TREND_RUNS)
    .option('--since <date>', 'only runs since this date or number of days, such as 2026-11-01 or 30d', parseSince)
    .option('--branch <name>', 'only runs of this branch')
    .option('--agent-version <text>', 'only runs of this version of the agent')
    .option('--distribution [run]', 'instead, how the values of one run are distributed (default: the newest)')
    .addOption(new Option('--format <format>', 'output format').choices(['table', 'json', 'markdown']).default('table'))
    .option('--out <file>', 'write to a file')
    .addHelpText('after', EXAMPLES)
    .action(async (name: string | undefined, args: TrendArguments) => {
      const { trendCommand } = await import('../trend.ts');
      finish(await trendCommand(name, args, host));
    });
}

/** A date as ISO 8601, or the time so many days ago. */
function parseSince(text: string): string {
  const days = /^(\d{1,5})d$/.exec(text)?.[1];
  const time = days === undefined ? Date.parse(text) : Date.now() - Number(days) * 86_400_000;
  if (Number.isNaN(time))
    throw new InvalidArgumentError('Must be a date or a number of days, such as 2026-11-01 or 30d.');
  return new Date(time).toISOString();
}

const EXAMPLES = `
Examples:
  turnwise trend
  turnwise trend faithfulness --branch main --since 30d
  turnwise trend --task refund-late-order
  turnwise trend cost --distribution

Exit codes: 0 shown, 2 usage error, or no run has a value.`;
