import { describe, expect, it } from 'vitest';
import { ProjectRuns } from '../../../src/agent-tools/project-runs.ts';
import { ProjectTraces } from '../../../src/agent-tools/project-traces.ts';
import type { AgentToolContext } from '../../../src/agent-tools/tool.ts';
import { AGENT_TOOLS } from '../../../src/agent-tools/tools.ts';
import { createTraceEvaluation } from '../../../src/agent-tools/trace-evaluation.ts';
import { nodeFileSystem } from '../../../src/input/node-file-system.ts';
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

async function answersAbout(hostile: string, name: string): Promise<{ own: string[]; other: string[] }> {
  await using folder = await temporaryFolder({
    [`traces/0${name}.session.json`]: sessionWith(hostile),
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

/** What an answer says itself: without what it quotes, and without paths that are one word. */
function ownWords(answer: string): string {
  return answer.replace(/«[^«»\n]*»/g, '').replace(/[\w./@+,-]+\.json/g, '');
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

describe('text of a trace', () => {
  // A name with a space, since Turnwise says something else of such files.
  const harmlessAnswers = answersAbout(HARMLESS, 'first file');

  it('is tried with at least 50 injections', () => {
    expect(new Set(INJECTIONS).size).toBeGreaterThanOrEqual(50);
  });

  it.each(INJECTIONS.map((text, index) => [index + 1, text] as const))(
    'stays between its marks, and changes nothing that is said of other sessions: injection %i',
    async (_, text) => {
      const [hostile, harmless] = [await answersAbout(text, fileName(text)), await harmlessAnswers];
      expect(hostile.other).toEqual(harmless.other);
      const known = wordsOf(ownWords(harmless.own.join('\n')));
      const foreign = [...wordsOf(text)].filter((word) => !known.has(word));
      for (const answer of hostile.own) {
        expect(answer).not.toMatch(
          /[^\P{Cc}\n]|[\p{Zl}\p{Zp}\p{Cs}]|[\u200B\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/u,
        );
        const words = ownWords(answer);
        expect(words).not.toMatch(/[«»]/);
        const said = wordsOf(words);
        expect(foreign.filter((word) => said.has(word))).toEqual([]);
      }
    },
  );
});
