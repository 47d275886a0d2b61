import type { FormatsArguments } from '../formats.ts';
import type { CommandLine } from './command-line.ts';

export function addFormats({ program, host, finish }: CommandLine): void {
  program
    .command('formats')
    .summary('list the trace formats, or detect the format of a file')
    .description(
      'Lists the supported trace formats. With a file: its format, how it was recognized, and what the file contains.',
    )
    .argument('[file]', 'a file or a folder; - is standard input')
    .option('--convert', "convert the sessions to Turnwise's own format")
    .option('--input-format <name>', 'read the file as this format')
    .option('--config <file>', 'configuration file, for your own formats (default: as for eval)')
    .option('--out <file>', 'output file of --convert (default: standard output)')
    .addHelpText('after', EXAMPLES)
    .action(async (file: string | undefined, args: FormatsArguments) => {
      const { formatsCommand } = await import('../formats.ts');
      finish(await formatsCommand(file, args, host));
    });
}

const EXAMPLES = `
Examples:
  turnwise formats
  turnwise formats run.json
  turnwise formats run.json --convert --out run.turnwise.json

Exit codes: 0 the format was recognized, 2 it was not.`;
