import { dirname, join, relative, resolve } from 'node:path';
import {
  calibrateRisk,
  hasEnough,
  type LabelledSessions,
  MIN_LABELLED,
  type RiskCalibration,
  readLabelledSessions,
} from '../app/risk-calibration.ts';
import { type LoadedConfiguration, loadConfiguration } from '../config/load.ts';
import { REGISTRY } from '../config/registry.ts';
import type { Configuration } from '../config/schema.ts';
import { pluralize } from '../core/text/pluralize.ts';
import { RISK_FILE } from '../core/trace-file-names.ts';
import { EXIT_CODES } from '../core/verdict.ts';
import { formatsWithMappings } from '../formats/mapped/mapped-format.ts';
import { nodeFileSystem } from '../input/node-file-system.ts';
import { calibrationText } from './calibration-text.ts';
import { checkInputFormat } from './eval-options.ts';
import type { CommandHost } from './host.ts';
import { findInputs } from './inputs.ts';
import { listenForInterrupt } from './interrupt.ts';
import { checkNotInputs, checkOutputFile, type OutputFile, writeOutput, writeStdout } from './output-file.ts';
import { printProblems } from './print-problems.ts';
import { UsageError } from './usage-error.ts';

export interface CalibrateArguments {
  readonly config?: string;
  readonly inputFormat?: string;
  readonly out?: string;
  readonly force?: true;
  readonly dryRun?: true;
  readonly format: 'table' | 'json';
  readonly quiet?: true;
  readonly verbose?: true;
}

/** `turnwise calibrate risk`. @returns the exit code. @throws UsageError */
export async function calibrateRiskCommand(
  patterns: readonly string[],
  args: CalibrateArguments,
  host: CommandHost,
): Promise<number> {
  using interrupt = listenForInterrupt(host);
  const { signal } = interrupt;
  const loaded = await loadConfiguration({ cwd: host.cwd, file: args.config, registry: REGISTRY });
  // Broken weights are about to be replaced.
  const settings = loaded.problems.filter(({ file }) => file !== loaded.riskFile);
  await printProblems(host, settings, args);
  const { configuration } = loaded;
  if (!configuration || settings.some(({ severity }) => severity === 'error')) return EXIT_CODES.input;
  checkInputFormat(args.inputFormat, formatsWithMappings(configuration.map));
  checkUse(configuration, loaded, args);
  const output = await outputFile(loaded, args, host);
  try {
    const expanded = await findInputs(patterns, loaded, host, signal);
    const others = [loaded.file, loaded.agentestFile].flatMap((file) => file ?? []);
    await checkNotInputs([output], { paths: expanded.paths, others }, expanded.files, host, signal);
    const read = await readLabelledSessions(expanded.paths, configuration, {
      signal,
      files: expanded.files,
      inputFormat: args.inputFormat,
      stdin: () => host.readStdin(signal),
    });
    const problems = [...expanded.problems, ...read.problems];
    await printProblems(host, problems, args);
    if (problems.some(({ severity }) => severity === 'error')) return EXIT_CODES.input;
    checkEnough(read);
    const calibration = calibrateRisk(read);
    const isStored = (calibration.isBetter || args.force === true) && !args.dryRun;
    if (isStored) await writeOutput(fileText(calibration), output, [...others, ...read.sources], host);
    const file = isStored ? (output.file ?? null) : null;
    await writeStdout(
      args.format === 'json'
        ? jsonText(read, calibration, file)
        : calibrationText(read, calibration, { ...args, file }),
      host,
    );
    return EXIT_CODES.passed;
  } catch (error) {
    if (signal.aborted) return EXIT_CODES.interrupted;
    throw error;
  }
}

/** @throws UsageError where the weights would have no effect. */
function checkUse({ judge, risk }: Configuration, loaded: LoadedConfiguration, { dryRun }: CalibrateArguments): void {
  if (judge.provider === 'none') {
    throw new UsageError(
      'The configuration switches the rules off ("judge.provider" is none), and session_risk is made of what they find. Use the provider rules.',
    );
  }
  if (risk && loaded.riskFile === null && !dryRun) {
    throw new UsageError(
      `The weights under "risk" in ${loaded.file ?? 'the configuration'} win over a ${RISK_FILE}. Remove them first, or add --dry-run to compare only.`,
    );
  }
}

/** Beside the configuration; without one, where weights are now or would be found. @throws UsageError */
async function outputFile(
  loaded: LoadedConfiguration,
  args: CalibrateArguments,
  host: CommandHost,
): Promise<OutputFile> {
  const beside = loaded.file ?? loaded.agentestFile;
  const place = beside === null ? (loaded.riskFile ?? RISK_FILE) : join(dirname(beside), RISK_FILE);
  const output = { file: args.out ?? place, option: args.out === undefined ? 'calibrate risk' : `--out ${args.out}` };
  if (args.dryRun) return output;
  const path = resolve(host.cwd, output.file);
  if (args.out === undefined && (await nodeFileSystem.leadsOutside(path, dirname(path)))) {
    throw new UsageError(`${relative(host.cwd, path)} is a link that leads out of its folder. Delete it first.`);
  }
  await checkOutputFile(output, host);
  return output;
}

/** @throws UsageError where no difference could be told from chance. */
function checkEnough(read: LabelledSessions): void {
  if (hasEnough(read)) return;
  const { failed, succeeded, tasks, unlabelled } = read;
  const left = unlabelled === 0 ? '' : ` ${pluralize(unlabelled, 'session')} without an outcome cannot be used.`;
  throw new UsageError(
    `Too few sessions with an outcome: ${failed} failed and ${succeeded} succeeded, of ${pluralize(tasks, 'task')}.${left} At least ${MIN_LABELLED.sessions} of each and ${MIN_LABELLED.tasks} tasks are needed; docs/outcomes.md says how to label sessions.`,
  );
}

function fileText({ coefficients }: RiskCalibration): string {
  return `${JSON.stringify(coefficients, null, 2)}\n`;
}

function jsonText(read: LabelledSessions, calibration: RiskCalibration, file: string | null): string {
  const { samples, failed, tasks, unlabelled } = read;
  return `${JSON.stringify({ sessions: samples.length, failed, tasks, unlabelled, ...calibration, file }, null, 2)}\n`;
}
