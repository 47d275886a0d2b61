import { loadRun } from '../app/load-run.ts';
import { type PromptCatalogue, promptCatalogue } from '../app/prompt-catalogue.ts';
import { turnPrompts } from '../app/turn-prompts.ts';
import { loadConfiguration } from '../config/load.ts';
import { findMetric } from '../config/metric-names.ts';
import { expandPresets, PRESET_NAMES } from '../config/presets.ts';
import { REGISTRY } from '../config/registry.ts';
import type { Configuration } from '../config/schema.ts';
import { didYouMean } from '../config/suggest.ts';
import { redactSecrets } from '../core/secrets.ts';
import { EXIT_CODES } from '../core/verdict.ts';
import { withPipe } from '../input/node-file-system.ts';
import { allMetrics } from '../metrics/custom/metric-table.ts';
import type { Metric } from '../metrics/metric.ts';
import { escapeInvisible, sanitizeLine, wrap } from '../reports/terminal-text.ts';
import type { CommandHost } from './host.ts';
import { listenForInterrupt } from './interrupt.ts';
import { writeStdout } from './output-file.ts';
import { printProblems } from './print-problems.ts';
import { promptCatalogueText, simulatedUserText } from './prompt-catalogue-text.ts';
import { turnPromptsText } from './turn-prompts-text.ts';
import { parseTurnSelector, selectTurn } from './turn-selector.ts';
import { UsageError } from './usage-error.ts';

export interface PromptsArguments {
  readonly metric?: readonly string[];
  readonly turn?: string;
  readonly config?: string;
  readonly questionsPerCall?: number;
  readonly format: 'text' | 'json';
}

/** `turnwise prompts`. Sends nothing. @returns the exit code. @throws UsageError */
export async function promptsCommand(args: PromptsArguments, host: CommandHost): Promise<number> {
  using interrupt = listenForInterrupt(host);
  const { signal } = interrupt;
  const loaded = await loadConfiguration({
    cwd: host.cwd,
    file: args.config,
    flags: { questionsPerCall: args.questionsPerCall },
    registry: REGISTRY,
    code: 'skip',
  });
  await printProblems(host, loaded.problems);
  const { configuration } = loaded;
  if (!configuration) return EXIT_CODES.input;
  const metrics = allMetrics(configuration.custom);
  const run: PromptsContext = {
    configuration,
    metrics,
    named: selectMetrics(args.metric ?? [], metrics),
    args,
    host,
    signal,
  };
  try {
    return await (args.turn === undefined ? printCatalogue(run) : printTurnPrompts(args.turn, run));
  } catch (error) {
    if (signal.aborted) return EXIT_CODES.interrupted;
    throw error;
  }
}

interface PromptsContext {
  readonly configuration: Configuration;
  /** All metrics, including the configuration's own. */
  readonly metrics: readonly Metric[];
  readonly named: MetricSelection;
  readonly args: PromptsArguments;
  readonly host: CommandHost;
  readonly signal: AbortSignal;
}

/** The metrics that `--metric` names. */
interface MetricSelection {
  readonly metrics: readonly Metric[];
  /** Whether the question of the run is named. */
  readonly run: boolean;
  /** Whether the prompt of the simulated user is named. */
  readonly simulatedUser: boolean;
  /** Whether nothing is named. */
  readonly all: boolean;
}

/** Names of the question that merges groups of failures; the second one is Agentest's. */
const FAILURE_GROUPS = ['failure_groups', 'error_deduplication'];

/** Names the prompt of the model that plays the user of a scenario. */
const SIMULATED_USER = 'simulated_user';

function selectMetrics(args: readonly string[], all: readonly Metric[]): MetricSelection {
  const names = expandPresets(args);
  const ofRun = names.filter((name) => FAILURE_GROUPS.includes(name));
  const others = names.filter((name) => !ofRun.includes(name) && name !== SIMULATED_USER);
  const metrics = others.map((name) => requireMetric(name, all));
  return {
    metrics: [...new Set(metrics)],
    run: ofRun.length > 0,
    simulatedUser: names.includes(SIMULATED_USER),
    all: names.length === 0,
  };
}

function requireMetric(name: string, all: readonly Metric[]): Metric {
  const metric = findMetric(name, all);
  if (metric) return metric;
  const names = all.flatMap((metric) => [metric.name, ...(metric.aliases ?? [])]);
  const meant = didYouMean(name, [...names, ...PRESET_NAMES, ...FAILURE_GROUPS, SIMULATED_USER]);
  throw new UsageError(`Unknown metric "${name}".${meant} \`turnwise metrics\` lists them.`);
}

async function printCatalogue({ configuration, metrics, named, args, host, signal }: PromptsContext): Promise<number> {
  const all = await promptCatalogue(configuration, { env: host.env, signal });
  const selection = named.all ? all : restricted(all, named);
  const text = function* () {
    if (selection.askers.length > 0) yield* promptCatalogueText(selection, host.stdout.columns);
    if (selection.simulatedUser) yield* simulatedUserText(selection.simulatedUser, host.stdout.columns);
    yield* metricsWithoutQuestions(named, metrics, host);
  };
  await writeStdout(args.format === 'json' ? [json(selection)] : text(), host);
  return EXIT_CODES.passed;
}

/** Only the named metrics, with the facts that they depend on. */
function restricted(all: PromptCatalogue, { metrics, run, simulatedUser }: MetricSelection): PromptCatalogue {
  const askers = all.askers.filter(({ metric }) =>
    metric === null ? run : metrics.some(({ name }) => name === metric.name),
  );
  const needed = new Set(askers.flatMap(({ questions }) => questions.flatMap(({ facts }) => facts)));
  // A fact may depend on others, which come before it.
  for (const fact of all.facts.toReversed()) {
    if (needed.has(fact.name)) for (const name of fact.facts) needed.add(name);
  }
  const questionNames = new Set([...needed, ...askers.flatMap(({ questions }) => questions.map(({ name }) => name))]);
  const layout = all.layout.map((part) =>
    part.filter((line) => !line.startsWith('## ') || questionNames.has(line.slice(3))),
  );
  return {
    ...all,
    layout,
    askers,
    facts: all.facts.filter(({ name }) => needed.has(name)),
    simulatedUser: simulatedUser ? all.simulatedUser : null,
  };
}

/** A sentence for each metric without questions. */
function* metricsWithoutQuestions(
  { metrics }: MetricSelection,
  all: readonly Metric[],
  host: CommandHost,
): Generator<string> {
  for (const metric of metrics.filter(({ usesJudge }) => !usesJudge)) {
    const read = judgedDependencies(metric, all);
    const others = read.length === 0 ? '' : ` It is derived from ${read.join(', ')}: see --metric ${read[0]}.`;
    yield sentence(`${metric.name} has no questions for a judge.${others}`, host);
  }
}

function sentence(text: string, { stdout }: CommandHost): string {
  return `${wrap(text, Math.min(100, stdout.columns)).join('\n')}\n`;
}

/** The metrics with questions that a metric depends on, directly or indirectly. */
function judgedDependencies({ uses = [] }: Metric, all: readonly Metric[]): string[] {
  const metrics = uses.flatMap((name) => {
    const used = findMetric(name, all);
    return used ? [...(used.usesJudge ? [used.name] : []), ...judgedDependencies(used, all)] : [];
  });
  return [...new Set(metrics)];
}

const SIMULATED_USER_NOTE =
  'simulated_user is asked while an attempt is made, not about a turn. Use it without --turn.';
const RUN_QUESTION_NOTE = 'failure_groups is one question about the failures of a whole run. Use it without --turn.';

async function printTurnPrompts(
  which: string,
  { configuration, metrics, named, args, host, signal }: PromptsContext,
): Promise<number> {
  const wanted = await parseTurnSelector(which, host);
  const judged = named.metrics.filter((metric) => metric.usesJudge);
  const around = function* () {
    yield* metricsWithoutQuestions(named, metrics, host);
    if (named.run) yield sentence(RUN_QUESTION_NOTE, host);
    if (named.simulatedUser) yield sentence(SIMULATED_USER_NOTE, host);
  };
  if (!named.all && judged.length === 0) {
    await writeStdout(args.format === 'json' ? [json({ calls: [] })] : around(), host);
    return EXIT_CODES.passed;
  }
  const stdin = () => host.readStdin(signal);
  const files = withPipe(wanted.file);
  const loaded = await loadRun([wanted.file], configuration, { files, signal, stdin });
  signal.throwIfAborted();
  const { sessions, locator, configuration: settings } = loaded;
  await printProblems(host, loaded.problems, { locator });
  if (sessions.length === 0) return EXIT_CODES.input;
  const { session, index } = selectTurn(wanted, sessions);
  const prompts = await turnPrompts(session, index, settings, { env: host.env, signal, metrics: judged });
  const pointer = session.turns[index]?.pointer ?? '';
  const title = `${sanitizeLine(wanted.file)}, turn ${index + 1} of ${session.turns.length} (${sanitizeLine(pointer)})`;
  const text = function* () {
    const { turnsPerCall } = settings.judge;
    yield* turnPromptsText(prompts, { title, turnsPerCall, columns: host.stdout.columns });
    yield* around();
  };
  const about = { file: wanted.file, session: redactSecrets(session.id), turn: { index, pointer } };
  // The parts of the prompt become properties of the call.
  const calls = prompts.calls.map(({ prompt, ...call }) => ({ ...call, ...prompt }));
  await writeStdout(args.format === 'json' ? [json({ ...about, ...prompts, calls })] : text(), host);
  return EXIT_CODES.passed;
}

function json(value: unknown): string {
  return `${escapeInvisible(JSON.stringify(value, null, 2))}\n`;
}
