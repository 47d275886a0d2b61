import { Option } from 'commander';
import type { MetricsArguments } from '../metrics.ts';
import type { PromptsArguments } from '../prompts.ts';
import type { CommandLine } from './command-line.ts';
import { parseNames, wholeNumberFrom } from './option-parsers.ts';

export function addMetrics({ program, host, finish }: CommandLine): void {
  program
    .command('metrics')
    .summary('list the metrics, or explain one')
    .description('Lists the metrics with scope, scale, threshold and requirements. With a name: describes that metric.')
    .argument('[name]', 'name of a metric or a preset')
    .option('--config <file>', 'configuration file, for your own metrics (default: as for eval)')
    .addHelpText('after', METRICS_EXAMPLES)
    .action(async (name: string | undefined, args: MetricsArguments) => {
      const { metricsCommand } = await import('../metrics.ts');
      finish(await metricsCommand(name, args, host));
    });
}

export function addRules({ program, host, finish }: CommandLine): void {
  program
    .command('rules')
    .summary('list the rules, or explain one')
    .description(
      'Lists the rules, which check traces without a model. With an id: what the rule checks, and what it ignores.',
    )
    .argument('[id]', 'id of a rule')
    .addHelpText('after', RULES_EXAMPLES)
    .action(async (id: string | undefined) => {
      const { rulesCommand } = await import('../rules.ts');
      finish(await rulesCommand(id, host));
    });
}

export function addPrompts({ program, host, finish }: CommandLine): void {
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
    .addHelpText('after', PROMPTS_EXAMPLES)
    .action(async (args: PromptsArguments) => {
      const { promptsCommand } = await import('../prompts.ts');
      finish(await promptsCommand(args, host));
    });
}

const METRICS_EXAMPLES = `
Examples:
  turnwise metrics
  turnwise metrics tool_trajectory_avg_score`;

const RULES_EXAMPLES = `
Examples:
  turnwise rules
  turnwise rules unconfirmed-change`;

const PROMPTS_EXAMPLES = `
Examples:
  turnwise prompts
  turnwise prompts --metric faithfulness
  turnwise prompts --turn run.json#/turns/2
  turnwise prompts --turn run.json#3 --questions-per-call 1 --format json`;
