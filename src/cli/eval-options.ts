import type { Shard } from '../app/plan-shard.ts';
import type { ConfigFlags } from '../config/flags.ts';
import { didYouMean } from '../config/suggest.ts';
import type { Format } from '../formats/format.ts';
import type { Estimator } from '../metrics/attempts/pass-at-k.ts';
import { UsageError } from './usage-error.ts';

/** The arguments of `turnwise eval`, as parsed from the command line. */
export interface EvalArguments {
  readonly metrics?: readonly string[];
  readonly judge?: string;
  readonly embedder?: string;
  readonly judgeUrl?: string;
  readonly embedderUrl?: string;
  readonly questionsPerCall?: number;
  readonly turnsPerCall?: number;
  readonly maxCalls?: number;
  readonly cache: boolean;
  readonly tools?: string;
  readonly context?: string;
  readonly session?: string;
  readonly turn?: number;
  readonly sample?: number;
  /** The part of the sessions that is evaluated. */
  readonly shard?: Shard;
  /** Only sessions that are new since this run; true: since the last one. */
  readonly sinceRun?: string | true;
  readonly threshold?: readonly string[];
  readonly failOn?: string;
  readonly ignoreOutcome?: boolean;
  readonly concurrency?: number;
  readonly timeout?: number;
  readonly patience?: number;
  /** Threads that evaluate sessions. */
  readonly jobs?: number;
  readonly dryRun?: true;
  /** Traces may be sent to the hosts that the configuration names. */
  readonly yes?: true;
  readonly k?: readonly number[];
  readonly estimator?: Estimator;
  readonly correctBy?: string;
  readonly taskBy?: string;
  readonly agentVersion?: string;
  /** A file; true: the nearest one of the project. */
  readonly baseline?: string | true;
  readonly config?: string;
  readonly inputFormat?: string;
  readonly format?: string;
  readonly out?: string;
  /** `KIND` or `KIND=FILE`. */
  readonly report?: readonly string[];
  readonly compact?: true;
  /** A folder, a file, or `none`. */
  readonly record?: string;
  readonly name?: string;
  readonly withTranscripts?: true;
  /** A run, as `turnwise history` names it. */
  readonly resume?: string;
  /** `postgres://…`; true: that of the environment. */
  readonly queue?: string | true;
  /** False: workers alone evaluate. */
  readonly work?: boolean;
  /** Seconds. */
  readonly lease?: number;
  readonly quiet?: true;
  readonly verbose?: true;
}

/** @throws UsageError */
export function checkInputFormat(name: string | undefined, formats: readonly Format[]): void {
  const names = formats.map((format) => format.name);
  if (name === undefined || names.includes(name)) return;
  throw new UsageError(`There is no format "${name}".${didYouMean(name, names)} Formats: ${names.join(', ')}.`);
}

/** The part of the configuration that the command line sets. @throws UsageError */
export function configurationFlags(args: EvalArguments): ConfigFlags {
  return {
    metrics: args.metrics,
    thresholds: args.threshold?.map(parseThreshold),
    failOn: args.failOn,
    ignoreOutcome: args.ignoreOutcome,
    judge: args.judge,
    judgeUrl: args.judgeUrl,
    embedder: args.embedder,
    embedderUrl: args.embedderUrl,
    questionsPerCall: args.questionsPerCall,
    turnsPerCall: args.turnsPerCall,
    maxCalls: args.maxCalls,
    concurrency: args.concurrency,
    timeoutMs: args.timeout,
    patienceMs: args.patience,
    k: args.k,
    taskBy: args.taskBy,
  };
}

function parseThreshold(text: string): { readonly metric: string; readonly value: string } {
  const at = text.indexOf('=');
  if (at <= 0) throw new UsageError(`--threshold ${text} has no value; write METRIC=VALUE, as in coherence=0.5.`);
  return { metric: text.slice(0, at).trim(), value: text.slice(at + 1).trim() };
}
