import { canonicalJson } from '../core/json.ts';
import type { RunManifest } from '../core/run-record.ts';
import { listSome } from '../core/text/lists.ts';
import { shortRunId } from '../runs/run-label.ts';

/** The part of a manifest that decides what a session's results are. */
export type ResumeBasis = Pick<
  RunManifest,
  'id' | 'tool' | 'inputs' | 'selection' | 'plan' | 'questions' | 'configuration'
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
  const changes = changesBetween(before, now);
  if (changes.length === 0) return;
  throw new ResumeRefused(
    `Run ${shortRunId(before.id)} cannot be continued: ${changes.join('; ')}. Restore that, or evaluate again without --resume: answers of models that are cached are not asked for again.`,
  );
}

function changesBetween(before: ResumeBasis, now: ResumeBasis): string[] {
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
  const rest = differs(
    ({ plan: { id: _, startedAt: _at, concurrency: _calls, price: _price, ...plan }, configuration }) => [
      plan,
      configuration,
    ],
  );
  if (changes.length === 0 && rest) changes.push('the configuration changed');
  return changes;
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
