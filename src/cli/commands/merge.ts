import { MODEL_SYNTAX } from '../../core/model-providers.ts';
import { BASELINE_FILE } from '../../core/trace-file-names.ts';
import type { MergeArguments } from '../merge.ts';
import type { CommandLine } from './command-line.ts';
import { collect } from './option-parsers.ts';

export function addMerge({ program, host, finish }: CommandLine): void {
  program
    .command('merge')
    .summary('make one run of the parts that several machines evaluated')
    .description(
      'Makes one run of the parts that `turnwise eval --shard` recorded, once it is shown by the ids of their sessions that none is missing. Attempts, groups of failures, means and gates are computed afresh: the run is that of a single machine, but for its id and times. PART is a record, or a folder with several.',
    )
    .argument('<part...>', 'folders or files with the records of the parts')
    .option('--partial', 'merge although parts are missing, double or of another run; the run is undecided then')
    .option('--config <file>', 'configuration file (default: as for eval)')
    .option(
      '--judge <judge>',
      `the judge of the parts, which finds failures with one cause: ${MODEL_SYNTAX.join(', ')}, NAME or NAME:MODEL`,
    )
    .option('--judge-url <url>', "base URL of the judge's API")
    .option('--no-cache', 'neither read nor store cached answers')
    .option(
      '--yes',
      'send failures, but not TURNWISE_API_KEY, to the hosts that the configuration names, without asking',
    )
    .option(
      '--baseline [file]',
      `gate against a baseline: fail where the run is worse beyond chance (default: the nearest ${BASELINE_FILE})`,
    )
    .optionsGroup('Output:')
    .option('--format <kind>', 'kind of report, as for `turnwise eval` (default: table)')
    .option('--report <kind[=file]>', 'write an additional report: KIND or KIND=FILE; can be repeated', collect)
    .option('--compact', 'leave out of a JSON report the results that say nothing; their metrics are named')
    .option('--quiet', 'print errors only on standard error')
    .option('--verbose', 'show every turn, score and observation, and all warnings')
    .optionsGroup('Record:')
    .option('--out <run>', 'where the run is recorded: a folder, or a file (default: the data folder)')
    .option('--name <text>', 'name of the recorded run')
    .addHelpText('after', EXAMPLES)
    .action(async (parts: string[], args: MergeArguments) => {
      const { mergeCommand } = await import('../merge.ts');
      finish(await mergeCommand(parts, args, host));
    });
}

const EXAMPLES = `
Examples:
  turnwise merge parts
  turnwise merge shard-1.turnwise.zip shard-2.turnwise.zip --out run.turnwise.zip
  turnwise merge parts --baseline --report markdown=comment.md --report junit=turnwise.xml

docs/ci.md has a job for each shard, and one that merges them.

Exit codes: 0 passed, 1 a gate failed, 2 usage or input error, parts that are not all of one run, 3 undecided, 130 interrupted.`;
