import { Command, CommanderError } from 'commander';
import { errorMessage } from '../core/error-message.ts';
import { EXIT_CODES } from '../core/verdict.ts';
import { describeSystemError } from '../input/system-error.ts';
import { VERSION } from '../version.ts';
import { addBaseline } from './commands/baseline.ts';
import { addCalibrate } from './commands/calibrate.ts';
import { addMetrics, addPrompts, addRules } from './commands/catalogue.ts';
import { addCollect } from './commands/collect.ts';
import { addCompare } from './commands/compare.ts';
import { addEval } from './commands/eval.ts';
import { addFormats } from './commands/formats.ts';
import { addHistory } from './commands/history.ts';
import { addCache, addInit, addLsp, addMcp, addTrust } from './commands/installation.ts';
import { addMerge } from './commands/merge.ts';
import { addPassAtK } from './commands/pass-at-k.ts';
import { addStatus, addWorker } from './commands/queue.ts';
import { addReport } from './commands/report.ts';
import { addScenarios } from './commands/scenarios.ts';
import { addTrend } from './commands/trend.ts';
import { addWatch } from './commands/watch.ts';
import type { CommandHost } from './host.ts';
import { UsageError } from './usage-error.ts';

/** In the order of the help. What a command does is loaded when it runs. */
const COMMANDS = [
  addEval,
  addScenarios,
  addMerge,
  addHistory,
  addReport,
  addWorker,
  addStatus,
  addTrend,
  addWatch,
  addCollect,
  addCompare,
  addBaseline,
  addFormats,
  addMetrics,
  addRules,
  addPrompts,
  addPassAtK,
  addCalibrate,
  addCache,
  addTrust,
  addInit,
  addLsp,
  addMcp,
];

/** Runs a command line. @returns its exit code. Never rejects. */
export async function run(argv: readonly string[], host: CommandHost): Promise<number> {
  let code: number = EXIT_CODES.passed;
  const finish = (result: number) => {
    code = result;
  };
  try {
    await createProgram(host, finish).parseAsync([...argv], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) code = error.exitCode === 0 ? EXIT_CODES.passed : EXIT_CODES.input;
    else {
      await host.stderr.write(`${unexpectedErrorMessage(error, argv.includes('--verbose'))}\n`);
      code = EXIT_CODES.input;
    }
  }
  const failure = await host.stdout.flush();
  if (failure === null) return code;
  await host.stderr.write(`turnwise: standard output cannot be written: ${describeSystemError(failure)}.\n`);
  return code === EXIT_CODES.interrupted ? code : EXIT_CODES.input;
}

function unexpectedErrorMessage(error: unknown, verbose: boolean): string {
  if (error instanceof UsageError) return `turnwise: ${error.message}`;
  const message = errorMessage(error);
  if (verbose) return `turnwise: internal error: ${error instanceof Error ? error.stack : message}`;
  return `turnwise: internal error: ${message}. Run with --verbose for details, and please report it.`;
}

function createProgram(host: CommandHost, finish: (code: number) => void): Command {
  const program = new Command('turnwise')
    .description('Evaluates traces of AI agents turn by turn, with evidence for every score.')
    .version(VERSION)
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void host.stdout.write(text),
      writeErr: (text) => void host.stderr.write(text),
      outputError: (text, write) => write(text.replace(/^error: /, 'turnwise: ')),
      getOutHelpWidth: () => host.stdout.columns,
      getErrHelpWidth: () => host.stderr.columns,
    })
    .addHelpText('after', EXAMPLES)
    .hook('preAction', (_, command) => rejectEmptyValues(command));
  for (const addCommand of COMMANDS) addCommand({ program, host, finish });
  return program;
}

/** @throws UsageError for an option with an empty value, which is usually a variable that is not set. */
function rejectEmptyValues(command: Command): void {
  for (const option of command.options) {
    const value: unknown = command.getOptionValue(option.attributeName());
    if ([value].flat().includes('')) throw new UsageError(`${option.long} has an empty value; write ${option.flags}.`);
  }
}

const EXAMPLES = `
Examples:
  turnwise eval traces/                          every trace in a folder
  turnwise eval run.json --format json           the report as JSON
  turnwise formats run.json                      the format of a file
  turnwise metrics loop_detection                the description of a metric

Exit codes: 0 passed, 1 a gate failed, 2 usage, configuration or input error, 3 undecided, 130 interrupted.`;
