import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { getObject } from '../../../../src/core/json.ts';
import type { RunPlan } from '../../../../src/core/run-plan.ts';
import type { RunManifest } from '../../../../src/core/run-record.ts';
import { compareRuns } from '../../../../src/runs/compare/compare-runs.ts';
import { editorRemedies, type Remedies, terminalRemedies } from '../../../../src/runs/remedies.ts';
import { planMetric, recordedRun, sessionRow } from '../../../support/recorded-runs.ts';

type Settings = Partial<Omit<RunManifest, 'plan'>> & { plan?: Partial<RunPlan> };

const METRICS = [
  planMetric('helpfulness', { threshold: 0.5, hasOwnThreshold: true }),
  planMetric('agent_reliability', { scope: 'session' }),
  planMetric('coherence'),
  planMetric('token_usage', { lowerIsBetter: true }),
  planMetric('own_function'),
].map((metric) => ({ ...metric, version: 1 }));
const VERSIONS = { rules: { 'repeated-call': 1, 'no-answer': 1 }, verdict: 1 };
const NEWER = { tool: { name: 'turnwise', version: '0.3.0' } } as const;
const JUDGE = { provider: 'openai', model: 'gpt' };
const USAGE = { judgeCalls: 10, judgeCallsCached: 0, promptTokens: 40_000, completionTokens: 1_000, embeddedTexts: 0 };

let runs = 0;

/** No two are the same run. */
function run({ plan, ...given }: Settings = {}) {
  runs += 1;
  const rows = ['a', 'b', 'c'].map((id) =>
    sessionRow({
      id,
      scores: { helpfulness: 0.8, agent_reliability: 0.7, coherence: 0.6, token_usage: 100, own_function: 1 },
      judged: ['helpfulness'],
      correct: true,
      outcome: { status: 'succeeded', source: 'recorded' },
    }),
  );
  const base = recordedRun(rows, {
    id: `run-${runs}`,
    questions: { helpfulness: 'question 1' },
    modelVersions: { 'openai/gpt': '2026-05' },
    sampling: { temperature: 0, samples: 1 },
    plan: {
      metrics: METRICS,
      versions: VERSIONS,
      judge: JUDGE,
      embedder: { provider: 'lexical', model: null },
      ...plan,
    },
    ...given,
  });
  const { totals } = base.manifest;
  return { ...base, manifest: { ...base.manifest, totals: totals && { ...totals, usage: USAGE } } };
}

function differenceOf(settings: Settings, remedies?: Remedies) {
  const first = { ...run(), manifest: { ...run().manifest, name: 'old' } };
  const second = run({ name: 'new', ...settings });
  const { comparability, metrics } = compareRuns([first, second], remedies);
  const withheld = Object.entries(metrics).flatMap(([name, { conclusion }]) =>
    conclusion === 'not comparable' ? [name] : [],
  );
  return { notes: comparability, withheld: withheld.sort() };
}

const OTHER_JUDGE = { provider: 'openai', model: 'gpt-next' };

/** The code, what differs, the metrics that it withholds, the reason, and the remedy in a terminal. */
const DIFFERENCES: readonly [string, Settings, readonly string[], RegExp, RegExp | null][] = [
  [
    'judge',
    { plan: { judge: OTHER_JUDGE } },
    ['helpfulness', 'verdict'],
    /^The judge changed: openai\/gpt in old, openai\/gpt-next in new\.$/,
    /^Evaluate old again: 3 of 3 sessions would have to be judged, about 41,000 tokens\. turnwise eval traces --judge openai:gpt-next$/,
  ],
  [
    'judge',
    { plan: { judge: null } },
    ['helpfulness', 'verdict'],
    /^The judge changed: openai\/gpt in old, no model in new\.$/,
    /^Evaluate new again: .* --judge openai:gpt$/,
  ],
  [
    'judge',
    { plan: { judges: { helpfulness: OTHER_JUDGE } } },
    ['helpfulness', 'verdict'],
    /^The judge changed: openai\/gpt in old, openai\/gpt-next in new\.$/,
    /^Evaluate old again: .* turnwise eval traces$/,
  ],
  [
    'judge-version',
    { modelVersions: { 'openai/gpt': '2026-09' } },
    ['helpfulness', 'verdict'],
    /^Another version of \S+ answered: 2026-05 in old, 2026-09 in new\.$/,
    /--no-cache$/,
  ],
  [
    'sampling',
    { sampling: { temperature: 1, samples: 3 } },
    ['helpfulness', 'verdict'],
    /temperature 0, 1 sample in old, temperature 1, 3 samples in new/,
    /./,
  ],
  [
    'question',
    { questions: { helpfulness: 'question 2' } },
    ['helpfulness', 'verdict'],
    /the question of helpfulness changed\.$/,
    /^Evaluate old again/,
  ],
  [
    'embedder',
    { plan: { embedder: { provider: 'openai', model: 'e' } } },
    ['agent_reliability', 'coherence'],
    /^The embedder changed: lexical in old, openai:e in new\.$/,
    /--embedder openai:e/,
  ],
  [
    'embedder',
    { plan: { embedder: { provider: 'static', model: 'tiny', version: '0123456789ab' } } },
    ['agent_reliability', 'coherence'],
    /^The embedder changed: lexical in old, static:tiny \(0123456789ab\) in new\.$/,
    /--embedder static:FOLDER/,
  ],
  [
    'tool-version',
    { ...NEWER, plan: { versions: undefined } },
    ['agent_reliability', 'coherence', 'own_function', 'verdict'],
    /^Turnwise changed: 0\.2\.0 evaluated old, 0\.3\.0 new\./,
    /with Turnwise 0\.3\.0/,
  ],
  [
    'metric-version',
    {
      ...NEWER,
      plan: {
        versions: VERSIONS,
        metrics: METRICS.map((metric) => (metric.name === 'coherence' ? { ...metric, version: 2 } : metric)),
      },
    },
    ['agent_reliability', 'coherence'],
    /^Turnwise 0\.2\.0 and 0\.3\.0 compute coherence differently\.$/,
    /with Turnwise 0\.3\.0/,
  ],
  [
    'rule-version',
    { ...NEWER, plan: { versions: { ...VERSIONS, rules: { 'repeated-call': 2, 'no-answer': 1 } } } },
    ['agent_reliability', 'coherence', 'own_function', 'verdict'],
    /^Turnwise 0\.2\.0 and 0\.3\.0 compute the rule repeated-call differently\.$/,
    /rules cost nothing/,
  ],
  [
    'verdict-version',
    { ...NEWER, plan: { versions: { ...VERSIONS, verdict: 2 } } },
    ['correct', 'verdict'],
    /compute outcomes and verdicts differently\.$/,
    /with Turnwise 0\.3\.0/,
  ],
  [
    'rules',
    { plan: { rules: { 'repeated-call': 'off' } } },
    ['agent_reliability', 'coherence', 'own_function', 'verdict'],
    /^The settings of the rules changed\.$/,
    /rules cost nothing/,
  ],
  [
    'rules',
    { plan: { severities: { repetition: 'high' } } },
    ['verdict'],
    /^The settings of the severities changed\.$/,
    /./,
  ],
  [
    'metric-set',
    { plan: { metrics: METRICS.slice(0, -1) } },
    ['own_function'],
    /^The runs have different metrics: only old has own_function\.$/,
    /./,
  ],
  [
    'metric-options',
    {
      plan: {
        metrics: METRICS.map((metric) =>
          metric.name === 'coherence' ? { ...metric, options: { window: 2 } } : metric,
        ),
      },
    },
    ['agent_reliability', 'coherence'],
    /^The options of coherence changed\.$/,
    /./,
  ],
  [
    'correct-by',
    { plan: { correctBy: 'helpfulness' } },
    ['correct'],
    /its outcome in old, helpfulness in new\.$/,
    /--correct-by helpfulness/,
  ],
  [
    'threshold',
    {
      plan: {
        metrics: METRICS.map((metric) =>
          metric.name === 'helpfulness' ? { ...metric, template: { ...metric.template, threshold: 0.9 } } : metric,
        ),
      },
    },
    ['verdict'],
    /^The threshold of helpfulness changed: scores can be compared, verdicts cannot\.$/,
    /./,
  ],
  [
    'gates',
    { plan: { gates: { failOn: 'low', outcome: true, minCoverage: 0, attempts: null } } },
    ['verdict'],
    /^The gates changed \(gates\.failOn\)/,
    /./,
  ],
  ['configuration', { configuration: 'another' }, ['own_function'], /perhaps the code of own_function\.$/, /./],
  [
    'dirty',
    { git: { commit: 'abcdef0123', branch: 'main', dirty: true } },
    [],
    /^new was evaluated with uncommitted changes: commit abcdef0 alone/,
    /^Commit, then/,
  ],
];

describe('what differs withholds the differences that it could have made', () => {
  it.each(DIFFERENCES)('%s', (code, settings, withheld, reason, remedy) => {
    const difference = differenceOf(settings);
    expect(difference.notes.map((note) => note.code)).toEqual([code]);
    const [note] = difference.notes;
    expect(note?.reason).toMatch(reason);
    if (remedy === null) expect(note?.remedy).toBeNull();
    else expect(note?.remedy).toMatch(remedy);
    expect(difference.withheld).toEqual(withheld);
  });

  it('says what it takes to judge a run with the judge of the other', () => {
    const again = (judge: typeof JUDGE | null) =>
      differenceOf({ plan: { judge } }).notes.find(({ code }) => code === 'judge')?.rejudge;
    expect(again(OTHER_JUDGE)).toEqual({ run: 0, judge: OTHER_JUDGE, sessions: 3, of: 3, tokens: 41_000 });
    expect(again(null)).toMatchObject({ run: 1, judge: JUDGE });
    expect(again(JUDGE)).toBeUndefined();
  });

  it('withholds everything of a partial run, but not its flips', () => {
    const { notes, withheld } = differenceOf({ state: 'interrupted', stoppedBy: 'Ctrl+C.', id: 'run-2' });
    expect(notes).toMatchObject([
      {
        code: 'incomplete',
        withholds: 'all',
        reason: expect.stringContaining('new is incomplete (Ctrl+C)'),
        remedy: 'Complete it: turnwise eval --resume run-2',
      },
    ]);
    expect(withheld).toEqual([
      'agent_reliability',
      'coherence',
      'correct',
      'helpfulness',
      'own_function',
      'token_usage',
      'turns',
      'verdict',
    ]);
    const failed = sessionRow({ id: 'a', verdict: 'failed', outcome: { status: 'failed', source: 'recorded' } });
    expect(compareRuns([run(), recordedRun([failed], { ...run().manifest, state: 'interrupted' })]).flips).toHaveLength(
      1,
    );
  });

  it('withholds what only one turn was evaluated for', () => {
    const { notes, withheld } = differenceOf({ plan: { turn: 1 } });
    expect(notes).toMatchObject([
      { code: 'turn', reason: 'new evaluated only turn 2 of each session, old all turns.' },
    ]);
    expect(withheld).toContain('token_usage');
  });

  it('withholds verdicts where the gates of some tasks changed', () => {
    const gates = { failOn: 'high', outcome: true, minCoverage: 0, attempts: null } as const;
    const metric = { name: 'helpfulness', scope: 'session' } as const;
    const threshold = { name: 'helpfulness', metric, value: 0.9, lowerIsBetter: false, gateScope: 'scenario' } as const;
    const codes = (before: Partial<RunPlan>, after: Partial<RunPlan>) =>
      compareRuns([run({ plan: before }), run({ plan: after })]).comparability.map(({ code, reason }) => [
        code,
        reason,
      ]);
    const reason = expect.stringContaining('verdicts cannot');
    const own = (task: string) => ({ thresholds: [{ ...threshold, task }] });
    expect(codes(own('refund-*'), own('refund-*'))).toEqual([]);
    expect(codes(own('refund-*'), own('cancel'))).toEqual([['threshold', reason]]);
    const levels = { gates: { ...gates, failOnByTask: [{ task: 'refund-*', failOn: 'low' }] } } as const;
    expect(codes({ gates }, levels)).toEqual([['gates', expect.stringMatching(/^The gates changed \(gates\.for\)/)]]);
  });

  it('withholds verdicts where the tags of a task changed that has gates by tag', () => {
    const gates = { failOn: 'high', outcome: true, minCoverage: 0, attempts: null } as const;
    const byTag = { gates: { ...gates, failOnByTask: [{ tag: 'beta*', failOn: 'low' }] } } as const;
    const tagged = (id: string, plan: Partial<RunPlan>, tags?: string[]) =>
      recordedRun([sessionRow({ id: 'a', ...(tags && { tags }) })], { id, plan });
    const notes = (plan: Partial<RunPlan>, before?: string[], after?: string[]) =>
      compareRuns([tagged('1', plan, before), tagged('2', plan, after)]).comparability;
    expect(notes(byTag, ['beta-1'], ['x'])).toMatchObject([
      { code: 'gates', withholds: ['verdict'], reason: expect.stringMatching(/^The tags of 1 task changed/) },
    ]);
    expect(notes(byTag, ['beta-1'], ['beta-2', 'x'])).toEqual([]);
    expect(notes({ gates }, ['beta-1'])).toEqual([]);
  });

  it('says of a configuration only what nothing else says', () => {
    const without = { metrics: METRICS.slice(0, -1) };
    const gates = { failOn: 'low', outcome: true, minCoverage: 0, attempts: null } as const;
    const [a, b] = [run({ plan: without }), run({ plan: { ...without, gates }, configuration: 'another' })];
    expect(compareRuns([a, b]).comparability.map(({ code }) => code)).toEqual(['gates']);
    const other = run({ plan: without, configuration: 'another' });
    expect(compareRuns([a, other]).comparability).toMatchObject([{ code: 'configuration', withholds: [] }]);
  });

  it('says nothing of equal settings, of another version that computes the same, and of rules that are off', () => {
    expect(differenceOf({})).toEqual({ notes: [], withheld: [] });
    expect(differenceOf(NEWER)).toEqual({ notes: [], withheld: [] });
    const rules = { 'no-answer': 'off' } as const;
    const versions = { ...VERSIONS, rules: { 'repeated-call': 1, 'no-answer': 2 } };
    const comparison = compareRuns([run({ plan: { rules } }), run({ ...NEWER, plan: { rules, versions } })]);
    expect(comparison.comparability).toEqual([]);
  });
});

it('leaves out verdicts that gates or a judge changed among the flips, but no recorded outcome', () => {
  const before = sessionRow({ id: 'a' });
  const after = sessionRow({ id: 'a', verdict: 'failed' });
  const gates = { failOn: 'low', outcome: true, minCoverage: 0, attempts: null } as const;
  expect(compareRuns([recordedRun([before]), recordedRun([after])]).flips).toHaveLength(1);
  expect(compareRuns([recordedRun([before]), recordedRun([after], { plan: { gates } })]).flips).toEqual([]);
  const [failed, succeeded] = (['failed', 'succeeded'] as const).map((status) =>
    sessionRow({ id: 'a', outcome: { status, source: 'recorded' } }),
  );
  if (!failed || !succeeded) throw new Error('Two rows are made.');
  expect(compareRuns([recordedRun([succeeded]), recordedRun([failed], { plan: { gates } })]).flips).toHaveLength(1);
});

it('refuses runs without a common task, with what names tasks', () => {
  const { comparability, metrics } = compareRuns([
    recordedRun([sessionRow({ id: 'a' })]),
    recordedRun([sessionRow({ id: 'b' })], { id: 'another' }),
  ]);
  expect(comparability).toMatchObject([
    { code: 'no-shared-task', withholds: 'all', remedy: expect.stringContaining('--task-by') },
  ]);
  expect(Object.values(metrics).map(({ conclusion }) => conclusion)).toEqual(['not comparable', 'not comparable']);
});

it('says that the code of a judge changed, and does not leave out a cache that it has not', () => {
  const judgedBy = (digest: string) => {
    const name = 'turnwise.config.ts';
    return run({
      plan: { judge: { provider: 'function', model: name } },
      modelVersions: { [`function/${name}`]: digest },
    });
  };
  for (const remedies of [terminalRemedies, editorRemedies]) {
    const [note] = compareRuns([judgedBy('1'), judgedBy('2')], remedies).comparability;
    expect(note?.reason).toMatch(/^The code of the judge changed: turnwise\.config\.ts/);
    expect(note?.remedy).toMatch(/(turnwise eval traces|Run "Turnwise: Evaluate Traces in Folder"\.)$/);
  }
});

describe('a remedy in the editor', () => {
  const editorRemedy = (settings: Settings) => differenceOf(settings, editorRemedies).notes[0]?.remedy;
  const RUN = 'run "Turnwise: Evaluate Traces in Folder".';

  it.each(DIFFERENCES)('names no command line where %s differs', (code, settings) => {
    // The editor has no command that leaves out cached answers.
    if (code === 'judge-version')
      expect(editorRemedy(settings)).toMatch(/Only a terminal .* turnwise eval traces --no-cache$/);
    else expect(editorRemedy(settings)).not.toMatch(/turnwise eval|--[a-z]/);
  });

  it.each<[Settings, string]>([
    [{ state: 'interrupted' }, `Evaluate its traces again: ${RUN}`],
    [{ plan: { turn: 1 } }, `Evaluate new again with all turns: ${RUN}`],
    [
      { plan: { judge: OTHER_JUDGE } },
      'Evaluate old again: 3 of 3 sessions would have to be judged, about 41,000 tokens. Choose "Judge Again".',
    ],
    [
      { questions: { helpfulness: 'question 2' } },
      'Evaluate old again: 3 of 3 sessions would have to be judged, about 41,000 tokens. Run "Turnwise: Evaluate Traces in Folder".',
    ],
    [
      { plan: { embedder: { provider: 'openai', model: 'e' } } },
      `Evaluate old again with the embedder openai:e in the configuration: ${RUN}`,
    ],
    [{ plan: { correctBy: 'helpfulness' } }, `Evaluate new again in the editor, where the outcome decides: ${RUN}`],
    [
      { plan: { rules: { 'repeated-call': 'off' } } },
      `Evaluate old again with the configuration of today; rules cost nothing: ${RUN}`,
    ],
  ])('says what to do there: %j', (settings, remedy) => {
    expect(editorRemedy(settings)).toBe(remedy);
  });

  it('names a setting for tasks, and the Runs view for another run', () => {
    const [a, b] = [recordedRun([sessionRow({ id: 'a' })]), recordedRun([sessionRow({ id: 'b' })], { id: 'another' })];
    expect(compareRuns([a, b], editorRemedies).comparability[0]?.remedy).toContain('"tasks.by" in the configuration');
    expect(compareRuns([a, a], editorRemedies).comparability[0]?.remedy).toBe('Choose another run in the Runs view.');
  });

  it('calls the command what the palette calls it', async () => {
    const titles: unknown = JSON.parse(await readFile('package.nls.json', 'utf8'));
    const manifest: unknown = JSON.parse(await readFile('package.json', 'utf8'));
    expect(titles).toMatchObject({ 'command.evaluateFolder.title': 'Evaluate Traces in Folder' });
    expect(getObject(manifest, 'contributes')?.commands).toContainEqual(
      expect.objectContaining({ category: 'Turnwise', title: '%command.evaluateFolder.title%' }),
    );
  });
});
