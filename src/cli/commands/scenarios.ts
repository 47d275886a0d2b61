import type { ScenariosArguments } from '../scenarios.ts';
import type { CommandLine } from './command-line.ts';
import { addEvaluationOptions, addReportOptions } from './evaluation-options.ts';
import { collect, wholeNumberFrom } from './option-parsers.ts';

export function addScenarios({ program, host, finish }: CommandLine): void {
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
    .addHelpText('after', EXAMPLES)
    .action(async (paths: string[], args: ScenariosArguments) => {
      const { scenariosCommand } = await import('../scenarios.ts');
      finish(await scenariosCommand(paths, args, host));
    });
}

const EXAMPLES = `
Examples:
  turnwise scenarios
  turnwise scenarios 'tests/**/*.sim.ts' --run
  turnwise scenarios refund.sim.ts --run --attempts 5 --k 1,3
  turnwise scenarios refund.sim.ts --run --attempts 30 --until-decided
  turnwise scenarios refund.sim.ts --run --agent staging --filter refund
  turnwise scenarios --run --agent production --agent staging
  turnwise scenarios --from run.json --turn 3 --out refund.scenario.yaml

docs/scenarios.md says how scenarios are written and run.

Exit codes: 0 passed, 1 a gate failed, 2 usage, configuration or input error, 3 undecided, 130 interrupted.`;
