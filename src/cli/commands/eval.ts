import type { EvalArguments } from '../eval-options.ts';
import type { CommandLine } from './command-line.ts';
import { addEvaluationOptions, addReportOptions } from './evaluation-options.ts';
import { parseShard, wholeNumberFrom } from './option-parsers.ts';
import { addQueueOptions } from './queue.ts';

export function addEval({ program, host, finish }: CommandLine): void {
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
    .option(
      '--since-run [run]',
      'only sessions that neither this run nor an earlier one of the project has evaluated (default: the last run)',
    )
    .option(
      '--shard <i/n>',
      'only part i of n, of about the same work each; `turnwise merge` makes one run of all parts',
      parseShard,
    )
    .option('--input-format <name>', 'read every file as this format (see `turnwise formats`)')
    .option('--tools <file>', 'tool definitions, for traces without any')
    .option('--context <file>', 'goal, policy and knowledge, for traces without any');
  addEvaluationOptions(command)
    .option(
      '--task-by <field|regex>',
      'what says which sessions are attempts of one task: a field, or a pattern of file names or session ids, such as "(?<task>\\w+)-(?<trial>\\d+)"',
    )
    .option(
      '--jobs <n>',
      'number of threads that evaluate sessions where no model is asked; the report is the same (default: cores - 1, at most 8, for runs that take more than 2 s)',
      wholeNumberFrom(1),
    )
    .option('--dry-run', 'print what would be evaluated and how many calls it takes, then stop');
  addQueueOptions(command);
  addReportOptions(command)
    .option('--resume <run>', 'continue an interrupted run: what it evaluated is not evaluated again')
    .addHelpText('after', EXAMPLES)
    .action(async (paths: string[], args: EvalArguments) => {
      const { evaluateCommand } = await import('../eval.ts');
      finish(await evaluateCommand(paths, args, host));
    });
}

const EXAMPLES = `
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
  turnwise eval traces/ --since-run
  turnwise eval traces/ --jobs 4
  turnwise eval traces/ --shard 2/8 --record parts && turnwise merge parts
  turnwise eval traces/ --judge openai:gpt-5-mini --queue postgres://turnwise@db.internal/turnwise

API keys: OPENAI_API_KEY is sent only to OpenAI, TURNWISE_API_KEY to this machine and to hosts that you name (turnwise trust --help).

Exit codes: 0 passed, 1 a gate failed, 2 usage, configuration or input error, 3 undecided, 130 interrupted.`;
