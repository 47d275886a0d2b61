import { type Command, Option } from 'commander';
import type { HistoryArguments } from '../history.ts';
import { UsageError } from '../usage-error.ts';
import type { CommandLine } from './command-line.ts';
import { wholeNumberFrom } from './option-parsers.ts';

export function addHistory({ program, host, finish }: CommandLine): void {
  const format = () => new Option('--format <format>', 'output format').choices(['table', 'json']).default('table');
  const history = program
    .command('history')
    .summary('list the recorded runs, or show, name, export and delete them')
    .description(
      'Lists the recorded runs of this project, the newest first. RUN is an id or its beginning, a name, last, last~1, baseline, a branch (its newest complete run) or the path of a record.',
    )
    .option('--limit <n>', 'list at most n runs', wholeNumberFrom(1), 20)
    .option('--all-projects', 'list the runs of all projects')
    .addOption(format())
    .addHelpText('after', EXAMPLES)
    .allowExcessArguments()
    .action(async (args: HistoryArguments, command: Command) => {
      const [run] = command.args;
      if (run !== undefined) {
        throw new UsageError(`history has no command "${run}". To show a run: turnwise history show ${run}.`);
      }
      const { historyCommand } = await import('../history.ts');
      finish(await historyCommand(args, host));
    });
  history
    .command('show')
    .summary('show a run: what it evaluated, and what it found')
    .argument('<run>', 'the run')
    .addOption(format())
    .action(async (run: string, _: unknown, command: Command) => {
      const { showRunCommand } = await import('../history.ts');
      finish(await showRunCommand(run, command.optsWithGlobals(), host));
    });
  history
    .command('name')
    .summary('name a run, by which other commands find it')
    .argument('<run>', 'the run')
    .argument('[name]', 'its name; without one, its name is removed')
    .action(async (run: string, name: string | undefined) => {
      const { nameRunCommand } = await import('../history.ts');
      finish(await nameRunCommand(run, name ?? null, host));
    });
  history
    .command('export')
    .summary('write a run to one file, which other commands read on any machine')
    .argument('<run>', 'the run')
    .argument('<file>', 'the file, such as run.turnwise.zip')
    .action(async (run: string, file: string) => {
      const { exportRunCommand } = await import('../history.ts');
      finish(await exportRunCommand(run, file, host));
    });
  history
    .command('delete')
    .summary('delete runs')
    .argument('<run...>', 'the runs')
    .option('--yes', 'delete without asking')
    .action(async (runs: string[], args: { yes?: true }) => {
      const { deleteRunsCommand } = await import('../history.ts');
      finish(await deleteRunsCommand(runs, args, host));
    });
}

const EXAMPLES = `
Examples:
  turnwise history
  turnwise history --limit 100 --format json
  turnwise history show last
  turnwise history name last before-refactoring
  turnwise history export last~1 run.turnwise.zip
  turnwise history delete 3f2a91c0

docs/runs.md says what is recorded and where. Exit codes: 0 done, 2 usage error.`;
