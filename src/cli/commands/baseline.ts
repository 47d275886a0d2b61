import { Option } from 'commander';
import { BASELINE_FILE } from '../../core/trace-file-names.ts';
import type { AcceptArguments, ShowArguments } from '../baseline.ts';
import type { CommandLine } from './command-line.ts';

export function addBaseline({ program, host, finish }: CommandLine): void {
  const baseline = program
    .command('baseline')
    .summary('set or show what runs are gated against')
    .description(
      `Sets or shows the baseline of the project, ${BASELINE_FILE}: what each task reached in an accepted run. \`turnwise eval --baseline\` fails where a run is worse beyond chance.`,
    )
    .addHelpText('after', EXAMPLES);
  baseline
    .command('accept')
    .summary('make a recorded run the baseline')
    .description(
      `Writes ${BASELINE_FILE} from a recorded run, for you to review and commit. The run must be complete, and made on a clean work tree.`,
    )
    .argument('[run]', 'an id or the beginning of one, a name, last, last~1, a branch, or a record', 'last')
    .requiredOption('--reason <text>', 'why these figures are good enough, for the review')
    .option('--raise', 'take over only what the run does better beyond chance; never lowers a figure')
    .option('--file <file>', `the baseline (default: the nearest ${BASELINE_FILE}, else at the root of the project)`)
    .action(async (run: string, args: AcceptArguments) => {
      const { acceptBaselineCommand } = await import('../baseline.ts');
      finish(await acceptBaselineCommand(run, args, host));
    });
  baseline
    .command('show')
    .summary('show the baseline')
    .description('Shows what the baseline says: where it is from, its gates, flaky tasks and tasks in quarantine.')
    .argument('[file]', `the baseline (default: the nearest ${BASELINE_FILE})`)
    .addOption(new Option('--format <format>', 'output format').choices(['table', 'json']).default('table'))
    .option('--verbose', 'list every task')
    .action(async (file: string | undefined, args: ShowArguments) => {
      const { showBaselineCommand } = await import('../baseline.ts');
      finish(await showBaselineCommand(file, args, host));
    });
}

const EXAMPLES = `
Examples:
  turnwise baseline accept --reason "release 1.4"
  turnwise baseline accept 3f2a --reason "new model, reviewed"
  turnwise baseline accept --raise --reason "retries fixed"
  turnwise baseline show

docs/runs.md says how a run is judged against it, docs/comparison.md how often it errs.

Exit codes: 0 done, 2 the run cannot be the baseline, or a usage or input error.`;
