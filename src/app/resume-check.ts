import { canonicalJson } from '../core/json.ts';
import type { RunManifest } from '../core/run-record.ts';
import { listSome } from '../core/text/lists.ts';
import { shortRunId } from '../runs/run-label.ts';

/** The part of a manifest that decides what a session's results are. */
export type ResumeBasis = Pick<
  RunManifest,
  'id' | 'tool' | 'inputs' | 'selection' | 'plan' | 'questions' | 'configuration' | 'sampling' | 'shard'
>;

/** An interrupted run cannot be continued as asked. The message is a sentence. */
export class ResumeRefused extends Error {
  override readonly name = 'ResumeRefused';
}

/**
 * Checks that a run would compute what the interrupted one did: then its results can stand beside new ones.
 *
 * @throws ResumeRefused with what changed, and the remedy
 */
export function checkResume(before: ResumeBasis, now: ResumeBasis): void {
  const changes = describeChanges(before, now);
  if (changes.length === 0) return;
  throw new ResumeRefused(
    `Run ${shortRunId(before.id)} cannot be continued: ${changes.join('; ')}. Restore that, or evaluate again without --resume: answers of models that are cached are not asked for again.`,
  );
}

/** What decides the results of a session, without what differs between parts of one run or does not matter. */
export function resumeBasis({
  tool,
  inputs,
  selection = {},
  plan: { id: _, startedAt: _at, concurrency: _calls, price: _price, ...plan },
  questions,
  configuration,
  sampling,
}: ResumeBasis): unknown {
  return { tool, inputs, selection, plan, questions, configuration, sampling };
}

/** What differs between two runs, or between parts of one, as clauses about the former. */
export function describeChanges(before: ResumeBasis, now: ResumeBasis): string[] {
  const differs = (part: (basis: ResumeBasis) => unknown) => canonicalJson(part(before)) !== canonicalJson(part(now));
  const changes: string[] = [];
  if (differs(({ tool }) => tool)) {
    changes.push(`it was recorded by Turnwise ${before.tool.version}, and this is ${now.tool.version}`);
  }
  if (differs(({ inputs }) => inputs)) {
    changes.push(`it evaluates ${before.inputs.join(' ')}, and not ${now.inputs.join(' ')}`);
  }
  if (differs(({ selection }) => selection ?? {})) changes.push('--session, --sample or --since-run changed');
  if (differs(({ plan }) => [plan.judge, plan.judges])) {
    changes.push(`the judge changed from ${judgesOf(before)} to ${judgesOf(now)}`);
  }
  if (differs(({ plan }) => plan.embedder)) changes.push('the embedder changed');
  if (differs(({ plan }) => plan.agentVersion)) changes.push('the version of the agent changed');
  const metrics = changedMetrics(before, now);
  if (metrics.length > 0) changes.push(`these metrics changed: ${listSome(metrics, NAMED, 2)}`);
  if (differs(({ plan }) => [plan.rulesEnabled, plan.rules, plan.severities, plan.stateChangingTools])) {
    changes.push('the settings of rules changed');
  }
  if (differs(({ plan }) => [plan.thresholds, plan.gates])) changes.push('the gates changed');
  // Neither how fast a judge may be asked nor what it costs changes its answers.
  if (changes.length === 0 && differs(resumeBasis)) changes.push('the configuration changed');
  const shards = [before.shard, now.shard].map((shard) => shard && [shard.index, shard.of].join('/'));
  if (shards[0] !== shards[1]) changes.push(`it evaluates ${shardsText(shards[0])}, and not ${shardsText(shards[1])}`);
  else if (changes.length === 0 && differs(({ shard }) => shard?.plan)) changes.push('the traces changed');
  return changes;
}

function shardsText(shard: string | undefined): string {
  return shard === undefined ? 'all sessions' : `shard ${shard}`;
}

const NAMED = 5;

function judgesOf({ plan: { judge, judges } }: ResumeBasis): string {
  const names = [judge, ...Object.values(judges)].flatMap((name) => (name ? [`${name.provider}/${name.model}`] : []));
  return names.length === 0 ? 'none' : [...new Set(names)].join(', ');
}

/** Those that only one of them has, or that are computed or asked in another way. */
function changedMetrics(before: ResumeBasis, now: ResumeBasis): string[] {
  const describe = ({ plan, questions }: ResumeBasis) =>
    new Map(plan.metrics.map((metric) => [metric.name, canonicalJson([metric, questions[metric.name] ?? null])]));
  const [old, current] = [describe(before), describe(now)];
  return [...new Set([...old.keys(), ...current.keys()])].filter((name) => old.get(name) !== current.get(name));
}
