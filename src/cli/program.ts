import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { errorMessage } from '../core/error-message.ts';
import { EXIT_CODES } from '../core/verdict.ts';
import { VERSION } from '../version.ts';
import type { CacheArguments } from './cache.ts';
import type { EvalArguments } from './eval-options.ts';
import type { FormatsArguments } from './formats.ts';
import type { CommandHost } from './host.ts';
import type { LspArguments } from './lsp.ts';
import type { MetricsArguments } from './metrics.ts';
import type { PromptsArguments } from './prompts.ts';
import { UsageError } from './usage-error.ts';

/** Runs a command line. @returns its exit code. Never rejects. */
export async function run(argv: readonly string[], host: CommandHost): Promise<number> {
  let code: number = EXIT_CODES.passed;
  const finish = (result: number) => {
    code = result;
  };
  try {
    await createProgram(host, finish).parseAsync([...argv], { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_CODES.passed : EXIT_CODES.input;
    await host.stderr.write(`${unexpectedErrorMessage(error, argv.includes('--verbose'))}\n`);
    return EXIT_CODES.input;
  }
}

function unexpectedErrorMessage(error: unknown, verbose: boolean): string {
  if (error instanceof UsageError) return `turnwise: ${error.message}`;
  const message = errorMessage(error);
  if (verbose) return `turnwise: this is a defect of Turnwise: ${error instanceof Error ? error.stack : message}`;
  return `turnwise: this is a defect of Turnwise: ${message}. --verbose shows where; please report it.`;
}

function createProgram(host: CommandHost, finish: (code: number) => void): Command {
  const program = new Command('turnwise')
    .description('Evaluates traces of AI agents, turn by turn, with evidence for every score.')
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
    .addHelpText('after', EXAMPLES.program);
  addEval(program, host, finish);
  addOtherCommands(program, host, finish);
  return program;
}

function addEval(program: Command, host: CommandHost, finish: (code: number) => void): void {
  program
    .command('eval')
    .summary('evaluate trace files')
    .description('Evaluates trace files: scores per turn and session, failures with their lines, a verdict.')
    .argument('[path...]', 'files, folders and globs; - is standard input; none: "source" of the configuration')
    .optionsGroup('What is evaluated:')
    .option('--session <id>', 'only this session')
    .option('--turn <n>', 'only the nth turn of each session, counted from 1', wholeNumberFrom(1))
    .option('--sample <n>', 'only n sessions, evenly spaced over the input', wholeNumberFrom(1))
    .option('--input-format <name>', 'read every file as this format (see `turnwise formats`)')
    .option('--tools <file>', 'the tools that there were, for traces that carry none')
    .option('--context <file>', 'goal, policy and knowledge, for traces that carry none')
    .optionsGroup('How it is evaluated:')
    .option('--config <file>', 'configuration (default: the nearest turnwise.config.{ts,js,mjs,json,yaml,yml})')
    .option('--metrics <names>', 'only these, separated by commas (see `turnwise metrics`)', parseNames)
    .option('--judge <judge>', 'openai:MODEL or ollama:MODEL; rules: no model (default); none: not even the rules')
    .option('--judge-url <url>', "where the judge's API is, such as http://localhost:8000/v1")
    .option('--embedder <embedder>', 'openai:MODEL or ollama:MODEL; lexical: by words (default); none')
    .option('--embedder-url <url>', "where the embedder's API is")
    .option('--questions-per-call <n>', 'how many questions to the judge travel together', wholeNumberFrom(1))
    .option('--concurrency <n>', 'how many calls at a time (default: 8; 2 for ollama)', wholeNumberFrom(1))
    .option('--timeout <ms>', 'how long one call may take (default: 60000)', wholeNumberFrom(1))
    .option('--max-calls <n>', 'ask the judge no more than n times', wholeNumberFrom(1))
    .option('--no-cache', 'ask anew what was answered before')
    .option('--k <list>', 'the k of pass@k and pass^k, as 1,3,5 (default: 1 to the number of attempts)', parseNumbers)
    .option('--correct-by <what>', 'what makes an attempt correct: verdict, or a metric')
    .option('--agent-version <text>', 'version of the agent, for the report')
    .option('--dry-run', 'say what would be evaluated and how many calls it would take, and stop')
    .optionsGroup('What fails:')
    .option('--threshold <metric=value>', 'fail below this mean; can be repeated', collect)
    .addOption(
      new Option('--fail-on <severity>', 'fail on failures of this severity or above (default: critical)').choices([
        'low',
        'medium',
        'high',
        'critical',
        'never',
      ]),
    )
    .optionsGroup('What is written:')
    .option('--format <format>', 'table or json', 'table')
    .option('--out <file>', 'write the report to a file')
    .option('--quiet', 'nothing but errors on standard error')
    .option('--verbose', 'all warnings, which configuration and formats were used, each question and answer')
    .addHelpText('after', EXAMPLES.eval)
    .action(async (paths: string[], given: EvalArguments) => {
      const { evaluateCommand } = await import('./eval.ts');
      finish(await evaluateCommand(paths, given, host));
    });
}

function addOtherCommands(program: Command, host: CommandHost, finish: (code: number) => void): void {
  program
    .command('formats')
    .summary('list the trace formats, or say which one a file has')
    .description('Lists the trace formats that are read. With a file: which one it is and why, and what is in it.')
    .argument('[file]', 'a file or a folder; - is standard input')
    .option('--convert', "write the sessions as Turnwise's own file")
    .option('--input-format <name>', 'read the file as this format')
    .option('--config <file>', 'configuration, for formats of your own (default: as for eval)')
    .option('--out <file>', 'where --convert writes (default: standard output)')
    .addHelpText('after', EXAMPLES.formats)
    .action(async (file: string | undefined, given: FormatsArguments) => {
      const { formatsCommand } = await import('./formats.ts');
      finish(await formatsCommand(file, given, host));
    });
  program
    .command('metrics')
    .summary('list the metrics, or explain one')
    .description('Lists the metrics: what they look at, their scale, threshold and needs. With a name: its page.')
    .argument('[name]', 'a metric')
    .option('--config <file>', 'configuration, for metrics of your own (default: as for eval)')
    .addHelpText('after', EXAMPLES.metrics)
    .action(async (name: string | undefined, given: MetricsArguments) => {
      const { metricsCommand } = await import('./metrics.ts');
      finish(await metricsCommand(name, given, host));
    });
  program
    .command('rules')
    .summary('list the rules, or explain one')
    .description(
      'Lists the rules: what a trace proves without a model. With an id: what it looks at, and where it is silent.',
    )
    .argument('[id]', 'a rule')
    .addHelpText('after', EXAMPLES.rules)
    .action(async (id: string | undefined) => {
      const { rulesCommand } = await import('./rules.ts');
      finish(await rulesCommand(id, host));
    });
  program
    .command('prompts')
    .summary('print what can be sent to a model, or what would be about a turn')
    .description(
      'Prints every prompt that can be sent to a model; with --turn, what a run would send about that turn, as it would be packed. Nothing is sent, and no key is needed.',
    )
    .option('--metric <name>', 'only what this metric asks; several with commas', parseNames)
    .option('--turn <file#pointer>', "a turn by its JSON pointer, or by its number in a file's only session")
    .option('--config <file>', 'configuration (default: as for eval)')
    .option('--questions-per-call <n>', 'how many questions travel together', wholeNumberFrom(1))
    .addOption(new Option('--format <format>', 'how to write it').choices(['text', 'json']).default('text'))
    .addHelpText('after', EXAMPLES.prompts)
    .action(async (given: PromptsArguments) => {
      const { promptsCommand } = await import('./prompts.ts');
      finish(await promptsCommand(given, host));
    });
  program
    .command('pass-at-k')
    .summary('estimate pass@k and pass^k from counts')
    .description('Estimates how likely at least one of k attempts is correct (pass@k), and all of them (pass^k).')
    .requiredOption('--n <n>', 'attempts that were made', wholeNumberFrom(0))
    .requiredOption('--c <c>', 'how many of them were correct', wholeNumberFrom(0))
    .requiredOption('--k <k>', 'attempts that a user would make', wholeNumberFrom(1))
    .addOption(
      new Option('--estimator <name>', 'default: unbiased as long as k <= n, else plug-in').choices([
        'plug-in',
        'unbiased',
        'bayesian',
      ]),
    )
    .option('--ci <share>', 'share that an interval holds', parseShare, 0.95)
    .addOption(new Option('--format <format>', 'how to write it').choices(['table', 'json']).default('table'))
    .addHelpText('after', EXAMPLES.passAtK)
    .action(async (given) => {
      const { passAtKCommand } = await import('./pass-at-k.ts');
      finish(await passAtKCommand(given, host));
    });
  program
    .command('cache')
    .summary('show what is kept of answers of models, or forget it')
    .description('Says where answers of models are kept between runs, how many, and how much room they take.')
    .option('--prune', 'forget what is kept beyond the bounds: unused for 90 days, or beyond 500 MB')
    .option('--older-than <days>', 'with --prune: forget what was not used for so long, as 30d')
    .option('--clear', 'forget all of it')
    .addHelpText('after', EXAMPLES.cache)
    .action(async (given: CacheArguments) => {
      const { cacheCommand } = await import('./cache.ts');
      finish(await cacheCommand(given, host));
    });
  program
    .command('init')
    .summary('write a commented configuration')
    .description('Writes turnwise.config.yaml into this folder: every key with what holds without it.')
    .option('--force', 'replace the file that is there')
    .addHelpText('after', EXAMPLES.init)
    .action(async (given: { force?: true }) => {
      const { initCommand } = await import('./init.ts');
      finish(await initCommand(given, host));
    });
  program
    .command('lsp')
    .summary('serve an editor')
    .description('Evaluates for an editor that speaks the Language Server Protocol, and shows it what was found.')
    .option('--stdio', 'speak on standard input and output; editors start it so')
    .option('--clientProcessId <id>', 'end when this process does', wholeNumberFrom(1))
    .addHelpText('after', EXAMPLES.lsp)
    .action(async (given: LspArguments) => {
      const { lspCommand } = await import('./lsp.ts');
      finish(await lspCommand(given, host));
    });
}

function wholeNumberFrom(least: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (text.trim() !== '' && Number.isSafeInteger(number) && number >= least) return number;
    throw new InvalidArgumentError(`It must be a whole number, ${least} or more.`);
  };
}

function parseShare(text: string): number {
  const number = Number(text);
  if (number > 0 && number < 1) return number;
  throw new InvalidArgumentError('It must be a number between 0 and 1, such as 0.95.');
}

function parseNumbers(text: string): number[] {
  return text.split(',').map((one) => wholeNumberFrom(1)(one));
}

function parseNames(text: string, before: readonly string[] = []): string[] {
  const found = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (found.length === 0) throw new InvalidArgumentError('Write names of metrics, separated by commas.');
  return [...before, ...found];
}

function collect(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}

const EXAMPLES = {
  program: `
Examples:
  turnwise eval traces/                          every trace in a folder
  turnwise eval run.json --format json           the report for a program
  turnwise formats run.json                      which format a file has, and why
  turnwise metrics loop_detection                what a metric measures

Exit codes: 0 passed, 1 a gate failed, 2 usage, configuration or input error, 3 undecided, 130 interrupted.`,
  eval: `
Examples:
  turnwise eval traces/
  turnwise eval 'runs/**/*.jsonl' --metrics loop_detection,tool_correctness
  turnwise eval run.json --threshold tool_selection_accuracy=85% --fail-on high
  turnwise eval case.evalset.json case.session.json
  cat run.json | turnwise eval - --format json --out report.json
  turnwise eval run.json --session conv_42 --turn 3
  turnwise eval run.json --judge ollama:qwen3:8b
  turnwise eval runs/ --judge openai:gpt-5-mini --dry-run

Keys: OPENAI_API_KEY goes to OpenAI alone, TURNWISE_API_KEY to any other URL.

Exit codes: 0 passed, 1 a gate failed, 2 usage, configuration or input error, 3 undecided, 130 interrupted.`,
  formats: `
Examples:
  turnwise formats
  turnwise formats run.json
  turnwise formats run.json --convert --out run.turnwise.json

Exit codes: 0 a format fits, 2 none does.`,
  metrics: `
Examples:
  turnwise metrics
  turnwise metrics tool_trajectory_avg_score`,
  rules: `
Examples:
  turnwise rules
  turnwise rules unconfirmed-change`,
  prompts: `
Examples:
  turnwise prompts
  turnwise prompts --metric faithfulness
  turnwise prompts --turn run.json#/turns/2
  turnwise prompts --turn run.json#3 --questions-per-call 1 --format json`,
  passAtK: `
Examples:
  turnwise pass-at-k --n 10 --c 4 --k 3
  turnwise pass-at-k --n 10 --c 4 --k 3 --estimator bayesian --ci 0.9 --format json`,
  cache: `
Examples:
  turnwise cache
  turnwise cache --prune --older-than 30d
  turnwise cache --clear`,
  init: `
Examples:
  turnwise init
  turnwise init --force`,
  lsp: `
Examples:
  turnwise lsp --stdio

docs/editors.md has what editors need to be told: Neovim, Helix, Emacs and others.`,
} as const;
