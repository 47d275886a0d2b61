import { describe, expect, it } from 'vitest';
import { isObject } from '../../../src/core/json.ts';
import { endingOfError, endingOfStatus } from '../../../src/formats/ending.ts';
import { fixture, json, jsonLines, onlySession, read } from './read-fixture.ts';

describe('the cause of an ending', () => {
  it.each([
    ['max_steps', 'limit'],
    ['LimitsExceeded', 'limit'],
    ['TimeExceeded', 'limit'],
    ['exit_cost', 'limit'],
    ['exit_context', 'limit'],
    ['error_max_turns', 'limit'],
    ['too_many_errors', 'agent-error'],
    ['exit_format', 'agent-error'],
    ['RepeatedFormatError', 'agent-error'],
    ['RateLimitError', 'error'],
    ['infrastructure_error', 'error'],
    ['exit_error', 'error'],
    ['KeyboardInterrupt', 'error'],
    ['exit_forfeit', 'unknown'],
  ])('of the status %s is %s', (status, cause) => {
    expect(endingOfStatus(status, '/status')).toEqual({ cause, reason: status, pointer: '/status' });
  });

  it.each([
    ['RuntimeError: Agent reached maximum iteration in headless mode.', 'limit'],
    ['AgentStuckInLoopError: Agent got stuck in a loop', 'agent-error'],
    ['The limit of the format was exceeded', 'error'],
  ])('of the message "%s" is %s', (message, cause) => {
    expect(endingOfError(message, '')?.cause).toBe(cause);
  });

  it('is what the format says its own statuses mean', () => {
    expect(endingOfStatus('failed_over', '', { failed_over: 'regular' })?.cause).toBe('regular');
    expect(endingOfStatus('toString', '')?.cause).toBe('unknown');
    expect([endingOfStatus(undefined, ''), endingOfStatus('', ''), endingOfError('', '')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('has a reason of bounded length', () => {
    expect(endingOfError('x'.repeat(10_000), '')?.reason).toHaveLength(200);
  });
});

describe('the ending of a session', () => {
  it.each([
    ['tau2-bench.json', 1, '/simulations/1/termination_reason'],
    ['swe-agent-attempts.traj', 1, '/attempts/1/info/exit_status'],
    ['openhands-output.jsonl', 1, '/1/error'],
    ['tau-bench.json', 2, '/2/info/error'],
  ])('of %s is read with its position', (name, index, pointer) => {
    const { ending } = read(fixture(name)).sessions[index] ?? {};
    expect(ending?.pointer).toBe(pointer);
    expect(ending?.cause).not.toBe('regular');
  });

  it('of tau2-bench is regular if the user or the agent stopped', () => {
    expect(read(fixture('tau2-bench.json')).sessions[0]?.ending).toEqual({
      cause: 'regular',
      reason: 'user_stop',
      pointer: '/simulations/0/termination_reason',
    });
  });

  it('of Claude Code is in the last line of its stream output', () => {
    const line = { session_id: 's', parent_tool_use_id: null };
    const lines = [
      { ...line, type: 'system', subtype: 'init', tools: ['Bash'] },
      { ...line, type: 'user', message: { role: 'user', content: 'Fix it.' } },
      { ...line, type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text: 'Let me see.' }] } },
      { ...line, type: 'result', subtype: 'error_max_turns', is_error: true },
    ];
    expect(onlySession(read(jsonLines(lines))).ending).toEqual({
      cause: 'limit',
      reason: 'error_max_turns',
      pointer: '/3/subtype',
    });
  });

  it.each([
    ["Text 'TERMINATE' mentioned", 'regular'],
    ['Maximum number of messages 10 reached, current message count: 10', 'limit'],
    ['Token usage limit reached, total token count: 900.', 'limit'],
  ])('of AutoGen with the reason "%s" is %s', (reason, cause) => {
    const { value } = fixture('autogen.json');
    const { ending } = onlySession(read(json({ ...(isObject(value) ? value : {}), stop_reason: reason })));
    expect(ending).toEqual({ cause, reason, pointer: '/stop_reason' });
  });

  it('of chat messages is the error beside them', () => {
    const messages = [
      { role: 'user', content: 'Book a flight.' },
      { role: 'assistant', content: 'Let me see.' },
    ];
    expect(onlySession(read(json({ messages, error: 'ConnectionError: no route' }))).ending).toEqual({
      cause: 'error',
      reason: 'ConnectionError: no route',
      pointer: '/error',
    });
    expect(onlySession(read(json({ messages, error: null }))).ending).toBeUndefined();
  });

  it('of Turnwise’s own format is stated', () => {
    const stated = { cause: 'limit', reason: 'max_steps' };
    const file = { turnwise: 1, sessions: [{ id: 's', ending: stated, turns: [] }] };
    expect(onlySession(read(json(file))).ending).toEqual({ ...stated, pointer: '/sessions/0/ending' });
  });
});
