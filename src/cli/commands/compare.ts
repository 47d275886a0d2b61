import { type Command, Option } from 'commander';
import { MODEL_SYNTAX } from '../../core/model-providers.ts';
import { TOURNAMENTS } from '../../core/statuses.ts';
import type { BestOfArguments } from '../best-of.ts';
import type { CompareArguments } from '../compare.ts';
import { UsageError } from '../usage-error.ts';
import type { CommandLine } from './command-line.ts';
import { DEFAULT_CONCURRENCY } from './evaluation-options.ts';
import { wholeNumberFrom } from './option-parsers.ts';

export function addCompare({ program, host, finish }: CommandLine): void {
  program
    .command('compare')
    .summary('compare recorded runs')
    .description(
      'Compares two runs: whether they can be compared, sessions whose outcome changed, and per metric the difference with its 95 % interval and one conclusion (better, worse, no clear difference, cannot tell, not comparable). Of three to eight runs: a ranking by metric. The exit code says nothing about the difference.',
    )
    .argument(
      '<run...>',
      'runs, the older first: an id or the beginning of one, a name, last, last~1, baseline, a branch, a record, or a JSON report',
    )
    .addOption(new Option('--format <format>', 'output format').choices(['table', 'json', 'markdown']).default('table'))
    .option('--out <file>', 'output file (default: standard output)')
    .option('--verbose', 'list every session and task, and the reason of each conclusion')
    .optionsGroup('Best of several:')
    .option(
      '--best-of <metric>',
      'let a judge choose the better of two sessions of each task, by the criterion of a metric',
    )
    .addOption(
      new Option('--tournament <name>', 'who meets whom: each run the best so far, or all pairs')
        .choices(TOURNAMENTS)
        .default('king-of-the-hill'),
    )
    .option('--judge <judge>', `the judge of --best-of: ${MODEL_SYNTAX.join(', ')}, NAME or NAME:MODEL`)
    .option('--judge-url <url>', "base URL of the judge's API")
    .option('--concurrency <n>', `number of concurrent calls (default: ${DEFAULT_CONCURRENCY})`, wholeNumberFrom(1))
    .option('--max-calls <n>', 'stop calling the judge after n calls', wholeNumberFrom(1))
    .option('--no-cache', 'neither read nor store cached answers')
    .option('--config <file>', 'configuration file (default: as for eval)')
    .option('--input-format <name>', 'read every trace as this format (see `turnwise formats`)')
    .option('--dry-run', 'print how many calls --best-of takes, then stop')
    .option('--yes', 'send traces, but not TURNWISE_API_KEY, to the hosts that the configuration names, without asking')
    .option('--quiet', 'print errors only on standard error')
    .addHelpText('after', EXAMPLES)
    .action(async (runs: string[], args: CompareArguments & Omit<BestOfArguments, 'bestOf'>, command: Command) => {
      const bestOf: unknown = command.getOptionValue('bestOf');
      if (typeof bestOf === 'string') {
        const { bestOfCommand } = await import('../best-of.ts');
        finish(await bestOfCommand(runs, { ...args, bestOf }, host));
        return;
      }
      rejectBestOfOptions(command);
      const { compareCommand } = await import('../compare.ts');
      finish(await compareCommand(runs, args, host));
    });
}

const COMPARE_OPTIONS: ReadonlySet<string> = new Set(['format', 'out', 'verbose']);

/** A comparison of recorded runs asks no judge. @throws UsageError */
function rejectBestOfOptions(command: Command): void {
  const option = command.options.find((one) => {
    const name = one.attributeName();
    return !COMPARE_OPTIONS.has(name) && command.getOptionValueSource(name) === 'cli';
  });
  if (option)
    throw new UsageError(`${option.long} goes with --best-of only: recorded runs are compared without a judge.`);
}

const EXAMPLES = `
Examples:
  turnwise compare last~1 last
  turnwise compare main last --format markdown --out comparison.md
  turnwise compare gpt-5 gpt-5-mini qwen3
  turnwise compare old-report.json new-report.json --format json
  turnwise compare old/ new/ --best-of goal_completion --judge openai:gpt-5-mini

docs/runs.md says how runs are paired and compared, docs/comparison.md how often it errs.

Exit codes: 0 compared, 2 usage or input error, 3 --best-of without a judge or without an answer, 130 interrupted.`;
