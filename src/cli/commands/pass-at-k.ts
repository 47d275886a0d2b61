import { InvalidArgumentError, Option } from 'commander';
import { ESTIMATORS } from '../../core/statuses.ts';
import type { CommandLine } from './command-line.ts';
import { wholeNumberFrom } from './option-parsers.ts';

export function addPassAtK({ program, host, finish }: CommandLine): void {
  program
    .command('pass-at-k')
    .summary('estimate pass@k and pass^k from counts')
    .description(
      'Estimates the probability that at least one of k attempts is correct (pass@k), and that all of them are (pass^k).',
    )
    .requiredOption('--n <n>', 'number of recorded attempts', wholeNumberFrom(0))
    .requiredOption('--c <c>', 'number of correct attempts', wholeNumberFrom(0))
    .requiredOption('--k <k>', 'number of attempts to estimate for', wholeNumberFrom(1))
    .addOption(
      new Option('--estimator <name>', 'estimator (default: unbiased if k <= n, else plug-in)').choices(ESTIMATORS),
    )
    .option('--ci <share>', 'level of the credible interval', parseShare, 0.95)
    .addOption(new Option('--format <format>', 'output format').choices(['table', 'json']).default('table'))
    .addHelpText('after', EXAMPLES)
    .action(async (args) => {
      const { passAtKCommand } = await import('../pass-at-k.ts');
      finish(await passAtKCommand(args, host));
    });
}

function parseShare(text: string): number {
  const number = Number(text);
  if (number > 0 && number < 1) return number;
  throw new InvalidArgumentError('Must be a number between 0 and 1, such as 0.95.');
}

const EXAMPLES = `
Examples:
  turnwise pass-at-k --n 10 --c 4 --k 3
  turnwise pass-at-k --n 10 --c 4 --k 3 --estimator bayesian --ci 0.9 --format json`;
