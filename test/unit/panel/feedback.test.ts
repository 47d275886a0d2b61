import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CancellationToken } from 'vscode-languageserver/node';
import { nodeFileSystem } from '../../../src/input/node-file-system.ts';
import { feedbackLookup } from '../../../src/panel/feedback.ts';
import { Transcript } from '../../../src/panel/transcript.ts';
import type { EditOutcome } from '../../../src/protocol/finding-edits.ts';
import type { FeedbackParams } from '../../../src/protocol/panel.ts';
import { applyPlan } from '../../../src/server/disk/file-change.ts';
import { writeFeedback } from '../../../src/server/edits/feedback.ts';
import { type PlanSidecarEdit, planSidecarEdit } from '../../../src/server/edits/plan-sidecar-edit.ts';
import { setFeedback } from '../../../src/server/edits/sidecar-feedback.ts';
import { SessionContents } from '../../../src/server/report/session-contents.ts';
import { SessionCache } from '../../../src/server/results/session-cache.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { UNKNOWN_TOOL } from '../../support/traces.ts';
import { type EvaluatedSamples, evaluateSamples } from '../server/results/evaluate-samples.ts';

const TWO_SESSIONS = JSON.stringify({
  turnwise: 1,
  sessions: ['a', 'b'].map((id) => ({ id, turns: [{ input: 'Hi.', output: 'Hello.', steps: [] }] })),
});

/** Evaluates, gives opinions, and tells what they are then. */
async function giving(folder: string, file: string) {
  const samples: EvaluatedSamples = await evaluateSamples(folder, file);
  const transcripts = new SessionCache(nodeFileSystem);
  let lookUp = feedbackLookup(null);
  const contents = new SessionContents({
    results: samples.results,
    isTrusted: () => false,
    answer: async (query) => {
      const session = await transcripts.get(query.view, query);
      if (!session) throw new Error('The files have changed.');
      lookUp = feedbackLookup(Object.assign(new Transcript(session), { recentFeedback: query.recentFeedback }));
      throw new Error('Nobody needs an answer.');
    },
  });
  const plans: PlanSidecarEdit = (edit) => planSidecarEdit(nodeFileSystem, edit);
  const parts = { results: samples.results, planSidecarEdit: plans, contents };
  const give = (id: string, input: Omit<FeedbackParams, 'session'>): Promise<EditOutcome> =>
    writeFeedback(parts, { session: samples.keyOf(id), ...input }, async (_, plan) => applyPlan(await plan()));
  const opinionOf = async (id: string, turn: number | null, of: FeedbackParams['of']) => {
    const view = samples.results.session(samples.keyOf(id));
    if (view) await contents.ask('feedback', view, {}, CancellationToken.None).catch(() => {});
    return lookUp(turn, of);
  };
  return { give, opinionOf };
}

const turn = { type: 'turn' } as const;
const calls = { type: 'metric', metric: 'tool_call_count' } as const;

async function sidecar(folder: string, name: string): Promise<unknown> {
  return JSON.parse(await readFile(join(folder, name), 'utf8'));
}

describe('giving feedback', () => {
  it('writes it with its score, and shows it at once and when the trace is read again', async () => {
    await using folder = await temporaryFolder({ 'chat.trace.json': UNKNOWN_TOOL });
    const { give, opinionOf } = await giving(folder.path, 'chat.trace.json');
    expect(await opinionOf('chat', 0, calls)).toBeNull();
    const feedback = { value: 'down', note: ' It guessed. ' } as const;
    const path = join(folder.path, 'chat.turnwise.json');
    expect(await give('chat', { turn: 0, of: calls, feedback })).toEqual({ written: path });
    expect(await sidecar(folder.path, 'chat.turnwise.json')).toEqual({
      turns: [
        {
          index: 0,
          feedback: [
            {
              metric: 'tool_call_count',
              value: 'down',
              score: 1,
              note: 'It guessed.',
              at: expect.any(String),
            },
          ],
        },
      ],
    });
    const text = { value: 'down', note: 'It guessed.', at: expect.any(String) };
    expect(await opinionOf('chat', 0, calls)).toEqual(text);
    const again = await giving(folder.path, 'chat.trace.json');
    expect(await again.opinionOf('chat', 0, calls)).toEqual(text);
    expect(await again.opinionOf('chat', 0, turn)).toBeNull();
  });

  it('replaces earlier feedback, and can be taken back', async () => {
    const before = '{\n  // looked at twice\n  "goal": "an order",\n  "turns": []\n}\n'.replace(/ {2}\/\/.*\n/, '');
    await using folder = await temporaryFolder({ 'chat.json': UNKNOWN_TOOL, 'chat.turnwise.json': before });
    const { give, opinionOf } = await giving(folder.path, 'chat.json');
    await give('chat', { turn: 0, of: turn, feedback: { value: 'up', note: null } });
    await give('chat', { turn: 0, of: turn, feedback: { value: 'down', note: null } });
    expect(await sidecar(folder.path, 'chat.turnwise.json')).toEqual({
      goal: 'an order',
      turns: [{ index: 0, feedback: [{ value: 'down', at: expect.any(String) }] }],
    });
    await give('chat', { turn: 0, of: turn, feedback: null });
    expect(await opinionOf('chat', 0, turn)).toBeNull();
    expect(await sidecar(folder.path, 'chat.turnwise.json')).toEqual({ goal: 'an order', turns: [{ index: 0 }] });
    const again = await evaluateSamples(folder.path, 'chat.json');
    expect(again.report.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  it('names the session where the trace has several, and covers the only one as a whole', async () => {
    await using folder = await temporaryFolder({ 'two.json': TWO_SESSIONS });
    const { give, opinionOf } = await giving(folder.path, 'two.json');
    await give('b', { turn: 0, of: { type: 'rule', rule: 'amount-stated' }, feedback: { value: 'up', note: null } });
    await give('b', { turn: null, of: turn, feedback: { value: 'down', note: 'Rude.' } });
    expect(await sidecar(folder.path, 'two.turnwise.json')).toMatchObject({
      sessions: [
        {
          id: 'b',
          turns: [{ index: 0, feedback: [{ rule: 'amount-stated' }] }],
          feedback: [{ value: 'down', note: 'Rude.' }],
        },
      ],
    });
    expect(await opinionOf('b', null, turn)).toMatchObject({ value: 'down' });
    expect(await opinionOf('a', null, turn)).toBeNull();
  });

  it('is refused for a broken sidecar and for a changed trace', async () => {
    const files = { 'chat.json': UNKNOWN_TOOL, 'chat.turnwise.json': '{ "turns": [', 'other.json': UNKNOWN_TOOL };
    await using folder = await temporaryFolder(files);
    const broken = await giving(folder.path, 'chat.json');
    const feedback = { value: 'up', note: null } as const;
    expect(await broken.give('chat', { turn: 0, of: turn, feedback })).toEqual({
      error: expect.stringContaining('Nothing was written: chat.turnwise.json'),
    });
    const other = await giving(folder.path, 'other.json');
    await writeFile(join(folder.path, 'other.json'), UNKNOWN_TOOL.replace('Show', 'Find'));
    expect(await other.give('other', { turn: 0, of: turn, feedback })).toEqual({
      error: expect.stringContaining('has changed since it was evaluated'),
    });
    expect(await readFile(join(folder.path, 'chat.turnwise.json'), 'utf8')).toBe('{ "turns": [');
  });

  it('is refused for a session without results', async () => {
    await using folder = await temporaryFolder({ 'chat.json': UNKNOWN_TOOL });
    const { give } = await giving(folder.path, 'chat.json');
    expect(await give('gone', { turn: 0, of: turn, feedback: null })).toHaveProperty('error');
  });
});

describe('the text of a sidecar with feedback', () => {
  const place = {
    session: 's',
    isOnly: true,
    turn: { index: 2, id: 't3' },
    target: { type: 'rule', rule: 'r' },
  } as const;
  const entry = { rule: 'r', value: 'up' } as const;

  it('finds the entry of a turn by its id, and keeps everything else as written', () => {
    const text = '{\n  "turns": [\n    {"id": "t3",   "labels": {"a": 1}}\n  ]\n}\n';
    expect(setFeedback(text, place, entry)).toBe(
      '{\n  "turns": [\n    {"id": "t3",   "labels": {"a": 1},"feedback": [{"rule":"r","value":"up"}]}\n  ]\n}\n',
    );
  });

  it('keeps feedback on other targets', () => {
    const others = [{ rule: 'q', value: 'down' }, { value: 'up' }, { metric: 'r', value: 'down' }];
    const text = JSON.stringify({ turns: [{ index: 2, feedback: [{ ...entry, value: 'down' }, ...others] }] }, null, 2);
    expect(JSON.parse(setFeedback(text, place, entry))).toEqual({
      turns: [{ index: 2, feedback: [...others, entry] }],
    });
    expect(JSON.parse(setFeedback(text, place, null))).toEqual({ turns: [{ index: 2, feedback: others }] });
  });

  it('loses feedback that is in two places', () => {
    const own = [
      { index: 2, feedback: [entry] },
      { id: 't3', feedback: [entry, { value: 'up' }, entry, entry] },
      { index: 1, feedback: [entry] },
    ];
    const text = JSON.stringify({ turns: own, sessions: [{ id: 's', turns: own }] }, null, 2);
    const left = [{ index: 2 }, { id: 't3', feedback: [{ value: 'up' }] }, { index: 1, feedback: [entry] }];
    expect(JSON.parse(setFeedback(text, place, null))).toEqual({ turns: left, sessions: [{ id: 's', turns: left }] });
  });
});
