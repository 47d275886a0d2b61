import { type Command, Option } from 'commander';
import { DEFAULT_PROVIDER_NAME, MODEL_PROVIDERS, MODEL_SYNTAX, PROVIDER_NAMES } from '../../core/model-providers.ts';
import { ESTIMATORS } from '../../core/statuses.ts';
import { BASELINE_FILE } from '../../core/trace-file-names.ts';
import { collect, parseNames, wholeNumberFrom } from './option-parsers.ts';

const { concurrency: CONCURRENCY } = MODEL_PROVIDERS[DEFAULT_PROVIDER_NAME];
/** That of the default provider, and of those with another: `8; 2 for ollama`. */
export const DEFAULT_CONCURRENCY = [
  CONCURRENCY,
  ...PROVIDER_NAMES.filter((name) => MODEL_PROVIDERS[name].concurrency !== CONCURRENCY).map(
    (name) => `${MODEL_PROVIDERS[name].concurrency} for ${name}`,
  ),
].join('; ');

/** How sessions are evaluated. */
export function addEvaluationOptions(command: Command): Command {
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
    .option(
      '--embedder <embedder>',
      `${MODEL_SYNTAX.join(', ')}, static:FOLDER (a model in files), lexical (compares words, the default) or none`,
    )
    .option('--embedder-url <url>', "base URL of the embedder's API")
    .option('--questions-per-call <n>', 'number of questions in one call to the judge', wholeNumberFrom(1))
    .option('--turns-per-call <n>', 'number of turns in one call to the judge: 1 or 2 (default: 1)', wholeNumberFrom(1))
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
export function addReportOptions(command: Command): Command {
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
    .option(
      '--format <kind>',
      'kind of report: table, json, jsonl, junit, ctrf, sarif, markdown, html, github or agent (default: table; agent if a coding agent runs the command)',
    )
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

function parseNumbers(text: string): number[] {
  return [...new Set(text.split(',').map((part) => wholeNumberFrom(1)(part)))];
}
