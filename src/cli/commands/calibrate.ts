import { Option } from 'commander';
import { RISK_FILE } from '../../core/trace-file-names.ts';
import type { CalibrateArguments } from '../calibrate.ts';
import type { CommandLine } from './command-line.ts';

export function addCalibrate({ program, host, finish }: CommandLine): void {
  program
    .command('calibrate')
    .summary('fit the weights of session_risk to your own sessions')
    .description('Fits what Turnwise weighs to your own labelled sessions.')
    .command('risk')
    .summary('fit the weights of session_risk to your own sessions')
    .description(
      `Fits the weights of session_risk to your sessions whose outcome is known: from the trace, the files beside it or your feedback. Cross-validation says whether they are better than the weights that ship; if so, they are written to ${RISK_FILE} beside the configuration, where later evaluations and editors find them. No model is asked.`,
    )
    .argument('[path...]', 'files, folders or globs; - is standard input (default: as for eval)')
    .option('--config <file>', 'configuration file (default: as for eval)')
    .option('--input-format <name>', 'read every file as this format (see `turnwise formats`)')
    .option('--out <file>', `output file (default: ${RISK_FILE} beside the configuration)`)
    .option('--force', 'write the weights even if they are not better')
    .option('--dry-run', 'compare only, and write nothing')
    .addOption(new Option('--format <format>', 'output format').choices(['table', 'json']).default('table'))
    .option('--quiet', 'print errors only on standard error')
    .option('--verbose', 'show all warnings')
    .addHelpText('after', EXAMPLES)
    .action(async (paths: string[], args: CalibrateArguments) => {
      const { calibrateRiskCommand } = await import('../calibrate.ts');
      finish(await calibrateRiskCommand(paths, args, host));
    });
}

const EXAMPLES = `
Examples:
  turnwise calibrate risk runs/ --dry-run
  turnwise calibrate risk 'runs/**/*.jsonl'
  turnwise calibrate risk runs/ --format json

docs/outcomes.md says how to label sessions, docs/metrics/session_risk.md how the weights are fitted.

Exit codes: 0 compared, 2 usage, configuration or input error, or too few sessions with an outcome, 130 interrupted.`;
