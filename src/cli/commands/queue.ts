import { type Command, Option } from 'commander';
import type { StatusArguments } from '../status.ts';
import type { WorkerArguments } from '../worker.ts';
import type { CommandLine } from './command-line.ts';
import { wholeNumberFrom } from './option-parsers.ts';

const QUEUE = '--queue [url]';
const DATABASE = 'postgres://USER@HOST/DATABASE (default: TURNWISE_QUEUE of the environment)';

export function addQueueOptions(command: Command): Command {
  return command
    .optionsGroup('Queue:')
    .option(QUEUE, `evaluate together with workers on other machines, by a queue in ${DATABASE}`)
    .option('--no-work', 'leave the evaluation to the workers, and wait for them')
    .addOption(leaseOption());
}

function leaseOption(): Option {
  return new Option(
    '--lease <seconds>',
    'time after which the sessions of a worker without a sign of life are given to others (default: 30)',
  ).argParser(wholeNumberFrom(1));
}

export function addWorker({ program, host, finish }: CommandLine): void {
  program
    .command('worker')
    .summary('evaluate the sessions of a queue')
    .description(
      'Evaluates the sessions that `turnwise eval --queue` puts into a queue, together with other workers, until it is stopped. A worker that is killed loses nothing: others evaluate its sessions.',
    )
    .option(QUEUE, DATABASE)
    .option('--config <file>', 'the configuration of runs whose own is more than data, such as functions')
    .option('--exit-when-done', 'end when no run needs a worker, instead of waiting for the next one')
    .option('--name <text>', 'what `turnwise status` calls it (default: host and process)')
    .addOption(leaseOption())
    .option('--yes', 'send traces, but not TURNWISE_API_KEY, to the hosts that the runs name, without asking')
    .option('--quiet', 'print errors only')
    .option('--verbose', 'show each question with its answer')
    .addHelpText('after', WORKER_EXAMPLES)
    .action(async (args: WorkerArguments) => {
      const { workerCommand } = await import('../worker.ts');
      finish(await workerCommand(args, host));
    });
}

export function addStatus({ program, host, finish }: CommandLine): void {
  program
    .command('status')
    .summary('show the runs of a queue')
    .description('Shows how far the runs of a queue are, which workers evaluate them, and which sessions are parked.')
    .argument('[run]', 'a run: its id, or the beginning of it (default: the newest 50)')
    .option(QUEUE, DATABASE)
    .addOption(new Option('--format <kind>', 'table or json').choices(['table', 'json']).default('table'))
    .option('--record <file>', 'save the record of a run whose report a worker made')
    .option('--delete', 'delete the run and its sessions from the database')
    .addHelpText('after', STATUS_EXAMPLES)
    .action(async (run: string | undefined, args: StatusArguments) => {
      const { statusCommand } = await import('../status.ts');
      finish(await statusCommand(run, args, host));
    });
}

const WORKER_EXAMPLES = `
Examples:
  export TURNWISE_QUEUE=postgres://turnwise:PASSWORD@db.internal/turnwise
  turnwise worker
  turnwise worker --exit-when-done --config turnwise.config.ts

Exit codes: 0 nothing left (--exit-when-done), 2 a run was refused or the queue cannot be used, 130 stopped.`;

const STATUS_EXAMPLES = `
Examples:
  turnwise status --queue postgres://turnwise@db.internal/turnwise
  turnwise status 4f2a91c0 --record run && turnwise report run.turnwise.zip

Exit codes: 0 shown, whatever the verdict of the run; 2 usage error, or the queue cannot be used.`;
