import { findProject } from '../app/git-state.ts';
import { filesOfRun } from '../app/recorded-files.ts';
import { reportOfRecord } from '../app/recorded-report.ts';
import { errorMessage } from '../core/error-message.ts';
import { sanitizeLine } from '../core/sanitize.ts';
import { EXIT_CODES } from '../core/verdict.ts';
import { agentReport } from '../reports/agent.ts';
import { isPlainPath } from '../reports/agent-text.ts';
import { recordedAgentestReport } from '../reports/agentest.ts';
import { shortRunId } from '../runs/run-label.ts';
import type { RunRecord } from '../runs/run-store.ts';
import { dataFolder } from '../store/home.ts';
import { OutcomeFile } from '../store/outcome-file.ts';
import { looksLikePath } from '../store/runs/find-run.ts';
import { openRunStore } from '../store/runs/run-store.ts';
import type { CommandHost } from './host.ts';
import { checkDifferentOutputs, parseReportOutputs, separateWritable, writeReports } from './report-outputs.ts';
import { UsageError } from './usage-error.ts';

export interface ReportArguments {
  readonly to?: readonly string[];
  readonly compact?: true;
  readonly verbose?: true;
  /** A line of the report `agent`. */
  readonly from?: number;
}

/** `turnwise report`. @returns the exit code. @throws UsageError */
export async function reportCommand(
  reference: string,
  { to, compact, verbose, from }: ReportArguments,
  host: CommandHost,
): Promise<number> {
  const outputs = parseReportOutputs(
    { report: to, compact },
    { host, option: '--to', others: [recordedAgentestReport] },
  );
  await checkDifferentOutputs(outputs, host);
  if (from !== undefined && outputs.every(({ writer }) => writer !== agentReport)) {
    throw new UsageError('--from continues the report agent. Add --to agent.');
  }
  const record = await findRecord(reference, host);
  using storage = new OutcomeFile();
  const report = await reportOfRecord(record, storage);
  const inputs = await filesOfRun([record], report, host.cwd);
  const { writable, errors } = await separateWritable(outputs, inputs, host);
  // What "last" means changes with the next run; a record elsewhere is found by its path only.
  const runReference = looksLikePath(reference) && isPlainPath(reference) ? reference : shortRunId(record.manifest.id);
  errors.push(
    ...(await writeReports(
      writable,
      { report, record, runReference, from, inputs, verbose: verbose === true, compact: compact === true },
      host,
    )),
  );
  for (const message of errors) await host.stderr.write(`turnwise: ${message}\n`);
  return errors.length > 0 ? EXIT_CODES.input : EXIT_CODES.passed;
}

/** @throws UsageError with what there is instead */
async function findRecord(reference: string, host: CommandHost): Promise<RunRecord> {
  const warn = (sentence: string) => void host.stderr.write(`warning: ${sanitizeLine(sentence)}\n`);
  using store = openRunStore(dataFolder(host.env), { cwd: host.cwd, warn });
  try {
    return await store.find(reference, await findProject(host.cwd));
  } catch (error) {
    throw new UsageError(errorMessage(error));
  }
}
