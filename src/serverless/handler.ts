import { randomBytes } from 'node:crypto';
import { evaluateFileStream } from '../app/evaluate-files.ts';
import { remoteModelHosts } from '../app/model-hosts.ts';
import { requiredModels } from '../app/required-models.ts';
import { checkConfiguration } from '../config/check.ts';
import { REGISTRY } from '../config/registry.ts';
import type { Configuration } from '../config/schema.ts';
import { didYouMean } from '../config/suggest.ts';
import { hostOf } from '../core/model-host.ts';
import { REPORT_WRITERS } from '../reports/index.ts';
import type { ReportWriter } from '../reports/report-writer.ts';
import { OutcomeFile } from '../store/outcome-file.ts';
import { type EvaluationAnswer, type EvaluationEvent, evaluationEventSchema, RefusedEvent } from './event.ts';
import { memoryFiles } from './memory-files.ts';
import { type DownloadRules, downloadTrace } from './trace-download.ts';

export type { EvaluationAnswer, EvaluationEvent } from './event.ts';

/** What a deployment allows. */
export interface HandlerOptions extends Partial<DownloadRules> {
  /** Hosts of models that an event may name. */
  readonly modelHosts?: readonly string[];
  /** Of all traces of an event together. Default: 50 MB. */
  readonly maxBytes?: number;
  /** Default: a minute. The report then has what was evaluated, and is undecided. */
  readonly timeLimitMs?: number;
  /** Environment variables with API keys; by default those of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

const MAX_TRACES = 100;
const MAX_BYTES = 50_000_000;
const TIME_LIMIT_MS = 60_000;

/**
 * Makes a handler for function platforms: traces and a configuration in, a report out. Never rejects for what an event has.
 *
 * Configurations are data: they name no code, no files, and no hosts but those that the deployment allows.
 */
export function createHandler(options: HandlerOptions): (event: unknown) => Promise<EvaluationAnswer> {
  return async (event) => {
    try {
      return await evaluateEvent(event, options);
    } catch (error) {
      if (error instanceof RefusedEvent) return { status: 'refused', reason: error.message };
      throw error;
    }
  };
}

/**
 * The handler whose limits are in the environment: TURNWISE_TRACE_HOSTS, TURNWISE_PRIVATE_TRACE_HOSTS, TURNWISE_TRUSTED_HOSTS (of
 * models), TURNWISE_MAX_BYTES and TURNWISE_TIME_LIMIT_MS.
 */
export async function handler(event: unknown): Promise<EvaluationAnswer> {
  const { env } = process;
  return await createHandler({
    allowedHosts: listOf(env.TURNWISE_TRACE_HOSTS),
    privateHosts: listOf(env.TURNWISE_PRIVATE_TRACE_HOSTS),
    modelHosts: listOf(env.TURNWISE_TRUSTED_HOSTS),
    maxBytes: numberOf(env.TURNWISE_MAX_BYTES),
    timeLimitMs: numberOf(env.TURNWISE_TIME_LIMIT_MS),
  })(event);
}

function listOf(text = ''): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== '');
}

function numberOf(text: string | undefined): number | undefined {
  const number = Number(text ?? Number.NaN);
  return Number.isInteger(number) && number > 0 ? number : undefined;
}

async function evaluateEvent(written: unknown, options: HandlerOptions): Promise<EvaluationAnswer> {
  const { env = process.env, timeLimitMs = TIME_LIMIT_MS, modelHosts = [] } = options;
  const event = parseEvent(written);
  const writer = findWriter(event.report ?? 'json');
  const configuration = readConfiguration(event.configuration ?? {}, modelHosts);
  const signal = AbortSignal.timeout(timeLimitMs);
  const files = await readTraces(event, options, signal);
  using storage = new OutcomeFile();
  const { report, locator } = await evaluateFileStream([...files.keys()], configuration, {
    files: memoryFiles(files),
    storage,
    agentVersion: event.agentVersion,
    env,
    signal,
    // Nothing is stored between events, which may be of different people.
    cache: false,
    shared: { answerCache: null, boundaryKey: randomBytes(32) },
  });
  const text = await textOf(writer.write(report, { locator, terminal: false, color: false, columns: 80 }));
  const { name: kind, mediaType } = writer;
  return {
    status: 'evaluated',
    verdict: report.verdict,
    complete: report.run.complete,
    report: { kind, mediaType, text },
  };
}

/** @throws RefusedEvent */
function parseEvent(written: unknown): EvaluationEvent {
  const { success, data, error } = evaluationEventSchema.safeParse(written);
  if (success) return data;
  const [issue] = error.issues;
  const at = issue?.path.join('.');
  throw new RefusedEvent(
    `The event is not as described${at ? `, at ${at}` : ''}: ${issue?.message ?? 'it is not valid'}.`,
  );
}

/** @throws RefusedEvent */
function findWriter(name: string): ReportWriter {
  const writer = REPORT_WRITERS.find((one) => one.name === name);
  if (writer) return writer;
  const names = REPORT_WRITERS.map((one) => one.name);
  throw new RefusedEvent(`There is no report "${name}".${didYouMean(name, names)} Reports: ${names.join(', ')}.`);
}

/** @throws RefusedEvent */
function readConfiguration(written: unknown, modelHosts: readonly string[]): Configuration {
  const { configuration, issues } = checkConfiguration(written, REGISTRY);
  if (!configuration) throw new RefusedEvent(issues.map(({ message }) => message).join(' '));
  if (configuration.embedder.provider === 'static') {
    throw new RefusedEvent('The embedder "static" reads files, which an event cannot name.');
  }
  const allowed = new Set(modelHosts.map((host) => hostOf(host)));
  const refused = remoteModelHosts(requiredModels(configuration)).find(({ host }) => !allowed.has(host));
  if (refused) {
    throw new RefusedEvent(
      `Traces are not sent to ${refused.host}: TURNWISE_TRUSTED_HOSTS of the deployment does not name it.`,
    );
  }
  return configuration;
}

const FILE_NAME = /^[\w-][\w.-]{0,99}$/;

/** The files of an event by name. @throws RefusedEvent */
async function readTraces(
  { traces }: EvaluationEvent,
  { allowedHosts = [], privateHosts = [], maxBytes = MAX_BYTES }: HandlerOptions,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Uint8Array>> {
  if (traces.length > MAX_TRACES) throw new RefusedEvent(`An event has at most ${MAX_TRACES} traces.`);
  const files = new Map<string, Uint8Array>();
  let left = maxBytes;
  for (const [index, trace] of traces.entries()) {
    const name = trace.name ?? `trace-${index + 1}.json`;
    if (!FILE_NAME.test(name))
      throw new RefusedEvent('The name of a trace has letters, digits, ".", "_" and "-" alone.');
    if (files.has(name)) throw new RefusedEvent(`Two traces have the name ${name}.`);
    const bytes =
      'url' in trace
        ? await downloadInTime(trace.url, { allowedHosts, privateHosts }, left, signal)
        : Buffer.from(typeof trace.content === 'string' ? trace.content : JSON.stringify(trace.content));
    left -= bytes.length;
    if (left < 0) throw new RefusedEvent(`The traces are larger than ${maxBytes} bytes together.`);
    files.set(name, bytes);
  }
  return files;
}

/** @throws RefusedEvent */
async function downloadInTime(url: string, rules: DownloadRules, maxBytes: number, signal: AbortSignal) {
  try {
    return await downloadTrace(url, rules, maxBytes, signal);
  } catch (error) {
    if (signal.aborted) throw new RefusedEvent('The time limit ended before all traces were downloaded.');
    throw error;
  }
}

async function textOf(text: ReturnType<ReportWriter['write']>): Promise<string> {
  if (typeof text === 'string') return text;
  const parts: string[] = [];
  for await (const part of text) parts.push(part);
  return parts.join('');
}
