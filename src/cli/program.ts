import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { errorMessage } from '../core/error-message.ts';
import { DEFAULT_PROVIDER_NAME, MODEL_PROVIDERS, MODEL_SYNTAX, PROVIDER_NAMES } from '../core/model-providers.ts';
import { ESTIMATORS, TOURNAMENTS } from '../core/statuses.ts';
import { BASELINE_FILE, RISK_FILE } from '../core/trace-file-names.ts';
import { EXIT_CODES } from '../core/verdict.ts';
import { describeSystemError } from '../input/system-error.ts';
import { TREND_RUNS } from '../runs/trend/load-runs.ts';
import { VERSION } from '../version.ts';
import type { AcceptArguments, ShowArguments } from './baseline.ts';
import type { BestOfArguments } from './best-of.ts';
import type { CacheArguments } from './cache.ts';
import type { CalibrateArguments } from './calibrate.ts';
import type { CompareArguments } from './compare.ts';
import type { EvalArguments } from './eval-options.ts';
import type { FormatsArguments } from './formats.ts';
import type { HistoryArguments } from './history.ts';
import type { CommandHost } from './host.ts';
import type { LspArguments } from './lsp.ts';
import type { MetricsArguments } from './metrics.ts';
import type { PromptsArguments } from './prompts.ts';
import type { ScenariosArguments } from './scenarios.ts';
import type { TrendArguments } from './trend.ts';
import type { TrustArguments } from './trust.ts';
import { UsageError } from './usage-error.ts';
import type { WatchArguments } from './watch.ts';

/** That of the default provider, and of those with another: `8; 2 for ollama`. */
const { concurrency: CONCURRENCY } = MODEL_PROVIDERS[DEFAULT_PROVIDER_NAME];
const DEFAULT_CONCURRENCY = [
  CONCURRENCY,
  ...PROVIDER_NAMES.filter((name) => MODEL_PROVIDERS[name].concurrency !== CONCURRENCY).map(
    (name) => `${MODEL_PROVIDERS[name].concurrency} for ${name}`,
  ),
].join('; ');

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
    .addHelpText('after', EXAMPLES.program)
    .hook('preAction', (_, command) => rejectEmptyValues(command));
  addEval(program, host, finish);
  addScenarios(program, host, finish);
  addHistory(program, host, finish);
  addTrend(program, host, finish);
  addOtherCommands(program, host, finish);
  return program;
}

function addEval(program: Command, host: CommandHost, finish: (code: number) => void): void {
  const command = program
    .command('eval')
    .summary('evaluate trace files')
    .description('Evaluates trace files: scores for each turn and session, failures with their lines, and a verdict.')
    .argument(
      '[path...]',
      'files, folders or globs; - is standard input (default: source or traces of the configuration)',
    )
    .optionsGroup('Input:')
    .option('--session <id>', 'only this session')
    .option('--turn <n>', 'only turn n of each session, counted from 1', wholeNumberFrom(1))
    .option('--sample <n>', 'only n sessions, spread evenly over the input', wholeNumberFrom(1))
    .option('--input-format <name>', 'read every file as this format (see `turnwise formats`)')
    .option('--tools <file>', 'tool definitions, for traces without any')
    .option('--context <file>', 'goal, policy and knowledge, for traces without any');
  addEvaluationOptions(command)
    .option(
      '--task-by <field|regex>',
      'what says which sessions are attempts of one task: a field, or a pattern of file names or session ids, such as "(?<task>\\w+)-(?<trial>\\d+)"',
    )
    .option('--dry-run', 'print what would be evaluated and how many calls it takes, then stop');
  addReportOptions(command)
    .option('--resume <run>', 'continue an interrupted run: what it evaluated is not evaluated again')
    .addHelpText('after', EXAMPLES.eval)
    .action(async (paths: string[], args: EvalArguments) => {
      const { evaluateCommand } = await import('./eval.ts');
      finish(await evaluateCommand(paths, args, host));
    });
}

/** How sessions are evaluated. */
function addEvaluationOptions(command: Command): Command {
  return command
    .optionsGroup('Evaluation:')
    .option(
      '--config <file>',
      'configuration file (default: the nearest turnwise.config.{ts,js,mjs,json,yaml,yml}, over an agentest.config.* if there is one)',
    )
    .option('--metrics <names>', 'only these metrics, separated by commas (see `turnwise metrics`)', parseNames)
    .option(
      '--judge <judge>',
      `${MODEL_SYNTAX.join(', ')}, NAME or NAME:MODEL (of the configuration's providers), rules (default: rules without a model) or none (neither)`,
    )
    .option('--judge-url <url>', "base URL of the judge's API, such as http://localhost:8000/v1")
    .option('--embedder <embedder>', `${MODEL_SYNTAX.join(', ')}, lexical (compares words, the default) or none`)
    .option('--embedder-url <url>', "base URL of the embedder's API")
    .option('--questions-per-call <n>', 'number of questions in one call to the judge', wholeNumberFrom(1))
    .option('--concurrency <n>', `number of concurrent calls (default: ${DEFAULT_CONCURRENCY})`, wholeNumberFrom(1))
    .option('--timeout <ms>', 'time limit of a call, in milliseconds (default: 60000)', wholeNumberFrom(1))
    .option('--patience <ms>', 'stop asking after this time without any answer (default: 120000)', wholeNumberFrom(1))
    .option('--max-calls <n>', 'stop calling the judge after n calls', wholeNumberFrom(1))
    .option('--no-cache', 'neither read nor store cached answers')
    .option(
      '--k <list>',
      'values of k for pass@k and pass^k, such as 1,3,5 (default: 1 to the number of attempts)',
      parseNumbers,
    )
    .addOption(
      new Option('--estimator <name>', 'estimator of pass@k and pass^k (default: unbiased)').choices(ESTIMATORS),
    )
    .option('--correct-by <name>', 'what decides whether an attempt is correct: verdict, or a metric')
    .option(
      '--baseline [file]',
      `gate against a baseline: fail where the run is worse beyond chance (default: the nearest ${BASELINE_FILE})`,
    )
    .option('--agent-version <text>', 'version of the agent, recorded in the report')
    .option(
      '--yes',
      'send traces, but not TURNWISE_API_KEY, to the hosts that the configuration names, without asking',
    );
}

/** Gates, reports and the record. */
function addReportOptions(command: Command): Command {
  return command
    .optionsGroup('Gates:')
    .option('--threshold <metric=value>', 'fail when the mean of a metric misses a value; can be repeated', collect)
    .addOption(
      new Option('--fail-on <severity>', 'fail on problems of this severity or higher (default: high)').choices([
        'low',
        'medium',
        'high',
        'critical',
        'never',
      ]),
    )
    .option('--ignore-outcome', 'do not fail on a recorded outcome, on expectations or on a run that ended in an error')
    .optionsGroup('Output:')
    .option('--format <kind>', 'kind of report: table, json or jsonl (default: table)')
    .option('--out <file>', 'write the report to a file')
    .option('--report <kind[=file]>', 'write an additional report: KIND or KIND=FILE; can be repeated', collect)
    .option('--compact', 'leave out of a JSON report the results that say nothing; their metrics are named')
    .option('--quiet', 'print errors only on standard error')
    .option('--verbose', 'show every turn, score and observation, all warnings, and each question with its answer')
    .optionsGroup('Record:')
    .option(
      '--record <path>',
      'where the run is recorded: a folder, a file, or none (default: the data folder, see `turnwise history`)',
    )
    .option('--name <text>', 'name of the recorded run')
    .option('--with-transcripts', 'record the sessions too, without secrets, so that runs can be compared elsewhere');
}

function addScenarios(program: Command, host: CommandHost, finish: (code: number) => void): void {
  const command = program
    .command('scenarios')
    .summary('list scenarios, tests of an agent, run them, or make one from a trace')
    .description(
      'Lists scenarios with their lines. With --run, runs them against an agent and evaluates what it did: each attempt becomes a session file, evaluated and reported as by eval.',
    )
    .argument('[path...]', 'scenario files, folders or globs (default: scenarios of the configuration)')
    .optionsGroup('Attempts:')
    .option('--run', 'run the scenarios, instead of listing them')
    .option('--filter <text>', 'only scenarios whose name contains this text')
    .option('--attempts <n>', 'number of attempts at each scenario', wholeNumberFrom(1))
    .option('--until-decided', 'make no more attempts at a scenario, of those, than its verdict needs')
    .option(
      '--agent <name>',
      'try this agent of the configuration; can be repeated: each is compared with the first',
      collect,
    )
    .option('--retries <n>', 'make an attempt that ended in an error again, at most n times', wholeNumberFrom(0))
    .option('--coverage', 'say which tools, arguments and error results the attempts exercised')
    .optionsGroup('New scenario:')
    .option('--from <trace>', 'make a scenario from a session of this trace, and print it or write it to --out')
    .option('--session <id>', 'from this session, where the trace has several')
    .option('--turn <n>', 'up to turn n, counted from 1, as where it went wrong', wholeNumberFrom(1));
  addEvaluationOptions(command);
  addReportOptions(command)
    .addHelpText('after', EXAMPLES.scenarios)
    .action(async (paths: string[], args: ScenariosArguments) => {
      const { scenariosCommand } = await import('./scenarios.ts');
      finish(await scenariosCommand(paths, args, host));
    });
}

function addHistory(program: Command, host: CommandHost, finish: (code: number) => void): void {
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
    .addHelpText('after', EXAMPLES.history)
    .allowExcessArguments()
    .action(async (args: HistoryArguments, command: Command) => {
      const [run] = command.args;
      if (run !== undefined) {
        throw new UsageError(`history has no command "${run}". To show a run: turnwise history show ${run}.`);
      }
      const { historyCommand } = await import('./history.ts');
      finish(await historyCommand(args, host));
    });
  history
    .command('show')
    .summary('show a run: what it evaluated, and what it found')
    .argument('<run>', 'the run')
    .addOption(format())
    .action(async (run: string, _: unknown, command: Command) => {
      const { showRunCommand } = await import('./history.ts');
      finish(await showRunCommand(run, command.optsWithGlobals(), host));
    });
  history
    .command('name')
    .summary('name a run, by which other commands find it')
    .argument('<run>', 'the run')
    .argument('[name]', 'its name; without one, its name is removed')
    .action(async (run: string, name: string | undefined) => {
      const { nameRunCommand } = await import('./history.ts');
      finish(await nameRunCommand(run, name ?? null, host));
    });
  history
    .command('export')
    .summary('write a run to one file, which other commands read on any machine')
    .argument('<run>', 'the run')
    .argument('<file>', 'the file, such as run.turnwise.zip')
    .action(async (run: string, file: string) => {
      const { exportRunCommand } = await import('./history.ts');
      finish(await exportRunCommand(run, file, host));
    });
  history
    .command('delete')
    .summary('delete runs')
    .argument('<run...>', 'the runs')
    .option('--yes', 'delete without asking')
    .action(async (runs: string[], args: { yes?: true }) => {
      const { deleteRunsCommand } = await import('./history.ts');
      finish(await deleteRunsCommand(runs, args, host));
    });
}

function addTrend(program: Command, host: CommandHost, finish: (code: number) => void): void {
  program
    .command('trend')
    .summary('show how a metric develops over runs')
    .description(
      'Shows a metric, a figure (correct, verdict, cost, tokens, duration, turns), a rule or a failure label over the recorded runs of this project, and marks changes beyond chance. Without a name: the success of the sessions, the least reliable tasks and the riskiest sessions.',
    )
    .argument('[name]', 'a metric, a figure, a rule or a failure label')
    .option('--task <id>', 'only attempts of this task')
    .option('--by-task', 'list the versions of the agent by task as well')
    .option('--limit <n>', 'the newest n runs', wholeNumberFrom(1), TREND_RUNS)
    .option('--since <date>', 'only runs since this date or number of days, such as 2026-11-01 or 30d', parseSince)
    .option('--branch <name>', 'only runs of this branch')
    .option('--agent-version <text>', 'only runs of this version of the agent')
    .option('--distribution [run]', 'instead, how the values of one run are distributed (default: the newest)')
    .addOption(new Option('--format <format>', 'output format').choices(['table', 'json', 'markdown']).default('table'))
    .option('--out <file>', 'write to a file')
    .addHelpText('after', EXAMPLES.trend)
    .action(async (name: string | undefined, args: TrendArguments) => {
      const { trendCommand } = await import('./trend.ts');
      finish(await trendCommand(name, args, host));
    });
}

function addOtherCommands(program: Command, host: CommandHost, finish: (code: number) => void): void {
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
    .addHelpText('after', EXAMPLES.watch)
    .action(async (paths: string[], args: WatchArguments) => {
      const { watchCommand } = await import('./watch.ts');
      finish(await watchCommand(paths, args, host));
    });
  program
    .command('compare')
    .summary('compare recorded runs')
    .description(
      'Compares two runs: whether they can be compared, sessions whose outcome changed, and per metric the difference with its 95 % interval and one conclusion (better, worse, no clear difference, cannot tell, not comparable). Of three to eight runs: a ranking by metric. The exit code says nothing about the difference.',
    )
    .argument(
      '<run...>',
      'runs, the older first: an id or the beginning of one, a name, last, last~1, baseline, a branch, a record, or a JSON report',
    )
    .addOption(new Option('--format <format>', 'output format').choices(['table', 'json', 'markdown']).default('table'))
    .option('--out <file>', 'output file (default: standard output)')
    .option('--verbose', 'list every session and task, and the reason of each conclusion')
    .optionsGroup('Best of several:')
    .option(
      '--best-of <metric>',
      'let a judge choose the better of two sessions of each task, by the criterion of a metric',
    )
    .addOption(
      new Option('--tournament <name>', 'who meets whom: each run the best so far, or all pairs')
        .choices(TOURNAMENTS)
        .default('king-of-the-hill'),
    )
    .option('--judge <judge>', `the judge of --best-of: ${MODEL_SYNTAX.join(', ')}, NAME or NAME:MODEL`)
    .option('--judge-url <url>', "base URL of the judge's API")
    .option('--concurrency <n>', `number of concurrent calls (default: ${DEFAULT_CONCURRENCY})`, wholeNumberFrom(1))
    .option('--max-calls <n>', 'stop calling the judge after n calls', wholeNumberFrom(1))
    .option('--no-cache', 'neither read nor store cached answers')
    .option('--config <file>', 'configuration file (default: as for eval)')
    .option('--input-format <name>', 'read every trace as this format (see `turnwise formats`)')
    .option('--dry-run', 'print how many calls --best-of takes, then stop')
    .option('--yes', 'send traces, but not TURNWISE_API_KEY, to the hosts that the configuration names, without asking')
    .option('--quiet', 'print errors only on standard error')
    .addHelpText('after', EXAMPLES.compare)
    .action(async (runs: string[], args: CompareArguments & Omit<BestOfArguments, 'bestOf'>, command: Command) => {
      const bestOf: unknown = command.getOptionValue('bestOf');
      if (typeof bestOf === 'string') {
        const { bestOfCommand } = await import('./best-of.ts');
        finish(await bestOfCommand(runs, { ...args, bestOf }, host));
        return;
      }
      rejectBestOfOptions(command);
      const { compareCommand } = await import('./compare.ts');
      finish(await compareCommand(runs, args, host));
    });
  const baseline = program
    .command('baseline')
    .summary('set or show what runs are gated against')
    .description(
      `Sets or shows the baseline of the project, ${BASELINE_FILE}: what each task reached in an accepted run. \`turnwise eval --baseline\` fails where a run is worse beyond chance.`,
    )
    .addHelpText('after', EXAMPLES.baseline);
  baseline
    .command('accept')
    .summary('make a recorded run the baseline')
    .description(
      `Writes ${BASELINE_FILE} from a recorded run, for you to review and commit. The run must be complete, and made on a clean work tree.`,
    )
    .argument('[run]', 'an id or the beginning of one, a name, last, last~1, a branch, or a record', 'last')
    .requiredOption('--reason <text>', 'why these figures are good enough, for the review')
    .option('--raise', 'take over only what the run does better beyond chance; never lowers a figure')
    .option('--file <file>', `the baseline (default: the nearest ${BASELINE_FILE}, else at the root of the project)`)
    .action(async (run: string, args: AcceptArguments) => {
      const { acceptBaselineCommand } = await import('./baseline.ts');
      finish(await acceptBaselineCommand(run, args, host));
    });
  baseline
    .command('show')
    .summary('show the baseline')
    .description('Shows what the baseline says: where it is from, its gates, flaky tasks and tasks in quarantine.')
    .argument('[file]', `the baseline (default: the nearest ${BASELINE_FILE})`)
    .addOption(new Option('--format <format>', 'output format').choices(['table', 'json']).default('table'))
    .option('--verbose', 'list every task')
    .action(async (file: string | undefined, args: ShowArguments) => {
      const { showBaselineCommand } = await import('./baseline.ts');
      finish(await showBaselineCommand(file, args, host));
    });
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
    .addHelpText('after', EXAMPLES.formats)
    .action(async (file: string | undefined, args: FormatsArguments) => {
      const { formatsCommand } = await import('./formats.ts');
      finish(await formatsCommand(file, args, host));
    });
  program
    .command('metrics')
    .summary('list the metrics, or explain one')
    .description('Lists the metrics with scope, scale, threshold and requirements. With a name: describes that metric.')
    .argument('[name]', 'name of a metric or a preset')
    .option('--config <file>', 'configuration file, for your own metrics (default: as for eval)')
    .addHelpText('after', EXAMPLES.metrics)
    .action(async (name: string | undefined, args: MetricsArguments) => {
      const { metricsCommand } = await import('./metrics.ts');
      finish(await metricsCommand(name, args, host));
    });
  program
    .command('rules')
    .summary('list the rules, or explain one')
    .description(
      'Lists the rules, which check traces without a model. With an id: what the rule checks, and what it ignores.',
    )
    .argument('[id]', 'id of a rule')
    .addHelpText('after', EXAMPLES.rules)
    .action(async (id: string | undefined) => {
      const { rulesCommand } = await import('./rules.ts');
      finish(await rulesCommand(id, host));
    });
  program
    .command('prompts')
    .summary('print the prompts that a judge gets')
    .description(
      'Prints every question for a judge. With --turn: the exact prompts that a run sends about that turn. Nothing is sent, and no key is needed.',
    )
    .option('--metric <name>', 'only the questions of these metrics, separated by commas', parseNames)
    .option('--turn <file#pointer>', 'a turn, by its JSON pointer or by its number in a file with one session')
    .option('--config <file>', 'configuration file (default: as for eval)')
    .option('--questions-per-call <n>', 'number of questions in one call', wholeNumberFrom(1))
    .addOption(new Option('--format <format>', 'output format').choices(['text', 'json']).default('text'))
    .addHelpText('after', EXAMPLES.prompts)
    .action(async (args: PromptsArguments) => {
      const { promptsCommand } = await import('./prompts.ts');
      finish(await promptsCommand(args, host));
    });
  program
    .command('pass-at-k')
    .summary('estimate pass@k and pass^k from counts')
    .description(
      'Estimates the probability that at least one of k attempts is correct (pass@k), and that all of them are (pass^k).',
    )
    .requiredOption('--n <n>', 'number of recorded attempts', wholeNumberFrom(0))
    .requiredOption('--c <c>', 'number of correct attempts', wholeNumberFrom(0))
    .requiredOption('--k <k>', 'number of attempts to estimate for', wholeNumberFrom(1))
    .addOption(
      new Option('--estimator <name>', 'estimator (default: unbiased if k <= n, else plug-in)').choices(ESTIMATORS),
    )
    .option('--ci <share>', 'level of the credible interval', parseShare, 0.95)
    .addOption(new Option('--format <format>', 'output format').choices(['table', 'json']).default('table'))
    .addHelpText('after', EXAMPLES.passAtK)
    .action(async (args) => {
      const { passAtKCommand } = await import('./pass-at-k.ts');
      finish(await passAtKCommand(args, host));
    });
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
    .addHelpText('after', EXAMPLES.calibrate)
    .action(async (paths: string[], args: CalibrateArguments) => {
      const { calibrateRiskCommand } = await import('./calibrate.ts');
      finish(await calibrateRiskCommand(paths, args, host));
    });
  program
    .command('cache')
    .summary('show or delete cached answers of models')
    .description('Prints the location, number and size of the cached answers of models.')
    .option('--prune', 'delete answers that were not used for 90 days, and those beyond 500 MB')
    .option('--older-than <days>', 'with --prune: delete answers that were not used for this long, such as 30d')
    .option('--clear', 'delete all cached answers')
    .addHelpText('after', EXAMPLES.cache)
    .action(async (args: CacheArguments) => {
      const { cacheCommand } = await import('./cache.ts');
      finish(await cacheCommand(args, host));
    });
  program
    .command('trust')
    .summary('list, add or revoke the hosts that may get traces')
    .description(
      'Lists the hosts that may get text of traces. With hosts: configurations may send them traces and the key in TURNWISE_API_KEY. Hosts on this machine, those of --judge-url and --embedder-url, and OpenAI with OPENAI_API_KEY are always allowed.',
    )
    .argument('[host...]', 'hosts, such as llm.example.com or http://10.0.0.5:8000')
    .option('--revoke', 'remove the hosts, and what editors stored about them')
    .addHelpText('after', EXAMPLES.trust)
    .action(async (hosts: string[], args: TrustArguments) => {
      const { trustCommand } = await import('./trust.ts');
      finish(await trustCommand(hosts, args, host));
    });
  program
    .command('init')
    .summary('create a commented configuration file')
    .description('Creates turnwise.config.yaml in this folder, with the most common keys and their defaults.')
    .option('--force', 'replace an existing file')
    .addHelpText('after', EXAMPLES.init)
    .action(async (args: { force?: true }) => {
      const { initCommand } = await import('./init.ts');
      finish(await initCommand(args, host));
    });
  program
    .command('lsp')
    .summary('start the language server')
    .description('Starts the language server, for editors that support the Language Server Protocol.')
    .option('--stdio', 'communicate over standard input and output')
    .option('--clientProcessId <id>', 'exit when this process exits', wholeNumberFrom(1))
    .addHelpText('after', EXAMPLES.lsp)
    .action(async (args: LspArguments) => {
      const { lspCommand } = await import('./lsp.ts');
      finish(await lspCommand(args, host));
    });
}

/** @throws UsageError for an option with an empty value, which is usually a variable that is not set. */
function rejectEmptyValues(command: Command): void {
  for (const option of command.options) {
    const value: unknown = command.getOptionValue(option.attributeName());
    if ([value].flat().includes('')) throw new UsageError(`${option.long} has an empty value; write ${option.flags}.`);
  }
}

const COMPARE_OPTIONS: ReadonlySet<string> = new Set(['format', 'out', 'verbose']);

/** A comparison of recorded runs asks no judge. @throws UsageError */
function rejectBestOfOptions(command: Command): void {
  const option = command.options.find((one) => {
    const name = one.attributeName();
    return !COMPARE_OPTIONS.has(name) && command.getOptionValueSource(name) === 'cli';
  });
  if (option)
    throw new UsageError(`${option.long} goes with --best-of only: recorded runs are compared without a judge.`);
}

function wholeNumberFrom(minimum: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (text.trim() !== '' && Number.isSafeInteger(number) && number >= minimum) return number;
    throw new InvalidArgumentError(`Must be a whole number, ${minimum} or more.`);
  };
}

function parseShare(text: string): number {
  const number = Number(text);
  if (number > 0 && number < 1) return number;
  throw new InvalidArgumentError('Must be a number between 0 and 1, such as 0.95.');
}

/** A date as ISO 8601, or the time so many days ago. */
function parseSince(text: string): string {
  const days = /^(\d{1,5})d$/.exec(text)?.[1];
  const time = days === undefined ? Date.parse(text) : Date.now() - Number(days) * 86_400_000;
  if (Number.isNaN(time))
    throw new InvalidArgumentError('Must be a date or a number of days, such as 2026-11-01 or 30d.');
  return new Date(time).toISOString();
}

function parseNumbers(text: string): number[] {
  return [...new Set(text.split(',').map((part) => wholeNumberFrom(1)(part)))];
}

function parseNames(text: string, before: readonly string[] = []): string[] {
  const values = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (values.length === 0) throw new InvalidArgumentError('Must be names of metrics, separated by commas.');
  return [...before, ...values];
}

function collect(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}

const EXAMPLES = {
  program: `
Examples:
  turnwise eval traces/                          every trace in a folder
  turnwise eval run.json --format json           the report as JSON
  turnwise formats run.json                      the format of a file
  turnwise metrics loop_detection                the description of a metric

Exit codes: 0 passed, 1 a gate failed, 2 usage, configuration or input error, 3 undecided, 130 interrupted.`,
  eval: `
Examples:
  turnwise eval traces/
  turnwise eval 'runs/**/*.jsonl' --metrics loop_detection,tool_correctness
  turnwise eval run.json --threshold tool_selection_accuracy=85% --fail-on high
  turnwise eval case.evalset.json case.session.json
  cat run.json | turnwise eval - --format json --out report.json
  turnwise eval run.json --report json=report.json
  turnwise eval run.json --session conv_42 --turn 3
  turnwise eval run.json --judge ollama:qwen3:8b
  turnwise eval runs/ --judge openai:gpt-5-mini --dry-run
  turnwise eval runs/ --name 'new prompt' && turnwise compare last~1 last
  turnwise eval --resume last

API keys: OPENAI_API_KEY is sent only to OpenAI, TURNWISE_API_KEY to this machine and to hosts that you name (turnwise trust --help).

Exit codes: 0 passed, 1 a gate failed, 2 usage, configuration or input error, 3 undecided, 130 interrupted.`,
  scenarios: `
Examples:
  turnwise scenarios
  turnwise scenarios 'tests/**/*.sim.ts' --run
  turnwise scenarios refund.sim.ts --run --attempts 5 --k 1,3
  turnwise scenarios refund.sim.ts --run --attempts 30 --until-decided
  turnwise scenarios refund.sim.ts --run --agent staging --filter refund
  turnwise scenarios --run --agent production --agent staging
  turnwise scenarios --from run.json --turn 3 --out refund.scenario.yaml

docs/scenarios.md says how scenarios are written and run.

Exit codes: 0 passed, 1 a gate failed, 2 usage, configuration or input error, 3 undecided, 130 interrupted.`,
  trend: `
Examples:
  turnwise trend
  turnwise trend faithfulness --branch main --since 30d
  turnwise trend --task refund-late-order
  turnwise trend cost --distribution

Exit codes: 0 shown, 2 usage error, or no run has a value.`,
  watch: `
Examples:
  turnwise watch runs/
  turnwise watch 'runs/**/*.jsonl' case.evalset.json
  turnwise watch

Exit codes: 0 ended with Ctrl+C, 2 usage, configuration or input error.`,
  compare: `
Examples:
  turnwise compare last~1 last
  turnwise compare main last --format markdown --out comparison.md
  turnwise compare gpt-5 gpt-5-mini qwen3
  turnwise compare old-report.json new-report.json --format json
  turnwise compare old/ new/ --best-of goal_completion --judge openai:gpt-5-mini

docs/runs.md says how runs are paired and compared, docs/comparison.md how often it errs.

Exit codes: 0 compared, 2 usage or input error, 3 --best-of without a judge or without an answer, 130 interrupted.`,
  history: `
Examples:
  turnwise history
  turnwise history --limit 100 --format json
  turnwise history show last
  turnwise history name last before-refactoring
  turnwise history export last~1 run.turnwise.zip
  turnwise history delete 3f2a91c0

docs/runs.md says what is recorded and where. Exit codes: 0 done, 2 usage error.`,
  baseline: `
Examples:
  turnwise baseline accept --reason "release 1.4"
  turnwise baseline accept 3f2a --reason "new model, reviewed"
  turnwise baseline accept --raise --reason "retries fixed"
  turnwise baseline show

docs/runs.md says how a run is judged against it, docs/comparison.md how often it errs.

Exit codes: 0 done, 2 the run cannot be the baseline, or a usage or input error.`,
  formats: `
Examples:
  turnwise formats
  turnwise formats run.json
  turnwise formats run.json --convert --out run.turnwise.json

Exit codes: 0 the format was recognized, 2 it was not.`,
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
  calibrate: `
Examples:
  turnwise calibrate risk runs/ --dry-run
  turnwise calibrate risk 'runs/**/*.jsonl'
  turnwise calibrate risk runs/ --format json

docs/outcomes.md says how to label sessions, docs/metrics/session_risk.md how the weights are fitted.

Exit codes: 0 compared, 2 usage, configuration or input error, or too few sessions with an outcome, 130 interrupted.`,
  cache: `
Examples:
  turnwise cache
  turnwise cache --prune --older-than 30d
  turnwise cache --clear`,
  trust: `
Examples:
  turnwise trust
  turnwise trust llm.example.com
  turnwise trust --revoke llm.example.com

TURNWISE_TRUSTED_HOSTS lists hosts for one environment, such as a CI job.`,
  init: `
Examples:
  turnwise init
  turnwise init --force`,
  lsp: `
Examples:
  turnwise lsp --stdio

docs/editors.md has the settings for Neovim, Helix, Emacs and other editors.`,
} as const;
