import { spawn } from 'node:child_process';
import type { Configuration } from '../config/schema.ts';
import { errorMessage } from '../core/error-message.ts';
import type { Gate, Report, RunAlert } from '../core/report.ts';
import type { RecordedRun } from '../core/run-record.ts';
import { redactJsonValue } from '../core/secrets.ts';
import type { RunStore } from '../runs/run-store.ts';
import { checkAlerts } from '../runs/trend/alerts.ts';
import { loadRuns, TREND_RUNS } from '../runs/trend/load-runs.ts';

/**
 * Adds the alerts of a run to its report. Those that gate fail it.
 *
 * @param run null where it could not be recorded: like an incomplete one, it is not compared with the runs before it.
 */
export async function addAlerts(
  report: Report,
  { alerts: { when } }: Pick<Configuration, 'alerts'>,
  run: RecordedRun | null,
  { store, project }: { readonly store: RunStore; readonly project: string },
): Promise<Report> {
  if (when.length === 0 || run?.manifest.state !== 'complete') return report;
  const { id, startedAt: until } = run.manifest;
  const { runs } = await loadRuns(store, { project, limit: TREND_RUNS - 1, until });
  const alerts = checkAlerts([...runs.filter(({ manifest }) => manifest.id !== id), run], when);
  const gates = alerts.flatMap((alert) => (alert.gate ? [toGate(alert)] : []));
  return {
    ...report,
    alerts,
    gates: [...report.gates, ...gates],
    verdict: gates.length > 0 ? 'failed' : report.verdict,
  };
}

/** Of the alerts of a recorded run, those that the complete run before it did not have. */
export function newAlerts(
  { alerts = [], run: { id } }: Report,
  { store, project }: { readonly store: RunStore; readonly project: string },
): readonly RunAlert[] {
  if (alerts.length === 0) return [];
  const runs = store.list({ project, limit: TREND_RUNS }).map(({ manifest }) => manifest);
  const before = runs.slice(runs.findIndex((run) => run.id === id) + 1).find(({ state }) => state === 'complete');
  const known = new Set((before?.alerts ?? []).map(alertKey));
  return alerts.filter((alert) => !known.has(alertKey(alert)));
}

function alertKey({ metric, kind, direction }: RunAlert): string {
  return JSON.stringify([metric, kind, direction]);
}

function toGate({ metric, reference, value, message }: RunAlert): Gate {
  return {
    scope: 'run',
    subject: null,
    metric,
    threshold: reference,
    actual: value,
    scored: 1,
    of: 1,
    met: false,
    reason: message,
    alert: true,
  };
}

/** A command that takes longer is ended: the report waits for it. */
const TIME_LIMIT_MS = 30_000;

/**
 * Runs the command of the configuration for each alert, which is JSON on its standard input; no shell reads it. Never for a
 * configuration that the user does not trust to run programs.
 *
 * @param cwd the folder of the configuration. @returns what failed, a sentence each.
 */
export async function runAlertCommand(
  command: readonly string[],
  { alerts = [], run: { id, startedAt, agentVersion } }: Report,
  { cwd, signal }: { readonly cwd: string; readonly signal: AbortSignal },
): Promise<string[]> {
  const failures: string[] = [];
  for (const alert of alerts) {
    const input = JSON.stringify({ ...alert, run: { id, startedAt, agentVersion } }, redactJsonValue);
    const failure = await runWithInput(command, input, { cwd, signal });
    if (failure !== null) failures.push(`The command of alerts failed: ${failure}.`);
  }
  return failures;
}

/** @returns why it failed; null where it ended with exit code 0. */
function runWithInput(
  [program = '', ...args]: readonly string[],
  input: string,
  { cwd, signal }: { readonly cwd: string; readonly signal: AbortSignal },
): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const child = spawn(program, args, {
    cwd,
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIME_LIMIT_MS)]),
    killSignal: 'SIGKILL',
    stdio: ['pipe', 'ignore', 'ignore'],
    windowsHide: true,
  });
  child.once('error', (error) =>
    resolve(error.name === 'AbortError' ? `it took longer than ${TIME_LIMIT_MS / 1000} s` : errorMessage(error)),
  );
  child.once('close', (code, killedBy) =>
    resolve(code === 0 ? null : `it ended with ${killedBy ?? `exit code ${code}`}`),
  );
  // A program that does not read its input closes the pipe.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  return promise;
}
