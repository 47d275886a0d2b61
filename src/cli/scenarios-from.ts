import { resolve } from 'node:path';
import { evaluateFiles } from '../app/evaluate-files.ts';
import { loadConfiguration } from '../config/load.ts';
import { REGISTRY } from '../config/registry.ts';
import { withoutSlowParts } from '../config/without-models.ts';
import type { Session } from '../core/session.ts';
import { EXIT_CODES } from '../core/verdict.ts';
import { describeSystemError } from '../input/system-error.ts';
import { WouldReplaceInput, writeFile } from '../output/write-file.ts';
import { findingsBySession, NO_FINDINGS } from '../report-model/session-findings.ts';
import { sanitizeLine } from '../reports/terminal-text.ts';
import { draftScenario } from '../scenarios/scenario-from-session.ts';
import { type ScenarioText, writeScenarioText } from '../scenarios/scenario-text.ts';
import type { EvalArguments } from './eval-options.ts';
import type { CommandHost } from './host.ts';
import { writeStdout } from './output-file.ts';
import { printProblems } from './print-problems.ts';
import { UsageError } from './usage-error.ts';

export interface ScenarioFromArguments
  extends Pick<EvalArguments, 'config' | 'session' | 'turn' | 'out' | 'quiet' | 'verbose'> {}

/** `turnwise scenarios --from`: a scenario made from a session. @returns the exit code. @throws UsageError */
export async function scenarioFromTrace(
  trace: string,
  args: ScenarioFromArguments,
  host: CommandHost,
  signal: AbortSignal,
): Promise<number> {
  const { config: file, session: id, turn, out } = args;
  if (out !== undefined && !/\.ya?ml$/.test(out)) {
    throw new UsageError(`--out: the scenario is YAML. Name a file such as ${nameBeside(trace)}.`);
  }
  const loaded = await loadConfiguration({ cwd: host.cwd, file, registry: REGISTRY });
  if (!loaded.configuration) {
    await printProblems(host, loaded.problems, args);
    return EXIT_CODES.input;
  }
  const { report, sessions } = await evaluateFiles([trace], withoutSlowParts(loaded.configuration), {
    signal,
    env: host.env,
    ...(id === undefined ? {} : { session: id }),
  });
  if (signal.aborted) return EXIT_CODES.interrupted;
  const problems = [...loaded.problems, ...report.problems];
  await printProblems(host, problems, args);
  if (problems.some(({ severity }) => severity === 'error')) return EXIT_CODES.input;
  const session = onlySession(sessions, trace);
  if (turn !== undefined && !session.turns[turn - 1]) {
    throw new UsageError(`--turn: ${sanitizeLine(session.id)} has ${session.turns.length} turns, and no turn ${turn}.`);
  }
  const found = findingsBySession(report).get(session.id) ?? NO_FINDINGS;
  const outcome = report.sessions.find(({ id }) => id === session.id)?.outcome ?? UNKNOWN_OUTCOME;
  const draft = draftScenario({ session, found, outcome }, turn === undefined ? null : turn - 1);
  if (!draft) throw new UsageError(`--from: ${sanitizeLine(session.id)} has no turn that the agent answered.`);
  const scenario = await writeScenarioText(draft);
  if (out === undefined) await writeStdout([scenario.text], host);
  else await writeNewFile(scenario, out, { trace, host, isQuiet: args.quiet ?? false });
  return EXIT_CODES.passed;
}

const UNKNOWN_OUTCOME = { status: 'unknown', reason: 'It was not evaluated.' } as const;

function nameBeside(trace: string): string {
  return `${trace.replace(/\.[^./\\]+$/, '')}.scenario.yaml`;
}

const MAX_LISTED = 20;

function onlySession(sessions: readonly Session[], trace: string): Session {
  const [only, ...others] = sessions;
  if (!only) throw new UsageError(`--from: ${trace} has no session.`);
  if (others.length === 0) return only;
  const listed = sessions.slice(0, MAX_LISTED).map(({ id }) => `  ${sanitizeLine(id)}`);
  const more = sessions.length > MAX_LISTED ? [`  and ${sessions.length - MAX_LISTED} more`] : [];
  const lines = [...listed, ...more].join('\n');
  throw new UsageError(`--from: ${trace} has ${sessions.length} sessions. Choose one with --session:\n${lines}`);
}

async function writeNewFile(
  { text, blankLine }: ScenarioText,
  out: string,
  { trace, host, isQuiet }: { readonly trace: string; readonly host: CommandHost; readonly isQuiet: boolean },
): Promise<void> {
  try {
    await writeFile(resolve(host.cwd, out), text, { isNew: true, inputs: [resolve(host.cwd, trace)] });
  } catch (error) {
    const exists =
      error instanceof WouldReplaceInput || (error instanceof Error && 'code' in error && error.code === 'EEXIST');
    throw new UsageError(
      exists
        ? `--out: ${out} exists, and is not replaced. Name another file.`
        : `--out: ${out} cannot be written: ${describeSystemError(error)}.`,
    );
  }
  if (isQuiet) return;
  const next = blankLine === null ? '' : ` Complete the expectations: ${sanitizeLine(out)}:${blankLine + 1}`;
  await host.stderr.write(`Written to ${sanitizeLine(out)}.${next}\n`);
}
