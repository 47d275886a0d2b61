import { findProject } from '../app/git-state.ts';
import { filesOfRun } from '../app/recorded-files.ts';
import { reportOfRecord } from '../app/recorded-report.ts';
import { errorMessage } from '../core/error-message.ts';
import { sanitizeLine } from '../core/sanitize.ts';
import type { Session } from '../core/session.ts';
import { EXIT_CODES } from '../core/verdict.ts';
import { agentestReport } from '../reports/agentest.ts';
import type { ReportWriter } from '../reports/report-writer.ts';
import type { RunRecord } from '../runs/run-store.ts';
import { dataFolder } from '../store/home.ts';
import { OutcomeFile } from '../store/outcome-file.ts';
import { openRunStore } from '../store/runs/run-store.ts';
import type { CommandHost } from './host.ts';
import { checkDifferentOutputs, parseReportOutputs, separateWritable, writeReports } from './report-outputs.ts';
import { UsageError } from './usage-error.ts';

export interface ReportArguments {
  readonly to?: readonly string[];
  readonly compact?: true;
  readonly verbose?: true;
}

/** `turnwise report`. @returns the exit code. @throws UsageError */
export async function reportCommand(
  reference: string,
  { to, compact, verbose }: ReportArguments,
  host: CommandHost,
): Promise<number> {
  const sessions = new Map<string, Session>();
  const agentest = agentestReport(sessions);
  const outputs = parseReportOutputs({ report: to, compact }, { host, option: '--to', others: [agentest] });
  await checkDifferentOutputs(outputs, host);
  const record = await findRecord(reference, host);
  using storage = new OutcomeFile();
  const report = await reportOfRecord(record, storage);
  const inputs = await filesOfRun([record], report, host.cwd);
  const { writable, errors } = await separateWritable(outputs, inputs, host);
  if (writable.some(({ writer }) => writer === agentest)) {
    for await (const session of record.transcripts()) sessions.set(session.id, session);
  }
  const isWithout = (writer: ReportWriter) => writer === agentest && sessions.size < report.sessions.length;
  const written = writable.filter(({ writer }) => !isWithout(writer));
  if (written.length < writable.length) errors.push(WITHOUT_TRANSCRIPTS);
  errors.push(
    ...(await writeReports(
      written,
      { report, record, inputs, verbose: verbose === true, compact: compact === true },
      host,
    )),
  );
  for (const message of errors) await host.stderr.write(`turnwise: ${message}\n`);
  return errors.length > 0 ? EXIT_CODES.input : EXIT_CODES.passed;
}

const WITHOUT_TRANSCRIPTS =
  'The report "agentest" has the conversations, and this run was recorded without them. Record runs with --with-transcripts.';

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
