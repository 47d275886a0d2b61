import { canonicalJson } from '../../core/json.ts';
import type { ComparabilityNote } from '../../core/run-comparison.ts';
import type { RecordedRun, RunManifest } from '../../core/run-record.ts';
import { isSubject } from '../../core/task-gates.ts';
import { joinWithAnd, limitList } from '../../core/text/lists.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import { shellWord } from '../../core/text/shell-word.ts';
import { isJudgedOutcome } from '../../report-model/agent-outcome.ts';
import { isBuiltInMetric, isTraceFigure, usedMetrics, usesEmbedder } from '../../report-model/metric-results.ts';
import { commitOf } from './labels.ts';
import { UNKNOWN_CONFIGURATION } from './report-run.ts';

/** Shares of sessions, which no metric of the plan is. */
export const VERDICT = 'verdict';
export const CORRECT = 'correct';

interface LabelledRun {
  readonly run: RecordedRun;
  readonly label: string;
}

/**
 * What differs between the settings of two runs, before any number is looked at: each difference with the metrics that it
 * withholds. The sessions themselves are left to the pairing.
 *
 * @param position of the second run in the comparison; the first is at 0.
 */
export function compareSettings(first: LabelledRun, other: LabelledRun, position: number): ComparabilityNote[] {
  const context = createContext(first, other, position);
  const isPartlyUnknown = isUnknown(first) || isUnknown(other);
  const checks = isPartlyUnknown ? [unknownSettings, ...CHECKS] : [...CHECKS, ...SETTINGS];
  const found = checks.map((check) => check(context)).filter((difference) => difference !== null);
  const rest = isPartlyUnknown ? null : configuration(context, found.length > 0);
  return [
    incomplete(first, 0),
    incomplete(other, position),
    ...[...found, rest].map((difference) => difference && { run: position, ...difference }),
    dirty(first, 0),
    dirty(other, position),
  ].filter((note) => note !== null);
}

/** Why a metric cannot be compared; null where it can. */
export function withheldBy(notes: readonly ComparabilityNote[], metric: string): ComparabilityNote | null {
  return notes.find(({ withholds }) => withholds === 'all' || withholds.includes(metric)) ?? null;
}

type Difference = Omit<ComparabilityNote, 'run'>;

interface Context {
  readonly a: RunManifest;
  readonly b: RunManifest;
  readonly first: LabelledRun;
  readonly other: LabelledRun;
  /** Of the other run in the comparison. */
  readonly position: number;
  /** Metrics of both plans. */
  readonly shared: readonly string[];
  /** Metrics of which a judge gave a score. */
  readonly judged: ReadonlySet<string>;
  /** These metrics, those that use them, and the shares that they decide. */
  affected(metrics: Iterable<string>): string[];
  /** What the verdict decides, and the verdict. */
  readonly byVerdict: readonly string[];
}

function createContext(first: LabelledRun, other: LabelledRun, position: number): Context {
  const [a, b] = [first.run.manifest, other.run.manifest];
  const inB = new Set(b.plan.metrics.map(({ name }) => name));
  const shared = a.plan.metrics.map(({ name }) => name).filter((name) => inB.has(name));
  const rows = [...first.run.rows, ...other.run.rows];
  const sources = new Set(rows.map(({ outcome }) => outcome.source));
  const isByVerdict = rows.some(({ outcome, correct }) => outcome.status === 'unknown' && correct !== null);
  const decidesVerdict = new Set(
    [a, b].flatMap(({ plan }) => [
      ...plan.thresholds.map(({ metric }) => metric.name),
      ...plan.failureMetrics,
      ...plan.metrics.flatMap(({ name, hasOwnThreshold }) => (hasOwnThreshold ? [name] : [])),
    ]),
  );
  const byVerdict = isByVerdict || a.plan.correctBy === VERDICT ? [VERDICT, CORRECT] : [VERDICT];
  const affected = (metrics: Iterable<string>) => {
    const all = new Set(metrics);
    // Every metric of a plan comes after those that it uses.
    for (const name of shared) if (usedMetrics(name).some((used) => all.has(used))) all.add(name);
    const names = [...all];
    if (names.some((name) => decidesVerdict.has(name))) for (const name of byVerdict) all.add(name);
    const isOutcome = sources.has('judge') && names.some(isJudgedOutcome);
    if (isOutcome) for (const name of [VERDICT, CORRECT]) all.add(name);
    if (names.some((name) => name === a.plan.correctBy)) all.add(CORRECT);
    return [...all];
  };
  const byThreshold = sources.has('expected') ? [VERDICT, CORRECT] : byVerdict;
  const judged = new Set(rows.flatMap((row) => row.judged));
  return { a, b, first, other, position, shared, judged, affected, byVerdict: byThreshold };
}

const CHECKS: readonly ((context: Context) => Difference | null)[] = [
  turn,
  judge,
  judgeVersion,
  sampling,
  question,
  embedder,
  toolVersion,
  metricVersions,
  changedRuleVersions,
  verdictVersion,
  metricSet,
  threshold,
];

/** A JSON report does not contain what these are about. */
const SETTINGS: typeof CHECKS = [rules, metricOptions, correctBy, gates, gatedTags];

function isUnknown({ run }: LabelledRun): boolean {
  return run.manifest.configuration === UNKNOWN_CONFIGURATION;
}

function unknownSettings({ first, other }: Context): Difference {
  const unknown = [first, other].filter(isUnknown).map(({ label }) => label);
  return {
    code: 'configuration',
    withholds: [],
    reason: `${list(unknown)} ${unknown.length === 1 ? 'is a JSON report' : 'are JSON reports'}: without the settings of the run, the questions of the judge and what users wrote, changes of these go unnoticed.`,
    remedy: 'Compare recorded runs instead: turnwise eval records each run.',
  };
}

function incomplete({ run: { manifest, rows }, label }: LabelledRun, position: number): ComparabilityNote | null {
  const { state, stoppedBy, id } = manifest;
  if (state === 'complete') return null;
  const why = stoppedBy === undefined ? '' : ` (${stoppedBy.replace(/[.]$/, '')})`;
  return {
    code: 'incomplete',
    run: position,
    withholds: 'all',
    reason: `${label} is incomplete${why}: it has ${pluralize(rows.length, 'session')} so far, and sessions that finish first are not like the others.`,
    remedy: `Complete it: turnwise eval --resume ${shellWord(id)}`,
  };
}

function dirty({ run: { manifest }, label }: LabelledRun, position: number): ComparabilityNote | null {
  const { git } = manifest;
  if (!git?.dirty) return null;
  return {
    code: 'dirty',
    run: position,
    withholds: [],
    reason: `${label} was evaluated with uncommitted changes: commit ${git.commit.slice(0, 7)} alone does not say what made its sessions, so it is shown as ${commitOf(git)}.`,
    remedy: 'Commit, then run the agent and evaluate its sessions again before you attribute a difference to a commit.',
  };
}

function turn({ a, b, first, other }: Context): Difference | null {
  if (a.plan.turn === b.plan.turn) return null;
  const [whole, part] = a.plan.turn === null ? [first, other] : [other, first];
  return {
    code: 'turn',
    withholds: 'all',
    reason: `${part.label} evaluated only turn ${(part.run.manifest.plan.turn ?? 0) + 1} of each session, ${whole.label} ${whole.run.manifest.plan.turn === null ? 'all turns' : 'another one'}.`,
    remedy: again(part, 'without --turn'),
  };
}

function judge(context: Context): Difference | null {
  const { a, b, first, other, affected } = context;
  const asked = judgedMetrics(context);
  const changed = asked.filter((name) => judgeOf(a, name) !== judgeOf(b, name));
  if (changed.length === 0) return null;
  const [old, now] = [a, b].map((manifest) => [
    ...new Set(changed.map((name) => judgeOf(manifest, name) ?? 'no model')),
  ]);
  // A run without a judge is evaluated again with that of the other.
  const [stale, model] = b.plan.judge || !a.plan.judge ? [first, other] : [other, first];
  const target = isEqual(a.plan.judge, b.plan.judge) ? null : model.run.manifest.plan.judge;
  const option = target ? `--judge ${shellWord(`${target.provider}:${target.model}`)}` : '';
  return {
    code: 'judge',
    withholds: affected(changed),
    reason: `The judge changed: ${list(old ?? [])} in ${first.label}, ${list(now ?? [])} in ${other.label}.`,
    remedy: rejudgeText(stale, model, changed, option),
    ...(target && {
      rejudge: {
        run: stale === first ? 0 : context.position,
        judge: { provider: target.provider, model: target.model },
        ...judgingCost(stale, model, changed),
      },
    }),
  };
}

function judgeVersion(context: Context): Difference | null {
  const { a, b, first, other, affected } = context;
  const changed = judgedMetrics(context).filter((name) => {
    const model = judgeOf(a, name);
    if (model === null || model !== judgeOf(b, name)) return false;
    const [old, now] = [a.modelVersions[model], b.modelVersions[model]];
    return old !== undefined && now !== undefined && old !== now;
  });
  const [metric] = changed;
  const model = metric === undefined ? null : judgeOf(a, metric);
  if (model === null) return null;
  return {
    code: 'judge-version',
    withholds: affected(changed),
    reason: model.startsWith(FUNCTION)
      ? `The code of the judge changed: ${model.slice(FUNCTION.length)}, or a file that it imports.`
      : `The server of ${model} reported another version of the model: ${a.modelVersions[model]} in ${first.label}, ${b.modelVersions[model]} in ${other.label}.`,
    remedy: rejudgeText(first, other, changed, '--no-cache'),
  };
}

/** The provider of a judge that is a function in a file. Its version is a hash of the code. */
const FUNCTION = 'function/';

function sampling(context: Context): Difference | null {
  const { a, b, first, other, affected } = context;
  const asked = judgedMetrics(context);
  if (!a.sampling || !b.sampling || asked.length === 0 || isEqual(a.sampling, b.sampling)) return null;
  const text = ({ temperature, samples }: NonNullable<RunManifest['sampling']>) =>
    `temperature ${temperature}, ${pluralize(samples, 'sample')}`;
  return {
    code: 'sampling',
    withholds: affected(asked),
    reason: `The judge was sampled differently: ${text(a.sampling)} in ${first.label}, ${text(b.sampling)} in ${other.label}.`,
    remedy: rejudgeText(first, other, asked, ''),
  };
}

function question({ a, b, first, other, shared, affected }: Context): Difference | null {
  const changed = shared.filter((name) => {
    const [old, now] = [a.questions[name], b.questions[name]];
    return old !== undefined && now !== undefined && old !== now;
  });
  if (changed.length === 0) return null;
  return {
    code: 'question',
    withholds: affected(changed),
    reason: `The judge is asked something else: the ${changed.length === 1 ? 'question' : 'questions'} of ${list(changed)} changed.`,
    remedy: rejudgeText(first, other, changed, ''),
  };
}

function embedder({ a, b, first, other, shared, affected }: Context): Difference | null {
  const asked = shared.filter(usesEmbedder);
  if (asked.length === 0 || isEqual(a.plan.embedder, b.plan.embedder)) return null;
  const text = ({ plan }: RunManifest) =>
    plan.embedder ? [plan.embedder.provider, plan.embedder.model].filter((part) => part !== null).join(':') : 'none';
  return {
    code: 'embedder',
    withholds: affected(asked),
    reason: `The embedder changed: ${text(a)} in ${first.label}, ${text(b)} in ${other.label}.`,
    remedy: again(first, `with --embedder ${shellWord(text(b))}`),
  };
}

/** A run that does not say the versions of metrics and rules may find more, or less. What a judge answers is told by its question. */
function toolVersion({ a, b, first, other, shared, affected, byVerdict }: Context): Difference | null {
  const [old, now] = [a.tool.version, b.tool.version];
  if (old === now || (a.plan.versions && b.plan.versions)) return null;
  return {
    code: 'tool-version',
    withholds: [...new Set([...affected(shared.filter((name) => isComputed(name, a, b))), ...byVerdict])],
    reason: `Turnwise changed: ${old} evaluated ${first.label}, ${now} ${other.label}. Its rules may find something else.`,
    remedy: againWithTool(first, other),
  };
}

function metricVersions({ a, b, first, other, shared, affected }: Context): Difference | null {
  const of = ({ plan }: RunManifest) => new Map(plan.metrics.map(({ name, version }) => [name, version]));
  const [old, now] = [of(a), of(b)];
  const changed = shared.filter((name) => isOther(old.get(name), now.get(name)));
  if (changed.length === 0) return null;
  return {
    code: 'metric-version',
    withholds: affected(changed),
    reason: `${toolsOf(a, b)} ${list(changed)} differently.`,
    remedy: againWithTool(first, other),
  };
}

function changedRuleVersions({ a, b, first, other, shared, affected, byVerdict }: Context): Difference | null {
  const changed = changedRules(a, b);
  if (changed.length === 0) return null;
  return {
    code: 'rule-version',
    withholds: [...new Set([...affected(shared.filter((name) => isComputed(name, a, b))), ...byVerdict])],
    reason: `${toolsOf(a, b)} the ${changed.length === 1 ? 'rule' : 'rules'} ${list(changed)} differently.`,
    remedy: againWithTool(first, other),
  };
}

/**
 * The rules that Turnwise itself changed between two runs, those that it added or removed included. Those that one of the
 * configurations turned off are a change of the settings.
 */
export function changedRules(a: RunManifest, b: RunManifest): string[] {
  const [old, now] = [a, b].map(({ plan }) => plan.versions?.rules);
  if (!old || !now) return [];
  const isOff = (id: string) =>
    [a, b].some(({ plan }) => {
      const setting = plan.rules[id];
      return !plan.rulesEnabled || setting === 'off' || (typeof setting === 'object' && setting.level === 'off');
    });
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].filter((id) => old[id] !== now[id] && !isOff(id));
}

function verdictVersion({ a, b, first, other, byVerdict }: Context): Difference | null {
  if (!isOther(a.plan.versions?.verdict, b.plan.versions?.verdict)) return null;
  return {
    code: 'verdict-version',
    withholds: [...new Set([VERDICT, CORRECT, ...byVerdict])],
    reason: `${toolsOf(a, b)} outcomes and verdicts differently.`,
    remedy: againWithTool(first, other),
  };
}

function isOther(old: number | undefined, now: number | undefined): boolean {
  return old !== undefined && now !== undefined && old !== now;
}

/** The beginning of a sentence that ends with what they compute. */
function toolsOf(a: RunManifest, b: RunManifest): string {
  return `Turnwise ${a.tool.version} and ${b.tool.version} compute`;
}

function againWithTool(first: LabelledRun, { run }: LabelledRun): string {
  const { version } = run.manifest.tool;
  return again(first, `with Turnwise ${version}; rules cost nothing, and known answers of a judge come from the cache`);
}

function rules({ a, b, first, shared, affected, byVerdict }: Context): Difference | null {
  const settings = ({ plan }: RunManifest) => [plan.rulesEnabled, plan.rules, plan.stateChangingTools];
  const verdictSettings = ({ plan }: RunManifest) => [plan.severities];
  const isFound = !isEqual(settings(a), settings(b));
  const isWeighed = !isEqual(a.plan.risk, b.plan.risk);
  if (!isFound && !isWeighed && isEqual(verdictSettings(a), verdictSettings(b))) return null;
  const what = [
    isFound ? 'rules' : null,
    isEqual(verdictSettings(a), verdictSettings(b)) ? null : 'severities',
    isWeighed ? 'weights of the risk' : null,
  ].filter((part) => part !== null);
  const metrics = isFound ? shared.filter((name) => isComputed(name, a, b)) : RISKS;
  return {
    code: 'rules',
    withholds: [...new Set([...affected(metrics.filter((name) => shared.includes(name))), ...byVerdict])],
    reason: `The settings of the ${list(what)} changed.`,
    remedy: again(first, 'with the configuration of today; rules cost nothing'),
  };
}

/** What severities and weights decide. */
const RISKS = ['turn_risk', 'session_risk'];

function metricSet({ a, b, first, other }: Context): Difference | null {
  const names = ({ plan }: RunManifest) =>
    plan.metrics.flatMap(({ name, template }) => (template.implied ? [] : [name]));
  const [old, now] = [new Set(names(a)), new Set(names(b))];
  const lost = [...old].filter((name) => !now.has(name));
  const gained = [...now].filter((name) => !old.has(name));
  if (lost.length === 0 && gained.length === 0) return null;
  const part = (metrics: readonly string[], { label }: LabelledRun) =>
    metrics.length === 0 ? [] : [`only ${label} has ${list(metrics)}`];
  const reason = [...part(lost, first), ...part(gained, other)].join('; ');
  return {
    code: 'metric-set',
    withholds: [...lost, ...gained],
    reason: `The runs have different metrics: ${reason}.`,
    remedy: again(first, 'with the configuration of today, so that both have the same'),
  };
}

function metricOptions({ a, b, first, shared, affected }: Context): Difference | null {
  const settings = ({ plan }: RunManifest) =>
    new Map(
      plan.metrics.map(({ name, options, template: { range, lowerIsBetter } }) => [
        name,
        canonicalJson([options, range, lowerIsBetter]),
      ]),
    );
  const [old, now] = [settings(a), settings(b)];
  const changed = shared.filter((name) => old.get(name) !== now.get(name));
  if (changed.length === 0) return null;
  return {
    code: 'metric-options',
    withholds: affected(changed),
    reason: `The options of ${list(changed)} changed.`,
    remedy: again(first, 'with the configuration of today'),
  };
}

function correctBy({ a, b, first, other }: Context): Difference | null {
  if (a.plan.correctBy === b.plan.correctBy) return null;
  return {
    code: 'correct-by',
    withholds: [CORRECT],
    reason: `What decides whether an attempt is correct changed: ${a.plan.correctBy ?? 'its outcome'} in ${first.label}, ${b.plan.correctBy ?? 'its outcome'} in ${other.label}.`,
    remedy: again(
      first,
      b.plan.correctBy === null ? 'without --correct-by' : `with --correct-by ${shellWord(b.plan.correctBy)}`,
    ),
  };
}

/** Scores stay what they are. */
function threshold({ a, b, first, shared, byVerdict }: Context): Difference | null {
  const of = ({ plan }: RunManifest) => {
    const own = new Map(plan.metrics.map(({ name, template }) => [name, template.threshold]));
    const gating = Map.groupBy(plan.thresholds, ({ metric }) => metric.name);
    return (name: string) =>
      canonicalJson([
        own.get(name) ?? null,
        (gating.get(name) ?? []).map(({ value, gateScope, task, tag }) => [
          value,
          gateScope,
          task ?? null,
          tag ?? null,
        ]),
      ]);
  };
  const [old, now] = [of(a), of(b)];
  const changed = shared.filter((name) => old(name) !== now(name));
  if (changed.length === 0) return null;
  return {
    code: 'threshold',
    withholds: [...byVerdict],
    reason: `The ${changed.length === 1 ? 'threshold' : 'thresholds'} of ${list(changed)} changed: scores can be compared, verdicts cannot.`,
    remedy: again(first, 'with the thresholds of today; known answers of a judge come from the cache'),
  };
}

function gates({ a, b, first, byVerdict }: Context): Difference | null {
  const [old, now] = [a.plan.gates, b.plan.gates];
  const changed = (
    [
      ['failOn', 'gates.failOn'],
      ['failOnByTask', 'gates.for'],
      ['outcome', 'gates.outcome'],
      ['minCoverage', 'gates.minCoverage'],
      ['attempts', 'gates.attempts'],
    ] as const
  ).flatMap(([key, name]) => (isEqual(old[key], now[key]) ? [] : [name]));
  if (changed.length === 0) return null;
  return {
    code: 'gates',
    withholds: [...byVerdict],
    reason: `The gates changed (${list(changed)}): scores can be compared, verdicts cannot.`,
    remedy: again(first, 'with the gates of today; known answers of a judge come from the cache'),
  };
}

/** Gates by tag are others for a task whose tags changed. */
function gatedTags({ a, b, first, other, byVerdict }: Context): Difference | null {
  const entries = [a, b].flatMap(({ plan }) => [...plan.thresholds, ...(plan.gates.failOnByTask ?? [])]);
  const patterns = [...new Set(entries.flatMap(({ tag }) => tag ?? []))];
  if (patterns.length === 0) return null;
  const now = matchedTags(other, patterns);
  const changed = [...matchedTags(first, patterns)].filter(
    ([key, before]) => now.has(key) && now.get(key) !== before,
  ).length;
  if (changed === 0) return null;
  return {
    code: 'gates',
    withholds: [...byVerdict],
    reason: `The tags of ${pluralize(changed, 'task')} changed, and gates.for has gates by tag: scores can be compared, verdicts cannot.`,
    remedy: again(first, 'with the tags of today; known answers of a judge come from the cache'),
  };
}

/** Which of the patterns a task has, or a session without one, by its id. */
function matchedTags({ run }: LabelledRun, patterns: readonly string[]): Map<string, string> {
  const tagsOf = Map.groupBy(run.rows, ({ id, task }) => (task ? `task ${task.id}` : `session ${id}`));
  return new Map(
    Array.from(tagsOf, ([key, rows]) => {
      const tags = rows.flatMap(({ tags: own = [] }) => own);
      return [key, patterns.filter((tag) => isSubject({ tag }, { tags })).join('\n')];
    }),
  );
}

/**
 * What a plan does not contain is the code of the user's own functions.
 *
 * @param isExplained whether something else that a configuration decides has changed
 */
function configuration({ a, b, first, shared, affected }: Context, isExplained: boolean): Difference | null {
  if (a.configuration === b.configuration) return null;
  const own = shared.filter((name) => !isBuiltInMetric(name) && !isAsked(name, a) && !isAsked(name, b));
  if (own.length === 0 && isExplained) return null;
  return {
    code: 'configuration',
    withholds: own.length === 0 ? [] : affected(own),
    reason: `The configuration changed${own.length === 0 ? '; nothing else that it decides has changed' : `, and with it perhaps the code of ${list(own)}`}.`,
    remedy: own.length === 0 ? null : again(first, 'with the configuration of today'),
  };
}

/** Metrics of both runs that a model is asked for, at least in one of them. */
function judgedMetrics({ a, b, shared, judged }: Context): string[] {
  return shared.filter((name) => isAsked(name, a) || isAsked(name, b) || judged.has(name));
}

function isAsked(metric: string, { questions }: RunManifest): boolean {
  return questions[metric] !== undefined;
}

/** By Turnwise itself, from more than figures of the trace. */
function isComputed(metric: string, a: RunManifest, b: RunManifest): boolean {
  return !isTraceFigure(metric) && !(isAsked(metric, a) && isAsked(metric, b));
}

/** `provider/model`; null where no model is asked. */
function judgeOf({ plan }: RunManifest, metric: string): string | null {
  const model = plan.judges[metric] ?? plan.judge;
  return model && `${model.provider}/${model.model}`;
}

function again({ run: { manifest }, label }: LabelledRun, how: string): string {
  return `Evaluate ${label} again ${how}: ${evaluation(manifest)}`;
}

function evaluation({ inputs }: RunManifest, option = ''): string {
  return ['turnwise eval', ...inputs.map(shellWord), option].filter((word) => word !== '').join(' ');
}

function rejudgeText(stale: LabelledRun, judged: LabelledRun, metrics: readonly string[], option: string): string {
  const { sessions, of, tokens } = judgingCost(stale, judged, metrics);
  const cost = tokens === null ? '' : `, about ${tokens.toLocaleString('en')} tokens`;
  return `Evaluate ${stale.label} again: ${sessions} of ${pluralize(of, 'session')} would have to be judged${cost}. ${evaluation(stale.run.manifest, option)}`;
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

const SHOWN = 5;

function list(names: readonly string[]): string {
  return joinWithAnd(limitList(names, SHOWN));
}

function isEqual(a: unknown, b: unknown): boolean {
  return canonicalJson(a) === canonicalJson(b);
}
