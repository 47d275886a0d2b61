import {
  type BestOf,
  type Contestant,
  type Criterion,
  criterionOf,
  estimateBestOf,
  findBest,
  judgeFor,
} from '../app/best-of.ts';
import { type OpenedContestant, openContestant } from '../app/contestants.ts';
import { requiredModels, requiresModels } from '../app/required-models.ts';
import { openRunModels } from '../app/run-models.ts';
import { type LoadedConfiguration, loadConfiguration } from '../config/load.ts';
import { REGISTRY } from '../config/registry.ts';
import type { Configuration } from '../config/schema.ts';
import { errorMessage } from '../core/error-message.ts';
import { redactJsonValue } from '../core/secrets.ts';
import { EXIT_CODES } from '../core/verdict.ts';
import { formatsWithMappings } from '../formats/mapped/mapped-format.ts';
import { nodeFileSystem } from '../input/node-file-system.ts';
import { escapeInvisible } from '../reports/terminal-text.ts';
import type { Tournament } from '../runs/best-of/tournament.ts';
import { dataFolder } from '../store/home.ts';
import { openRunStore } from '../store/runs/run-store.ts';
import { bestOfDryRunText, bestOfMarkdown, bestOfText } from './best-of-text.ts';
import { checkInputFormat, configurationFlags, type EvalArguments } from './eval-options.ts';
import type { CommandHost } from './host.ts';
import { listenForInterrupt } from './interrupt.ts';
import { createCallFormatter } from './judge-call-text.ts';
import { requireConsent } from './model-consent.ts';
import { checkNotInputs, checkOutputFile, writeOutput } from './output-file.ts';
import { refuseEditorModels, requireApiKeys, requireWholePlan } from './preconditions.ts';
import { printProblems } from './print-problems.ts';
import { UsageError } from './usage-error.ts';

/** The options of `turnwise compare --best-of`. */
export interface BestOfArguments
  extends Pick<
    EvalArguments,
    | 'judge'
    | 'judgeUrl'
    | 'maxCalls'
    | 'concurrency'
    | 'cache'
    | 'config'
    | 'inputFormat'
    | 'dryRun'
    | 'yes'
    | 'out'
    | 'quiet'
    | 'verbose'
  > {
  /** The metric whose criterion decides. */
  readonly bestOf: string;
  readonly tournament: Tournament;
  readonly format: 'table' | 'json' | 'markdown';
}

const MOST_CONTESTANTS = 8;

const EXTENSIONS = { table: '.txt', json: '.json', markdown: '.md' } as const;

/** `turnwise compare --best-of`. @returns the exit code; 3 where there is no judge. @throws UsageError */
export async function bestOfCommand(
  references: readonly string[],
  args: BestOfArguments,
  host: CommandHost,
): Promise<number> {
  if (references.length < 2 || references.length > MOST_CONTESTANTS) {
    throw new UsageError(
      `--best-of takes 2 to ${MOST_CONTESTANTS} runs or traces, such as: turnwise compare old/ new/ --best-of goal_completion --judge openai:gpt-5-mini.`,
    );
  }
  using interrupt = listenForInterrupt(host);
  const { signal } = interrupt;
  const output = { file: args.out, option: `--out ${args.out}` };
  await checkOutputFile(output, host, EXTENSIONS[args.format]);
  const loaded = await loadConfiguration({
    cwd: host.cwd,
    file: args.config,
    flags: configurationFlags(args),
    registry: REGISTRY,
    code: args.dryRun ? 'skip' : 'run',
  });
  await printProblems(host, loaded.problems, args);
  const { configuration } = loaded;
  if (!configuration || loaded.problems.some(({ severity }) => severity === 'error')) return EXIT_CODES.input;
  checkInputFormat(args.inputFormat, formatsWithMappings(configuration.map));
  refuseEditorModels(configuration, loaded, args.judge);
  if (args.dryRun) requireWholePlan(loaded);
  else requireApiKeys(configuration, { ...host.env, ...loaded.keys });
  const criterion = requireCriterion(args.bestOf, configuration);
  try {
    const opened = await openContestants(references, configuration, args, { host, signal });
    const problems = opened.flatMap((run) => run.problems);
    await printProblems(host, problems, args);
    const read = [loaded.file, loaded.agentestFile, ...opened.flatMap(({ paths }) => paths)].flatMap(
      (path) => path ?? [],
    );
    await checkNotInputs([output], { paths: read, others: [] }, nodeFileSystem, host, signal);
    const play = args.dryRun ? runDry : runTournament;
    const contestants = opened.map(({ contestant }) => contestant);
    const { text, code } = await play(contestants, criterion, { configuration, loaded, args, host, signal });
    signal.throwIfAborted();
    await writeOutput(text, output, read, host);
    return problems.some(({ severity }) => severity === 'error') ? EXIT_CODES.input : code;
  } catch (error) {
    if (signal.aborted) return EXIT_CODES.interrupted;
    throw error;
  }
}

/** @throws UsageError */
function requireCriterion(metric: string, { custom }: Configuration): Criterion {
  try {
    return criterionOf(metric, custom);
  } catch (error) {
    throw new UsageError(errorMessage(error));
  }
}

/** @throws UsageError */
async function openContestants(
  references: readonly string[],
  configuration: Configuration,
  { inputFormat }: BestOfArguments,
  { host, signal }: { readonly host: CommandHost; readonly signal: AbortSignal },
): Promise<readonly OpenedContestant[]> {
  const warnings: string[] = [];
  using store = openRunStore(dataFolder(host.env), { cwd: host.cwd, warn: (sentence) => warnings.push(sentence) });
  const opened: OpenedContestant[] = [];
  try {
    for (const reference of references) {
      opened.push(await openContestant(reference, configuration, { store, cwd: host.cwd, signal, inputFormat }));
    }
  } catch (error) {
    if (signal.aborted) throw error;
    throw new UsageError(errorMessage(error));
  } finally {
    for (const warning of warnings) await host.stderr.write(`turnwise: ${warning}\n`);
  }
  return opened;
}

interface BestOfContext {
  readonly configuration: Configuration;
  readonly loaded: LoadedConfiguration;
  readonly args: BestOfArguments;
  readonly host: CommandHost;
  readonly signal: AbortSignal;
}

interface CommandResult {
  readonly text: string;
  readonly code: number;
}

async function runDry(
  contestants: readonly Contestant[],
  criterion: Criterion,
  { configuration, loaded, args: { tournament, cache, format }, host, signal }: BestOfContext,
): Promise<CommandResult> {
  const env = { ...host.env, ...loaded.keys };
  const usage = await estimateBestOf(contestants, configuration, { criterion, tournament, env, cache, signal });
  if (!usage) return withoutJudge(criterion, format);
  const text = format === 'json' ? jsonText({ criterion, tournament, usage }) : bestOfDryRunText(criterion, usage);
  return { text, code: EXIT_CODES.passed };
}

async function runTournament(
  contestants: readonly Contestant[],
  criterion: Criterion,
  { configuration, loaded, args, host, signal }: BestOfContext,
): Promise<CommandResult> {
  const env = requiresModels(requiredModels(configuration))
    ? await requireConsent({ configuration, loaded, args, signal }, host)
    : host.env;
  const textOf = createCallFormatter();
  using models = await openRunModels(configuration, {
    env,
    cache: args.cache,
    signal,
    ...(args.verbose && !args.quiet ? { onCall: (call) => void host.stderr.write(textOf(call)) } : {}),
  });
  const judge = judgeFor(criterion, models.judges);
  if (!judge) return withoutJudge(criterion, args.format);
  const best = await findBest(contestants, { criterion, tournament: args.tournament, judge });
  await printProblems(host, models.problems, args);
  return { text: reportText(best, args), code: isUnanswered(best) ? EXIT_CODES.undecided : EXIT_CODES.passed };
}

function reportText(best: BestOf, { format, verbose }: BestOfArguments): string {
  if (format === 'json') return jsonText(best);
  return format === 'markdown' ? bestOfMarkdown(best) : bestOfText(best, { verbose: verbose ?? false });
}

function withoutJudge(criterion: Criterion, format: BestOfArguments['format']): CommandResult {
  const reason = 'Nothing can be chosen without a judge. Name one, such as --judge openai:gpt-5-mini.';
  const text =
    format === 'json' ? jsonText({ status: 'needs_judge', reason, criterion }) : `Needs a judge. ${reason}\n`;
  return { text, code: EXIT_CODES.undecided };
}

/** Whether a match that has games has no answer at all. */
function isUnanswered({ matches }: BestOf): boolean {
  return matches.some(({ games, unanswered }) => games.length > 0 && unanswered === games.length);
}

function jsonText(value: object): string {
  return `${escapeInvisible(JSON.stringify({ schemaVersion: 1, ...value }, redactJsonValue, 2))}\n`;
}
