import type { WatchArguments } from '../watch.ts';
import type { CommandLine } from './command-line.ts';

export function addWatch({ program, host, finish }: CommandLine): void {
  program
    .command('watch')
    .summary('evaluate trace files by rules when they change')
    .description(
      'Evaluates trace files by rules, without a model, and again whenever they change or new ones appear. Prints the headline of each evaluated session. Ctrl+C ends it.',
    )
    .argument('[path...]', 'files, folders or globs (default: traces of the configuration)')
    .option('--config <file>', 'configuration file (default: as for eval)')
    .option('--input-format <name>', 'read every file as this format (see `turnwise formats`)')
    .option('--quiet', 'print errors only on standard error')
    .option('--verbose', 'list every session and all warnings')
    .addHelpText('after', EXAMPLES)
    .action(async (paths: string[], args: WatchArguments) => {
      const { watchCommand } = await import('../watch.ts');
      finish(await watchCommand(paths, args, host));
    });
}

const EXAMPLES = `
Examples:
  turnwise watch runs/
  turnwise watch 'runs/**/*.jsonl' case.evalset.json
  turnwise watch

Exit codes: 0 ended with Ctrl+C, 2 usage, configuration or input error.`;
