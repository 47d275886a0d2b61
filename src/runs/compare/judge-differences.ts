import type { ComparabilityNote } from '../../core/run-comparison.ts';
import type { RunManifest } from '../../core/run-record.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import { usesEmbedder } from '../../report-model/metric-results.ts';
import type { LabelledRun } from '../run-label.ts';
import {
  type ComparedSettings,
  hasQuestion,
  isEqual,
  listNames,
  type SettingsDifference,
} from './compared-settings.ts';

export function compareJudges(settings: ComparedSettings): SettingsDifference | null {
  const { a, b, first, other, affected, remedies } = settings;
  const asked = judgedMetrics(settings);
  const changed = asked.filter((name) => judgeOf(a, name) !== judgeOf(b, name));
  if (changed.length === 0) return null;
  const [old, now] = [a, b].map((manifest) => [
    ...new Set(changed.map((name) => judgeOf(manifest, name) ?? 'no model')),
  ]);
  // A run without a judge is evaluated again with that of the other.
  const [stale, model] = b.plan.judge || !a.plan.judge ? [first, other] : [other, first];
  const target = isEqual(a.plan.judge, b.plan.judge) ? null : model.run.manifest.plan.judge;
  const how = target
    ? remedies.judge.withModel(stale, `${target.provider}:${target.model}`)
    : remedies.judge.again(stale);
  return {
    code: 'judge',
    withholds: affected(changed),
    reason: `The judge changed: ${listNames(old ?? [])} in ${first.label}, ${listNames(now ?? [])} in ${other.label}.`,
    remedy: rejudgeText(stale, model, changed, how),
    ...(target && {
      rejudge: {
        run: stale === first ? 0 : settings.position,
        judge: { provider: target.provider, model: target.model },
        ...judgingCost(stale, model, changed),
      },
    }),
  };
}

export function compareJudgeVersions(settings: ComparedSettings): SettingsDifference | null {
  const { a, b, first, other, affected, remedies } = settings;
  const changed = judgedMetrics(settings).filter((name) => {
    const model = judgeOf(a, name);
    if (model === null || model !== judgeOf(b, name)) return false;
    const [old, now] = [a.modelVersions[model], b.modelVersions[model]];
    return old !== undefined && now !== undefined && old !== now;
  });
  const [metric] = changed;
  const model = metric === undefined ? null : judgeOf(a, metric);
  if (model === null) return null;
  const isFunction = model.startsWith(FUNCTION);
  // Answers of code whose version is known are not cached.
  const how = isFunction ? remedies.judge.again(first) : remedies.judge.withoutCache(first);
  return {
    code: 'judge-version',
    withholds: affected(changed),
    reason: isFunction
      ? `The code of the judge changed: ${model.slice(FUNCTION.length)}, or a file that it imports.`
      : `Another version of ${model} answered: ${a.modelVersions[model]} in ${first.label}, ${b.modelVersions[model]} in ${other.label}.`,
    remedy: rejudgeText(first, other, changed, how),
  };
}

/** The provider of a judge that is a function in a file. Its version is a hash of the code. */
const FUNCTION = 'function/';

export function compareSampling(settings: ComparedSettings): SettingsDifference | null {
  const { a, b, first, other, affected, remedies } = settings;
  const asked = judgedMetrics(settings);
  if (!a.sampling || !b.sampling || asked.length === 0 || isEqual(a.sampling, b.sampling)) return null;
  const text = ({ temperature, samples }: NonNullable<RunManifest['sampling']>) =>
    `temperature ${temperature}, ${pluralize(samples, 'sample')}`;
  return {
    code: 'sampling',
    withholds: affected(asked),
    reason: `The judge was sampled differently: ${text(a.sampling)} in ${first.label}, ${text(b.sampling)} in ${other.label}.`,
    remedy: rejudgeText(first, other, asked, remedies.judge.again(first)),
  };
}

/** The metrics that both runs ask a model about, and not in the same words. */
export function questionsChangedIn(
  a: Pick<RunManifest, 'questions'>,
  b: Pick<RunManifest, 'questions'>,
  metrics: readonly string[],
): string[] {
  return metrics.filter((name) => {
    const [old, now] = [a.questions[name], b.questions[name]];
    return old !== undefined && now !== undefined && old !== now;
  });
}

export function compareQuestions({
  a,
  b,
  first,
  other,
  shared,
  affected,
  remedies,
}: ComparedSettings): SettingsDifference | null {
  const changed = questionsChangedIn(a, b, shared);
  if (changed.length === 0) return null;
  return {
    code: 'question',
    withholds: affected(changed),
    reason: `The judge is asked something else: the ${changed.length === 1 ? 'question' : 'questions'} of ${listNames(changed)} changed.`,
    remedy: rejudgeText(first, other, changed, remedies.judge.again(first)),
  };
}

export function compareEmbedders({
  a,
  b,
  first,
  other,
  shared,
  affected,
  remedies,
}: ComparedSettings): SettingsDifference | null {
  const asked = shared.filter(usesEmbedder);
  if (asked.length === 0 || isEqual(a.plan.embedder, b.plan.embedder)) return null;
  const text = ({ plan: { embedder } }: RunManifest) => {
    if (!embedder) return 'none';
    const name = [embedder.provider, embedder.model].filter((part) => part !== null).join(':');
    return embedder.version === undefined ? name : `${name} (${embedder.version})`;
  };
  // A run does not say in which folder a static model was.
  const name = b.plan.embedder?.provider === 'static' ? 'static:FOLDER' : text(b);
  return {
    code: 'embedder',
    withholds: affected(asked),
    reason: `The embedder changed: ${text(a)} in ${first.label}, ${text(b)} in ${other.label}.`,
    remedy: remedies.again(first, remedies.embedder(name)),
  };
}

/** Metrics of both runs that a model is asked for, at least in one of them. */
function judgedMetrics({ a, b, shared, judged }: ComparedSettings): string[] {
  return shared.filter((name) => hasQuestion(name, a) || hasQuestion(name, b) || judged.has(name));
}

/** `provider/model`; null where no model is asked. */
function judgeOf({ plan }: RunManifest, metric: string): string | null {
  const model = plan.judges[metric] ?? plan.judge;
  return model && `${model.provider}/${model.model}`;
}

/** @param how it is evaluated again */
function rejudgeText(stale: LabelledRun, judged: LabelledRun, metrics: readonly string[], how: string): string {
  const { sessions, of, tokens } = judgingCost(stale, judged, metrics);
  const cost = tokens === null ? '' : `, about ${tokens.toLocaleString('en')} tokens`;
  return `Evaluate ${stale.label} again: ${sessions} of ${pluralize(of, 'session')} would have to be judged${cost}. ${how}`;
}

type JudgingCost = Pick<NonNullable<ComparabilityNote['rejudge']>, 'sessions' | 'of' | 'tokens'>;

/** By the calls of the run that has been judged. */
function judgingCost(stale: LabelledRun, judged: LabelledRun, metrics: readonly string[]): JudgingCost {
  const { manifest, rows } = stale.run;
  const sessions = (manifest: RunManifest) =>
    Math.max(0, ...metrics.map((name) => manifest.totals?.means[name]?.n ?? 0));
  const count = sessions(manifest) || rows.length;
  const { usage } = judged.run.manifest.totals ?? {};
  const each = usage ? (usage.promptTokens + usage.completionTokens) / (sessions(judged.run.manifest) || 1) : 0;
  return { sessions: count, of: rows.length, tokens: each === 0 ? null : Math.round(each * count) };
}
