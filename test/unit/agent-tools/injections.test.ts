import { describe, expect, it } from 'vitest';
import { ProjectRuns } from '../../../src/agent-tools/project-runs.ts';
import { ProjectTraces } from '../../../src/agent-tools/project-traces.ts';
import type { AgentToolContext } from '../../../src/agent-tools/tool.ts';
import { AGENT_TOOLS } from '../../../src/agent-tools/tools.ts';
import { createTraceEvaluation } from '../../../src/agent-tools/trace-evaluation.ts';
import { nodeFileSystem } from '../../../src/input/node-file-system.ts';
import { fileOf } from '../../../src/receiver/live-file.ts';
import { agentReport } from '../../../src/reports/agent.ts';
import { openRunStore } from '../../../src/store/runs/run-store.ts';
import { INJECTIONS } from '../../support/injections.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A session file with the same text everywhere: in names, ids, what is said, called and returned, labels and scores. */
function sessionWith(text: string): string {
  const turns = [0, 1].map((index) => ({
    id: `${text}-${index}`,
    input: text,
    output: `${text} It is done.`,
    steps: [
      { type: 'tool', id: `c${index}`, name: text, arguments: { [text]: text }, result: text, outcome: 'ok' },
      { type: 'tool', id: `d${index}`, name: 'refund_order', arguments: { id: text }, error: text, outcome: 'error' },
      { type: 'model', text: `${text} It is done.` },
    ],
    scores: { [`metric ${text}`]: 0.1, agent_behavior_failure: text },
  }));
  return JSON.stringify({
    turnwise: 1,
    sessions: [
      {
        id: text,
        task: { id: text, trial: text },
        tags: [text],
        tools: [{ name: 'lookup', description: text }],
        outcome: { status: 'failed', reason: text },
        turns,
      },
    ],
  });
}

const HARMLESS = 'Refund the order please.';

async function answersAbout(hostile: string, file: string): Promise<{ own: string[]; other: string[] }> {
  await using folder = await temporaryFolder({
    [`traces/${file}`]: sessionWith(hostile),
    'traces/zz-other.session.json': sessionWith('Where is my parcel?'),
  });
  const home = `${folder.path}/home`;
  using store = openRunStore(home, { cwd: folder.path, warn: () => {} });
  using runs = new ProjectRuns(store, home, folder.path);
  const traces = new ProjectTraces(folder.path, nodeFileSystem, true);
  const allowJudge = () => Promise.reject(new Error('No judge is asked here.'));
  const evaluate = createTraceEvaluation({
    traces,
    files: nodeFileSystem,
    env: {},
    confirm: async () => null,
    allowJudge,
  });
  const context: AgentToolContext = { runs, traces, evaluate, signal: new AbortController().signal };
  const call = async (tool: string, args: object) =>
    (await AGENT_TOOLS.find((one) => one.name === tool)?.call({ ...args, maxTokens: 8000 }, context)) ?? '';
  const run = 'unrecorded-1';
  const report = () => runs.open(run);
  const own = [
    await call('evaluate_trace', { path: 'traces' }),
    await call('find_failures', { run, session: 1 }),
    await call('get_turn', { run, session: 1, turn: 2 }),
    await call('explain_score', { run, session: 1 }),
    await call('explain_score', { run, session: 1, turn: 1, metric: 'agent_behavior_failure' }),
    await call('compare_runs', { before: run, after: run }),
    [
      ...(agentReport.write((await report()).report, {
        terminal: false,
        color: false,
        columns: 80,
      }) as Iterable<string>),
    ].join(''),
  ];
  const other = [
    await call('find_failures', { run, session: 2 }),
    await call('get_turn', { run, session: 2, turn: 1 }),
    await call('explain_score', { run, session: 2 }),
  ];
  return {
    own: own.map((text) => text.replaceAll(folder.path, '')),
    other: other.map((text) => text.replaceAll(folder.path, '')),
  };
}

/** What an answer says itself: without what it quotes. */
function ownWords(answer: string): string {
  return answer.replace(/«[^«»\n]*»/g, '');
}

/** Words of a text in which it could say something. */
function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/\p{L}{3,}/gu) ?? []);
}

/** The text as a part of a file name. */
function fileName(text: string): string {
  return Buffer.from(text.replace(/[/\0]/g, '_'))
    .subarray(0, 180)
    .toString()
    .replace(/\uFFFD/g, '');
}

/** Without paths that are one word: the user has named these files. */
function withoutPaths(text: string): string {
  return text.replace(/[\w./@+,-]+\.json/g, '');
}

describe('text of a trace', () => {
  // A name with a space, since Turnwise says something else of such files.
  const harmlessAnswers = answersAbout(HARMLESS, '0first file.session.json');

  it('is tried with at least 50 injections', () => {
    expect(new Set(INJECTIONS).size).toBeGreaterThanOrEqual(50);
  });

  it.each(INJECTIONS.map((text, index) => [index + 1, text] as const))(
    'stays between its marks, and changes nothing that is said of other sessions: injection %i',
    async (_, text) => {
      const [hostile, harmless] = [await answersAbout(text, `0${fileName(text)}.session.json`), await harmlessAnswers];
      expect(hostile.other).toEqual(harmless.other);
      const known = wordsOf(withoutPaths(ownWords(harmless.own.join('\n'))));
      const foreign = [...wordsOf(text)].filter((word) => !known.has(word));
      for (const answer of hostile.own) {
        expect(answer).not.toMatch(
          /[^\P{Cc}\n]|[\p{Zl}\p{Zp}\p{Cs}]|[\u200B\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/u,
        );
        const words = withoutPaths(ownWords(answer));
        expect(words).not.toMatch(/[«»]/);
        const said = wordsOf(words);
        expect(foreign.filter((word) => said.has(word))).toEqual([]);
      }
    },
  );

  const harmlessLive = answersAbout(HARMLESS, fileOf('first'));

  it.each(INJECTIONS.map((text, index) => [index + 1, text] as const))(
    'says nothing in the name of a received session, which stands in no marks: injection %i as its id',
    async (_, text) => {
      const live = await answersAbout(text, fileOf(text));
      const known = wordsOf(ownWords((await harmlessLive).own.join('\n')));
      const foreign = [...wordsOf(text)].filter((word) => !known.has(word));
      expect(live.own.join('\n')).toContain(`traces/${fileOf(text)}`);
      const said = wordsOf(ownWords(live.own.join('\n')));
      expect(foreign.filter((word) => said.has(word))).toEqual([]);
    },
  );
});
