import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Session, Turn } from '../../../src/core/session.ts';
import { evaluate } from '../../../src/index.ts';
import { readDataScenarios } from '../../../src/scenarios/data-scenarios.ts';
import {
  draftScenario,
  type ReportedSession,
  type SessionProblem,
} from '../../../src/scenarios/scenario-from-session.ts';
import { type ScenarioText, writeScenarioText } from '../../../src/scenarios/scenario-text.ts';
import { githubToken } from '../../support/github-token.ts';
import { evaluatedSession, evaluatedSessions, replayScenario } from '../../support/replayed-scenario.ts';
import { sharedTraceFolders } from '../../support/shared-data.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const SAMPLES = join(ROOT, 'samples');

const TOKEN = githubToken(1);

async function scenarioOf(evaluated: ReportedSession, turn: number | null = null): Promise<ScenarioText> {
  const draft = draftScenario(evaluated, turn);
  if (!draft) throw new Error('The session has no turn.');
  return writeScenarioText(draft);
}

async function readScenario(text: string) {
  const { scenarios, issues } = await readDataScenarios('made.scenario.yaml', text);
  expect(issues).toEqual([]);
  return { name: scenarios[0]?.name, ...scenarios[0]?.options };
}

/** The turns in which expectations are not met when the scenario is run on these recorded answers. */
async function failedTurns(text: string, recording: Session): Promise<number[]> {
  const { sessions } = await replayScenario(text, recording);
  const turns = sessions[0]?.turns ?? [];
  return turns.flatMap(({ index, metrics }) => {
    const { passed, status } = metrics.turn_expectations ?? {};
    return passed === false || status === 'error' ? [index] : [];
  });
}

const SHOP: Session = {
  id: 'conv_42',
  source: { file: 'runs/refund.session.json', format: 'turnwise', pointer: '/sessions/0' },
  goal: 'Get order A-1001 refunded',
  tools: [
    { name: 'get_order', changesState: false },
    { name: 'refund_order', changesState: true },
  ],
  turns: [
    {
      id: '1',
      pointer: '/sessions/0/turns/0',
      input: 'My order A-1001 arrived broken. I want the money back.',
      output: 'You paid 42.50 for order A-1001. Shall I refund 42.50?',
      outputPointer: '/sessions/0/turns/0/output',
      steps: [
        {
          type: 'tool',
          pointer: '/sessions/0/turns/0/steps/0',
          name: 'get_order',
          arguments: { id: 'A-1001' },
          result: { id: 'A-1001', total: '42.50' },
          outcome: 'ok',
          requestedBy: 'agent',
        },
      ],
    },
    {
      id: '2',
      pointer: '/sessions/0/turns/1',
      input: 'Yes, please refund it.',
      output: 'Your refund of 42.50 was issued.',
      outputPointer: '/sessions/0/turns/1/output',
      steps: [
        {
          type: 'tool',
          pointer: '/sessions/0/turns/1/steps/0',
          name: 'refund_order',
          arguments: { id: 'A-1001', amount: 42.5 },
          error: 'payment service unavailable',
          outcome: 'error',
          requestedBy: 'agent',
        },
      ],
    },
    {
      id: '3',
      pointer: '/sessions/0/turns/2',
      input: 'Thanks!',
      output: 'You are welcome.',
      outputPointer: '/sessions/0/turns/2/output',
      steps: [],
    },
  ],
};

/** The agent reports the failure instead of hiding it. */
const CORRECTED: Session = withTurn(SHOP, 1, {
  output: 'The refund failed: the payment service is unavailable. I will not try again without you.',
});

function withTurn(session: Session, index: number, change: Partial<Turn>): Session {
  return { ...session, turns: session.turns.map((turn, at) => (at === index ? { ...turn, ...change } : turn)) };
}

async function evaluated(session: Session): Promise<ReportedSession> {
  return evaluatedSession(session, await evaluate([session]));
}

function foundOnly(problem: SessionProblem): ReportedSession['found'] {
  return { groups: [{ occurrences: [problem] }], suppressed: [] };
}

describe('a scenario of a failing turn', async () => {
  const { text, blankLine } = await scenarioOf(await evaluated(SHOP), 1);
  const scenario = await readScenario(text);

  it('ends with that turn, expects what went right before it, and that the finding is gone', () => {
    expect(scenario).toMatchObject({
      name: 'Get order A-1001 refunded (turn 2)',
      turns: [
        {
          userMessage: SHOP.turns[0]?.input,
          assertions: {
            toolCalls: { matchMode: 'unordered-contains', expected: [{ name: 'get_order', args: { id: 'A-1001' } }] },
            answer: { contains: ['42.50', 'A-1001'] },
            noFindings: ['*'],
          },
        },
        { userMessage: SHOP.turns[1]?.input, assertions: { noFindings: ['success-after-error'] } },
      ],
      mocks: {
        tools: {
          get_order: { calls: [{ args: { id: 'A-1001' }, result: { id: 'A-1001', total: '42.50' } }] },
          refund_order: { calls: [{ args: { id: 'A-1001', amount: 42.5 }, error: 'payment service unavailable' }] },
        },
      },
    });
  });

  it('has a marked blank with the finding beside it', () => {
    const lines = text.split('\n');
    expect(lines[blankLine ?? -1]).toBe(
      '      # TODO: what should have happened? Write it as "toolCalls" or "answer".',
    );
    expect(lines.slice((blankLine ?? 0) + 1, (blankLine ?? 0) + 4)).toEqual([
      '      # Found in this turn:',
      expect.stringMatching(/^ {6}# - success-after-error \(high\): `refund_order` failed with/),
      '      # - Answer in the trace: Your refund of 42.50 was issued.',
    ]);
  });

  it('fails on its own trace because of the finding, and passes on a corrected one', async () => {
    const own = await replayScenario(text, SHOP);
    expect(own.sessions[0]?.outcome).toMatchObject({ status: 'failed', source: 'expected' });
    expect(await failedTurns(text, SHOP)).toEqual([1]);
    expect(own.sessions[0]?.turns[1]?.metrics.turn_expectations?.reason).toContain(
      'Expected no finding of `success-after-error`',
    );
    const corrected = await replayScenario(text, CORRECTED);
    expect(corrected.verdict).toBe('passed');
  });

  it('fails where the agent does something else in a turn that went right', async () => {
    const other = withTurn(CORRECTED, 0, { output: 'You paid 40.00 for it. Shall I refund that?' });
    expect(await failedTurns(text, other)).toEqual([0]);
  });
});

describe('a scenario of a session', () => {
  it('has a blank in each turn with a problem', async () => {
    const { text } = await scenarioOf(await evaluated(SHOP));
    expect(text.match(/# TODO/g)).toHaveLength(1);
    expect(await readScenario(text)).toMatchObject({ name: 'Get order A-1001 refunded', turns: { length: 3 } });
    expect(await failedTurns(text, SHOP)).toEqual([1]);
    expect(await failedTurns(text, CORRECTED)).toEqual([]);
  });

  it('expects no call that a problem cites', async () => {
    const [source] = SHOP.turns[0]?.steps ?? [];
    const problem = {
      turn: 1,
      rule: 'ungrounded-value',
      label: 'false information',
      severity: 'high' as const,
      reason: 'It relies on a look-up of another order.',
      evidence: [{ file: '', line: 1, note: '', pointer: `${source?.pointer}/arguments/id` }],
    };
    const draft = draftScenario({ ...(await evaluated(SHOP)), found: foundOnly(problem) }, null);
    expect(draft?.turns[0]?.assertions).not.toHaveProperty('toolCalls');
  });

  it('does not allow the answer again that a judge found wrong, and asserts nothing else of that turn', async () => {
    const session = CORRECTED;
    const problem = {
      turn: 2,
      rule: null,
      label: 'disobey user request',
      severity: 'high' as const,
      reason: 'It ignores the user.',
      evidence: [{ file: '', line: 1, note: '', pointer: session.turns[2]?.outputPointer ?? '' }],
    };
    const { text } = await scenarioOf({ ...(await evaluated(session)), found: foundOnly(problem) });
    expect(await failedTurns(text, session)).toEqual([2]);
    expect(await failedTurns(text, withTurn(session, 2, { output: 'Shall I call a colleague?' }))).toEqual([]);
  });

  it('pins no behaviour of a failed session in which nothing says what went wrong', async () => {
    const outcome = { status: 'failed', reason: 'reward 0.0 in the trace' } as const;
    const { text } = await scenarioOf({ session: CORRECTED, found: { groups: [], suppressed: [] }, outcome });
    expect(text).toContain('# - The session failed (reward 0.0 in the trace). Find the turn in which it went wrong.');
    const { turns } = JSON.parse(JSON.stringify(await readScenario(text)));
    expect(turns.map(({ assertions = {} }: { assertions?: object }) => Object.keys(assertions))).toEqual([
      ['noFindings'],
      ['noFindings'],
      [],
    ]);
  });

  it('expects what the trace states, and not a finding that was suppressed', async () => {
    const expectations = { toolCalls: { expected: [{ name: 'get_order' }] } };
    const stated = withTurn(CORRECTED, 0, { reference: { expectations } });
    const { turns } =
      draftScenario({ ...(await evaluated(stated)), found: { groups: [], suppressed: [{ turn: 0 }] } }, null) ?? {};
    expect(turns?.[0]?.assertions).toEqual({ ...expectations, answer: { contains: ['42.50', 'A-1001'] } });
  });

  it('begins with a message where the agent spoke first', async () => {
    const greeting = { ...CORRECTED, turns: [{ id: '0', pointer: '', input: null, output: 'Hi!', steps: [] }] };
    const { text } = await scenarioOf(await evaluated(greeting));
    expect(await readScenario(text)).toMatchObject({ turns: [{ userMessage: 'Hello.' }] });
    expect(await failedTurns(text, greeting)).toEqual([]);
  });

  it('is none without a turn', async () => {
    expect(draftScenario(await evaluated({ ...SHOP, turns: [] }), null)).toBeNull();
  });

  it('has no secret of the trace, and still runs on it', async () => {
    const secret = withTurn(CORRECTED, 0, {
      input: `My order A-1001 broke. The key is ${TOKEN}.`,
      steps: [
        {
          type: 'tool',
          pointer: '/s',
          name: 'get_order',
          arguments: { id: 'A-1001', key: TOKEN },
          result: { total: '42.50', note: `use ${TOKEN}` },
          outcome: 'ok',
          requestedBy: 'agent',
        },
      ],
    });
    const { text } = await scenarioOf(await evaluated(secret));
    expect(text).not.toContain(TOKEN);
    expect(text).toContain('[REDACTED');
    expect(await failedTurns(text, secret)).toEqual([]);
  });
});

describe('the text of a scenario', () => {
  it('is read as it was meant, whatever a trace contains', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), fc.jsonValue(), fc.string(), async (said, result, key) => {
        const input = `${said}\n# TODO: nothing\n- x: [[[`;
        const [step] = SHOP.turns[0]?.steps ?? [];
        if (step?.type !== 'tool') throw new Error('no step');
        const steps = [{ ...step, arguments: { [key]: said }, result }];
        const turn = { input, steps, output: said };
        const draft = draftScenario({ ...(await evaluated(withTurn(SHOP, 0, turn))) }, 0);
        if (!draft) throw new Error('no draft');
        const { text } = await writeScenarioText(draft);
        const { turns: [{ found: _, ...written } = { found: null }] = [], mocks } = draft;
        expect(await readScenario(text)).toMatchObject(JSON.parse(JSON.stringify({ turns: [written], mocks })));
      }),
      { numRuns: 100 },
    );
  });

  it('is read where results contain more brackets than values can be nested', async () => {
    const input = '['.repeat(3000);
    const { text } = await scenarioOf(await evaluated(withTurn(SHOP, 0, { input })));
    expect(await readScenario(text)).toMatchObject({ turns: [{ userMessage: input }, {}, {}] });
  });

  it('keeps comments comments, whatever a finding quotes', async () => {
    const problem = {
      turn: 0,
      rule: 'x',
      label: 'x',
      severity: 'low' as const,
      reason: 'one\nname: "injected"\u2028two\u0085three',
      evidence: [],
    };
    const { text } = await scenarioOf({ ...(await evaluated(SHOP)), found: foundOnly(problem) });
    expect(await readScenario(text)).toMatchObject({ name: 'Get order A-1001 refunded' });
    expect(text).toContain('# - x (low): one name: "injected" twothree');
  });
});

/** About how a run ended, and what the user's own tools said: neither is an answer of the agent. */
const NOT_REPLAYED = ['stopped-early', 'failure-at-end'];

/** Compares the turns with problems to those that fail when the scenario of a session is run on its recorded answers. */
async function differences(evaluated: ReportedSession): Promise<string[]> {
  const { session, found } = evaluated;
  const problems = found.groups.flatMap(({ occurrences }) => occurrences);
  const { text } = await scenarioOf(evaluated);
  const expected = new Set(problems.flatMap(({ turn, rule }) => (NOT_REPLAYED.includes(rule ?? '') ? [] : turn)));
  const failed = await failedTurns(text, session);
  const isSame = failed.length === expected.size && failed.every((turn) => expected.has(turn));
  return isSame ? [] : [`${session.source.file} ${session.id}: ${[...expected]} expected, ${failed} failed`];
}

/** Those with answers: an evaluation set without a run has none. */
function isRecorded({ session: { turns } }: ReportedSession): boolean {
  return turns.some(({ output, steps }) => output !== null || steps.length > 0);
}

const MAX_BYTES = 3_000_000;

/** The first traces of a folder that are not large. */
function someFiles(folder: string): string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => join(folder, name));
  return paths.filter((path) => /\.jsonl?$/.test(path) && statSync(path).size < MAX_BYTES).slice(0, 6);
}

describe('the scenario of every session', () => {
  it('of the samples fails on its own answers where there is a problem, and passes where there is none', async () => {
    const sessions = await evaluatedSessions([SAMPLES]);
    // An expected call was not made: the rules find nothing, so that it is no problem of the report.
    const [rooms] = sessions.filter(({ session }) => session.id === 'book-for-eight');
    const others = sessions.filter((one) => one !== rooms);
    expect((await Promise.all(others.map(differences))).flat()).toEqual([]);
    expect(others).toHaveLength(11);
    expect(rooms && (await differences(rooms))).toHaveLength(1);
  });

  const folders = sharedTraceFolders();
  it.skipIf(folders === null)(
    'of every format does so too',
    async () => {
      const found: string[] = [];
      let count = 0;
      for (const file of (folders ?? []).flatMap(someFiles)) {
        for (const one of (await evaluatedSessions([file])).filter(isRecorded).slice(0, 4)) {
          found.push(...(await differences(one)));
          count += 1;
        }
      }
      expect(found).toEqual([]);
      expect(count).toBeGreaterThan(100);
    },
    120_000,
  );
});
