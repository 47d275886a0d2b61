import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { evaluateFiles } from '../../../src/app/evaluate-files.ts';
import { run } from '../../../src/cli/program.ts';
import { loadConfiguration } from '../../../src/config/load.ts';
import { REGISTRY } from '../../../src/config/registry.ts';
import type { ConfigurationInput } from '../../../src/config/schema.ts';
import type { Headline, Report } from '../../../src/core/report.ts';
import { EXIT_CODES } from '../../../src/core/verdict.ts';
import { DEFAULT_TRACES, type InitializationSettings } from '../../../src/protocol/settings.ts';
import { tableLines } from '../../../src/reports/table.ts';
import { CodeLensProvider } from '../../../src/server/features/code-lens.ts';
import { buildOutline } from '../../../src/server/features/outline.ts';
import { EvaluationResults } from '../../../src/server/results/evaluation-results.ts';
import { summarizeSession } from '../../../src/server/results/loaded-session.ts';
import { buildRows } from '../../../src/server/results/session-results-view.ts';
import { fakeHost } from '../../support/fake-host.ts';
import { randomText, UPPER } from '../../support/random-text.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { UNKNOWN_TOOL } from '../../support/traces.ts';

vi.mock('vscode', () => import('./fake-vscode.ts'));
const { toTreeItem } = await import('../../../src/extension/result-items.ts');
const { statusContent } = await import('../../../src/extension/status-item.ts');

const SETTINGS: InitializationSettings = {
  client: 'vscode',
  traces: DEFAULT_TRACES,
  lenses: true,
  inlayHints: false,
  evaluateOnSave: true,
  editorModelsOnSave: false,
  evaluateOnChange: 'evaluated',
  livePort: 4318,
  liveMaxSize: 500,
  liveKeepDays: 30,
  liveNotify: true,
  trusted: true,
};

/** A session of Turnwise's own format, with an outcome or expectations. */
function ownTrace(session: object): string {
  const turn = { input: 'Is it open?', output: 'Yes, until six.' };
  return JSON.stringify({ turnwise: 1, id: 's', turns: [turn], ...session });
}

/** What each view shows of the only session of a file, and the exit code of `turnwise eval`. */
async function views({ trace, configuration = {}, judge, sidecar }: Omit<Case, 'kind' | 'exitCode'>) {
  const keys = JSON.stringify(configuration);
  await using folder = await temporaryFolder({
    '.git': '',
    't.trace.json': trace,
    ...(judge === undefined
      ? { 'turnwise.config.json': keys }
      : { 'turnwise.config.ts': `export default { ...${keys}, judge: () => (${judge}) };` }),
    ...(sidecar ? { 't.turnwise.json': JSON.stringify(sidecar) } : {}),
  });
  const env = { TURNWISE_HOME: join(folder.path, 'home') };
  const loaded = await loadConfiguration({ cwd: folder.path, registry: REGISTRY });
  expect(loaded.problems).toEqual([]);
  const files = [join(folder.path, 't.trace.json')];
  const { report, locator, sessions } = await evaluateFiles(files, loaded.configuration ?? {}, { env });
  const [session] = report.sessions;
  if (!session) throw new Error(`No session was read: ${JSON.stringify(report.problems)}`);
  const results = new EvaluationResults();
  results.replace(
    [folder.path],
    buildRows(
      report,
      locator,
      sessions.map((session) => summarizeSession(session)),
    ),
  );
  const [row] = results.sessions(0, 1).rows;
  if (!row) throw new Error('There is no row.');
  const uri = pathToFileURL(join(folder.path, 't.trace.json')).href;
  const lenses = new CodeLensProvider({ results, folders: new Set(), settings: () => SETTINGS }).provide(uri);
  const item = toTreeItem({ type: 'session', id: 's', row, place: 'file', isOpen: false, isTooLarge: false });
  const outline = buildOutline(results, { offset: 0, limit: 10 });
  const options = { color: false, columns: 400, terminal: true, userMessages: new Map() };
  const host = fakeHost({ cwd: folder.path, env });
  const exitCode = await run(['eval', ...files, '--format', 'json'], host);
  const printed: Report = JSON.parse(host.written.stdout);
  return {
    headline: session.headline,
    json: printed.sessions[0]?.headline,
    tree: String(item.description),
    icon: item.iconPath,
    lens: String(lenses[0]?.command?.title),
    status: String(statusContent('on', outline)?.text),
    terminal: [...tableLines(report, options)].join('\n'),
    verdict: report.verdict,
    exitCode,
  };
}

const LOOK = {
  failed: { icon: 'error', mark: '✗', count: '1 failed' },
  undecided: { icon: 'question', mark: '?', count: '1 undecided' },
  problems: { icon: 'warning', mark: '!', count: '1 with problems' },
  'not-run': { icon: 'circle-slash', mark: '–', count: '1 not run' },
  clean: { icon: 'circle-large-outline', mark: '○', count: '1 without problems' },
  succeeded: { icon: 'pass', mark: '✓', count: '1 succeeded' },
} as const satisfies Record<Headline['kind'], object>;

const severity = (level: 'low' | 'medium' | 'high' | 'critical', gates: ConfigurationInput['gates'] = {}) =>
  ({ rules: { 'unknown-tool': level }, gates }) satisfies ConfigurationInput;
const FAILED = ownTrace({ outcome: { status: 'failed', reason: 'reward 0.0' } });
const SUCCEEDED = ownTrace({ outcome: { status: 'succeeded', reason: 'reward 1.0' } });

const EXPECTING = ownTrace({
  turns: [
    {
      input: 'Is it open?',
      output: 'Yes.',
      reference: { toolCalls: [{ name: 'opening_hours', arguments: {} }] },
    },
  ],
});

interface Case {
  readonly trace: string;
  readonly configuration?: ConfigurationInput;
  /** The answer of a judge, as code. */
  readonly judge?: string;
  readonly sidecar?: object;
  readonly kind: Headline['kind'];
  readonly exitCode: number;
}

/** As a cloud provider issues them; made up. */
const KEY = `AKIA${randomText(1, 16, UPPER)}`;
const LEAK = ownTrace({
  turns: [
    {
      input: 'Which region is configured?',
      output: `eu-west-1, with the key ${KEY}.`,
      steps: [{ type: 'tool', name: 'read_config', arguments: {}, result: { region: 'eu-west-1', key: KEY } }],
    },
  ],
});

const GOAL = ownTrace({ goal: 'Find out until when it is open.' });

/** A judge of one metric. */
const judged = (metric: string, score: number, more = ''): Pick<Case, 'configuration' | 'judge'> => ({
  configuration: { metrics: [metric] },
  judge: `{ ${metric}: { evidence: [], reason: 'As the answer shows.', score: ${score}${more} } }`,
});
const UNRESOLVED = ", issue: 'Opening hours', escalated: false, first_contact: false";

const CASES: Readonly<Record<string, Case>> = {
  'a recorded failure': { trace: FAILED, kind: 'failed', exitCode: 1 },
  'a recorded failure that does not gate': {
    trace: FAILED,
    configuration: { gates: { outcome: false } },
    kind: 'failed',
    exitCode: 0,
  },
  'a recorded success': { trace: SUCCEEDED, kind: 'succeeded', exitCode: 0 },
  "a user's thumbs down": {
    trace: ownTrace({}),
    sidecar: { feedback: [{ value: 'down' }] },
    kind: 'failed',
    exitCode: 1,
  },
  'an expectation that is not met': {
    trace: EXPECTING,
    configuration: { gates: { thresholds: { tool_trajectory_avg_score: 1 } } },
    kind: 'failed',
    exitCode: 1,
  },
  'no problem and no outcome': { trace: ownTrace({}), kind: 'clean', exitCode: 0 },
  'a problem of severity low': { trace: UNKNOWN_TOOL, configuration: severity('low'), kind: 'problems', exitCode: 0 },
  'a problem of severity medium': {
    trace: UNKNOWN_TOOL,
    configuration: severity('medium'),
    kind: 'problems',
    exitCode: 0,
  },
  'a problem of severity high': { trace: UNKNOWN_TOOL, configuration: severity('high'), kind: 'failed', exitCode: 1 },
  'a problem of severity critical': {
    trace: UNKNOWN_TOOL,
    configuration: severity('critical'),
    kind: 'failed',
    exitCode: 1,
  },
  'a secret key in an answer': { trace: LEAK, kind: 'failed', exitCode: 1 },
  'a high problem without a severity gate': {
    trace: UNKNOWN_TOOL,
    configuration: severity('high', { failOn: 'never' }),
    kind: 'failed',
    exitCode: 0,
  },
  'a medium problem at the limit of the user': {
    trace: UNKNOWN_TOOL,
    configuration: severity('medium', { failOn: 'medium' }),
    kind: 'failed',
    exitCode: 1,
  },
  'a threshold of the user that is missed': {
    trace: ownTrace({}),
    configuration: { gates: { thresholds: { tool_call_count: 99 } } },
    kind: 'failed',
    exitCode: 1,
  },
  'a threshold of the user without a score': {
    trace: ownTrace({}),
    configuration: { gates: { thresholds: { faithfulness: 3 } } },
    kind: 'undecided',
    exitCode: 3,
  },
  'a judge who says that the goal was reached': {
    trace: GOAL,
    ...judged('goal_completion', 1),
    kind: 'succeeded',
    exitCode: 0,
  },
  'a judge who says that the goal was missed': {
    trace: GOAL,
    ...judged('goal_completion', 0),
    kind: 'failed',
    exitCode: 1,
  },
  'a judge who says that the issue was not resolved, without a gate on it': {
    trace: ownTrace({}),
    ...judged('resolution_rate', 0, UNRESOLVED),
    kind: 'failed',
    exitCode: 0,
  },
  'a recorded success that a judge contradicts': {
    trace: ownTrace({ goal: 'A table for two.', outcome: { status: 'succeeded', reason: 'reward 1.0' } }),
    ...judged('goal_completion', 0),
    kind: 'succeeded',
    exitCode: 0,
  },
  'a judge without an answer': {
    trace: GOAL,
    configuration: { metrics: ['goal_completion'] },
    judge: 'null',
    kind: 'undecided',
    exitCode: 3,
  },
  'expectations without a run': {
    trace: JSON.stringify({
      eval_set_id: 'hours',
      eval_cases: [{ eval_id: 'open', conversation: [{ user_content: { parts: [{ text: 'Is it open?' }] } }] }],
    }),
    kind: 'not-run',
    exitCode: 3,
  },
};

describe('the headline of a session', () => {
  it.each(Object.entries(CASES))('is the same in every view: %s', async (_, { kind, exitCode, ...files }) => {
    const shown = await views(files);
    const { icon, mark, count } = LOOK[kind];
    const { text } = shown.headline;
    expect(shown.headline.kind).toBe(kind);
    expect(shown.json).toEqual(shown.headline);
    expect(shown.tree.startsWith(text)).toBe(true);
    expect(shown.icon).toMatchObject({ id: icon });
    expect(shown.lens.startsWith(`${mark} ${text}`)).toBe(true);
    // Only a judge that answered is named.
    const judge = files.judge && kind !== 'undecided' ? 'turnwise.config.ts' : 'rules only';
    expect(shown.status).toBe(`Turnwise: ${count} · ${judge}`);
    expect(shown.terminal).toContain(text);
    expect(shown.exitCode).toBe(exitCode);
    expect(EXIT_CODES[shown.verdict]).toBe(exitCode);
    for (const view of [shown.tree, shown.lens, shown.status]) expect(view).not.toContain('passed');
  });
});
