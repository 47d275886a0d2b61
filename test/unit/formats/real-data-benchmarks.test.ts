import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { agentToolCalls, type Session, type Turn } from '../../../src/core/session.ts';
import { detect } from '../../../src/formats/index.ts';
import { parseFile } from '../../../src/input/parse-file.ts';
import { sharedData } from '../../support/shared-data.ts';
import { pointersOf, readAs, resolve, turnAt } from './read-fixture.ts';

const root = sharedData('.');

/** A file as the reader of files hands it over; archives are documents too. */
function real(path: string) {
  const { document, problems } = parseFile(path, readFileSync(`${root}/${path}`));
  if (!document) throw new Error(`${path} cannot be read.`);
  const detection = detect(document);
  if (!detection) throw new Error(`No format fits ${path}.`);
  const reading = readAs(detection.format, document);
  for (const pointer of pointersOf(reading)) resolve(document.value, pointer);
  return { format: detection.format.name, reading, problems: [...problems, ...reading.problems] };
}

function stepsOf(sessions: readonly Session[]) {
  return sessions.flatMap((session) => session.turns).flatMap((turn) => turn.steps);
}

/** Sessions, turns, answered turns, calls, errors, missing, calls of a simulated user. */
function counts(sessions: readonly Session[]): readonly number[] {
  const turns = sessions.flatMap((session) => session.turns);
  const calls = turns.flatMap((turn: Turn) => agentToolCalls(turn));
  const of = (outcome: string) => calls.filter((call) => call.outcome === outcome).length;
  const users = stepsOf(sessions).filter((step) => step.type === 'tool' && step.requestedBy === 'user');
  const answered = turns.filter(({ output }) => output !== null);
  return [sessions.length, turns.length, answered.length, calls.length, of('error'), of('missing'), users.length];
}

const named = (name: string) => (sessions: readonly Session[]) =>
  stepsOf(sessions).filter((step) => step.type === 'tool' && step.name === name).length;

describe.skipIf(root === null)('real logs of benchmarks and coding agents (needs ../shared/data)', () => {
  // Counted in the raw files, by eye and with a script that does not know this reader.
  it.each<[string, string, readonly number[]]>([
    // Nine of ten conversations end with the user's goodbye, which nobody answers; all begin with the agent's greeting.
    ['tau2-bench/activegraph-20260531-184109-726391.json', 'tau2-bench', [10, 32, 23, 14, 0, 0, 1]],
    ['tau2-bench/activegraph-20260601-041221-091109.json', 'tau2-bench', [1, 7, 6, 4, 0, 0, 5]],
    // Without a flag: three results begin with "Error". 25 greetings and 123 user messages.
    ['tau2-bench/toolorchestra-airline.tasks000-024.json', 'tau2-bench', [25, 148, 123, 329, 3, 0, 0]],
    ['inspect-ai/2025-05-12T20-27-36-04-00_browser.json', 'inspect-ai', [1, 1, 1, 4, 0, 0, 0]],
    ['inspect-ai/2025-05-12T20-28-13-04-00_popularity.json', 'inspect-ai', [3, 3, 3, 0, 0, 0, 0]],
    ['inspect-ai/log_read_sample.json', 'inspect-ai', [1, 1, 1, 0, 0, 0, 0]],
    ['inspect-ai/log_read_sample.eval', 'inspect-ai', [1, 1, 1, 0, 0, 0, 0]],
    // Its last step, "submit", is only in the trajectory.
    ['swe-agent/6e44b9__sweagenttestrepo-1c2844.traj', 'swe-agent', [1, 1, 1, 5, 0, 0, 0]],
    ['swe-agent/function_calling_simple.traj', 'swe-agent', [1, 1, 1, 5, 0, 0, 0]],
    // An edit that introduced a syntax error says so in words only.
    ['swe-agent/marshmallow-1867.function_calling.traj', 'swe-agent', [1, 1, 1, 11, 0, 0, 0]],
    ['mini-swe-agent/django__django-10999.traj.json', 'mini-swe-agent', [1, 1, 1, 18, 0, 0, 0]],
    ['mini-swe-agent/django__django-13401.traj.json', 'mini-swe-agent', [1, 1, 1, 27, 3, 0, 0]],
    ['mini-swe-agent/django__django-16255.traj.json', 'mini-swe-agent', [1, 1, 1, 17, 0, 0, 0]],
    // 28 answers, two of them with three commands, which the harness refused; two commands were killed.
    ['mini-swe-agent/django__django-16502.traj.json', 'mini-swe-agent', [1, 1, 1, 26, 2, 0, 0]],
    ['mini-swe-agent/matplotlib__matplotlib-22871.traj.json', 'mini-swe-agent', [1, 1, 1, 22, 1, 0, 0]],
    ['mini-swe-agent/pydata__xarray-4629.traj.json', 'mini-swe-agent', [1, 1, 1, 18, 2, 0, 0]],
    // Nothing answers the call of "finish".
    ['atif/harbor_openhands.json', 'atif', [1, 1, 1, 2, 0, 1, 0]],
    ['atif/multi_tool_trajectory.json', 'atif', [1, 1, 1, 4, 0, 0, 0]],
    ['atif/parallel_tools_mixed_results.json', 'atif', [1, 1, 1, 3, 1, 0, 0]],
    ['atif/simple_trajectory.json', 'atif', [1, 1, 1, 1, 0, 0, 0]],
    // Two trajectories: that of the sub-agent is a step of the other.
    ['atif/subagent_trajectories.json', 'atif', [1, 1, 1, 1, 0, 0, 0]],
    ['openhands/basic.json', 'openhands', [1, 1, 1, 1, 0, 0, 0]],
    // Eighteen steps: one question, two searches, a page, a program and the answer; the others think or steer.
    ['tapeagents/l1_task000.json', 'tapeagents', [1, 1, 1, 4, 0, 0, 0]],
  ])('%s', (path, format, expected) => {
    const result = real(path);
    expect(result.format).toBe(format);
    expect(counts(result.reading.sessions)).toEqual(expected);
    expect(result.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  it('tau2-bench: rewards, policies, expectations and problems', () => {
    const mock = real('tau2-bench/activegraph-20260531-184109-726391.json');
    expect(mock.problems.map(({ code }) => code)).toEqual(['run-failed']);
    expect(mock.reading.sessions.map(({ scores }) => scores?.reward)).toEqual([1, 1, 1, 1, 1, 0, 1, 1, 0, 1]);
    expect(mock.reading.sessions.every(({ goal, system }) => goal && system)).toBe(true);
    expect(mock.reading.sessions.filter(({ reference }) => !reference).map(({ task }) => task?.id)).toEqual([
      'create_task_1_nl_eval',
      'update_task_with_history_and_env_assertions',
    ]);
    expect(mock.reading.sessions[0]).toMatchObject({
      task: { id: 'create_task_1', trial: '0', dataset: 'mock', agent: 'llm_agent openai/gpt-4.1-mini' },
      reference: { toolCalls: [{ name: 'create_task', arguments: { user_id: 'user_1', title: 'Important Meeting' } }] },
    });

    // Both expected actions are the user's.
    const [phone] = real('tau2-bench/activegraph-20260601-041221-091109.json').reading.sessions;
    expect(phone?.reference?.toolCalls).toEqual([]);
    expect(
      stepsOf(phone ? [phone] : [])
        .filter((step) => step.type === 'tool')
        .map(({ name }) => name),
    ).toContain('toggle_airplane_mode');

    // Its tasks were renumbered: almost every simulation was checked against the actions of another one.
    const airline = real('tau2-bench/toolorchestra-airline.tasks000-024.json');
    expect(airline.problems.map(({ code }) => code)).toEqual(['task-mismatch']);
    expect(airline.reading.sessions.filter(({ scores }) => scores?.reward === 1)).toHaveLength(16);
    expect(airline.reading.sessions.some(({ goal, task }) => goal ?? task)).toBe(false);
    expect(airline.reading.sessions[0]?.reference?.toolCalls?.map(({ name }) => name)).toEqual([
      'get_user_details',
      'send_certificate',
    ]);
  });

  it('inspect-ai: scores, targets, tools and tokens', () => {
    const [browser] = real('inspect-ai/2025-05-12T20-27-36-04-00_browser.json').reading.sessions;
    expect(browser).toMatchObject({ id: 'browser-1-epoch-1', scores: { includes: 1 }, task: { dataset: 'browser' } });
    expect(browser?.tools).toHaveLength(8);
    const turn = turnAt(browser, 0);
    expect(turn.reference).toBeUndefined();
    expect(turn.steps.filter(({ type }) => type === 'model')).toHaveLength(5);
    expect(turn.steps[0]).toMatchObject({
      model: 'gpt-4o-mini-2024-07-18',
      startedAt: expect.stringMatching(/^2025-05-12T20:27:38/),
    });

    const { sessions } = real('inspect-ai/2025-05-12T20-28-13-04-00_popularity.json').reading;
    expect(sessions.map(({ turns, scores }) => [turns[0]?.reference?.response, scores])).toEqual([
      [' Yes', { match: 1 }],
      [' No', { match: 1 }],
      [' Yes', { match: 0 }],
    ]);
  });

  it('inspect-ai: an archive gives the same sessions as the plain log', () => {
    const [packed, plain] = ['eval', 'json'].map((form) => real(`inspect-ai/log_read_sample.${form}`).reading.sessions);
    const essence = (sessions: readonly Session[] | undefined) =>
      sessions?.map(({ id, task, scores, turns }) => ({ id, task, scores, inputs: turns.map(({ input }) => input) }));
    expect(essence(packed)).toEqual(essence(plain));
    expect(packed?.[0]?.source.pointer).toBe('/samples/0');
  });

  it('swe-agent: steps have the calls of the history, except the last', () => {
    const { sessions } = real('swe-agent/6e44b9__sweagenttestrepo-1c2844.traj').reading;
    const calls = sessions.flatMap(({ turns }) => turns).flatMap(agentToolCalls);
    expect(calls.map(({ name }) => name)).toEqual(['find_file', 'open', 'edit', 'bash', 'submit']);
    expect(calls[3]).toMatchObject({
      arguments: { command: 'python3 /SWE-agent__test-repo/tests/missing_colon.py' },
      result: '8.2',
    });
    expect(sessions[0]?.tools?.map(({ name }) => name)).toEqual(expect.arrayContaining(['bash', 'edit', 'submit']));
    const [marshmallow] = real('swe-agent/marshmallow-1867.function_calling.traj').reading.sessions;
    expect(marshmallow?.tools).toHaveLength(11);
    expect(marshmallow?.metadata?.exit_status).toBe('submitted');
  });

  it('mini-swe-agent: one command per answer', () => {
    const { sessions } = real('mini-swe-agent/django__django-16502.traj.json').reading;
    expect(named('bash')(sessions)).toBe(26);
    expect(stepsOf(sessions).filter(({ type }) => type === 'model')).toHaveLength(28);
    expect(sessions[0]).toMatchObject({
      id: 'django__django-16502',
      task: { id: 'django__django-16502', agent: 'google/gemini-3-pro-preview' },
      metadata: { exit_status: 'Submitted' },
    });
  });

  it('atif: a sub-agent is a step of the turn that called it', () => {
    const [session] = real('atif/subagent_trajectories.json').reading.sessions;
    const turn = turnAt(session, 0);
    expect(session?.source.pointer).toBe('/parent');
    expect(turn.steps.map((step) => (step.type === 'agent' ? [step.name, step.turns.length] : step.type))).toEqual([
      'model',
      'tool',
      ['summarizer', 1],
      'model',
    ]);
  });

  it("openhands: the agent's last text is its answer, not a call", () => {
    const [session] = real('openhands/basic.json').reading.sessions;
    const turn = turnAt(session, 0);
    expect(turn).toMatchObject({ outputPointer: '/3/args/thought', output: expect.stringMatching(/^I've created/) });
    expect(agentToolCalls(turn)).toMatchObject([{ name: 'str_replace_editor', arguments: { command: 'create' } }]);
  });
});
