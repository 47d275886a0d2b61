import { Option } from 'commander';
import type { ReportArguments } from '../report.ts';
import type { CommandLine } from './command-line.ts';
import { wholeNumberFrom } from './option-parsers.ts';

export function addReport({ program, host, finish }: CommandLine): void {
  program
    .command('report')
    .summary('write reports of a recorded run')
    .description(
      'Writes reports of a recorded run, without evaluating anything: the same reports that `turnwise eval --report` writes. RUN is an id or its beginning, a name, last, last~1, baseline, a branch (its newest complete run) or the path of a record.',
    )
    .argument('<run>', 'the run')
    .option(
      '--to <kind=file>',
      'a report, or several with commas between them; kinds as for `turnwise eval --report`, and agentest where the run has transcripts. Without a file: standard output (default: table)',
      (text: string, before: readonly string[] = []) => [...before, ...text.split(BETWEEN_REPORTS)],
    )
    .option('--compact', 'leave results that say nothing out of JSON reports')
    .option('--verbose', 'more details in the table')
    .addOption(new Option('--from <line>', 'continue the report agent from this line').argParser(wholeNumberFrom(1)))
    .addHelpText('after', EXAMPLES)
    .action(async (run: string, args: ReportArguments) => {
      const { reportCommand } = await import('../report.ts');
      finish(await reportCommand(run, args, host));
    });
}

/** A comma that no kind of report follows is part of a file name. */
const BETWEEN_REPORTS = /,(?=[a-z]+(?:=|,|$))/;

const EXAMPLES = `
Examples:
  turnwise report last
  turnwise report last --to junit=turnwise.xml,markdown=comment.md
  turnwise report run.turnwise.zip --to json | jq .verdict
  turnwise report last --to agent --from 31

Exit codes: 0 written, whatever the verdict of the run; 2 usage or input error; 130 interrupted.`;
