import type { CollectArguments } from '../collect.ts';
import type { CommandLine } from './command-line.ts';
import { portNumber, wholeNumberFrom } from './option-parsers.ts';

export function addCollect({ program, host, finish }: CommandLine): void {
  program
    .command('collect')
    .summary('receive traces of a running agent, and evaluate them by rules')
    .description(
      'Receives traces from OpenTelemetry exporters on this machine (OTLP over HTTP), writes a file for each session, and evaluates sessions by rules as their turns finish. Ctrl+C ends it.',
    )
    .option('--port <port>', 'port on 127.0.0.1; the next free one if it is taken', portNumber, 4318)
    .option('--out <folder>', 'folder for the files (default: .turnwise/live)')
    .option('--idle <seconds>', 'a session without news for so long is complete', wholeNumberFrom(1), 30)
    .option('--max-size <mb>', 'size of all files; the oldest are deleted for new ones', wholeNumberFrom(1), 500)
    .option('--keep <days>', 'delete files that have not changed for so long', wholeNumberFrom(1), 30)
    .option('--config <file>', 'configuration file (default: as for eval)')
    .option('--quiet', 'print errors only on standard error')
    .option('--verbose', 'list every session and all warnings')
    .addHelpText('after', EXAMPLES)
    .action(async (args: CollectArguments) => {
      const { collectCommand } = await import('../collect.ts');
      finish(await collectCommand(args, host));
    });
}

const EXAMPLES = `
Examples:
  turnwise collect
  turnwise collect --port 0 --out traces/live
  OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318 python agent.py   in another terminal

Exit codes: 0 ended with Ctrl+C, 2 usage, configuration or input error.`;
