import { Option } from 'commander';
import { JUDGE_FILE, RISK_FILE } from '../../core/trace-file-names.ts';
import type { CalibrateArguments } from '../calibrate.ts';
import type { CalibrateJudgeArguments } from '../calibrate-judge.ts';
import type { CommandLine } from './command-line.ts';
import { parseShare, wholeNumberFrom } from './option-parsers.ts';

export function addCalibrate({ program, host, finish }: CommandLine): void {
  const calibrate = program
    .command('calibrate')
    .summary('measure the judge, or fit session_risk, with your own labels')
    .description('Measures the judge with your labels, and fits the weights of session_risk to your own sessions.');
  calibrate
    .command('judge')
    .summary('measure the judge on results that you label')
    .description(
      `Measures how far the judge of a recorded run agrees with you. --export writes a sheet of results to label, which does not tell what the judge said; --import reads your labels into ${JUDGE_FILE}. Without either, kappa, TPR and TNR are measured on held-out labels, thresholds are tuned on the others, and the calibration is stored: reports then show corrected shares, and "gates.judge": "calibrated" lets only calibrated judges gate. No model is asked.`,
    )
    .argument('[run]', 'an id or its beginning, a name, last, last~1 or the path of a record', 'last')
    .option('--metric <name>', 'only this metric')
    .option('--export <file>', 'write results to label next as CSV; - is standard output')
    .addOption(
      new Option('--count <n>', 'how many results to export').argParser(wholeNumberFrom(1)).default(DEFAULT_COUNT),
    )
    .option('--import <file>', 'read labels from such a sheet; - is standard input')
    .option('--labels <file>', `file of the labels (default: ${JUDGE_FILE} beside the configuration)`)
    .addOption(
      new Option('--precision <share>', 'precision for which a threshold is tuned')
        .argParser(parseShare)
        .default(DEFAULT_PRECISION),
    )
    .option('--config <file>', 'configuration file (default: as for eval)')
    .option('--dry-run', 'write no labels and no calibration')
    .addOption(new Option('--format <format>', 'output format').choices(['table', 'json']).default('table'))
    .addHelpText('after', JUDGE_EXAMPLES)
    .action(async (run: string, args: CalibrateJudgeArguments) => {
      const { calibrateJudgeCommand } = await import('../calibrate-judge.ts');
      finish(await calibrateJudgeCommand(run, args, host));
    });
  calibrate
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

/** About what a person labels in ten minutes. */
const DEFAULT_COUNT = 80;
const DEFAULT_PRECISION = 0.9;

const JUDGE_EXAMPLES = `
Examples:
  turnwise calibrate judge --metric faithfulness --export labels.csv
  turnwise calibrate judge --import labels.csv
  turnwise calibrate judge
  turnwise calibrate judge last~1 --metric faithfulness --format json

docs/calibration.md says how results are chosen, and what the figures mean.

Exit codes: 0 calibrated, exported or imported; 2 usage or input error, or too few labels; 130 interrupted.`;

const EXAMPLES = `
Examples:
  turnwise calibrate risk runs/ --dry-run
  turnwise calibrate risk 'runs/**/*.jsonl'
  turnwise calibrate risk runs/ --format json

docs/outcomes.md says how to label sessions, docs/metrics/session_risk.md how the weights are fitted.

Exit codes: 0 compared, 2 usage, configuration or input error, or too few sessions with an outcome, 130 interrupted.`;
