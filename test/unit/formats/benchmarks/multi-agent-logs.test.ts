import { describe, expect, it } from 'vitest';
import type { Turn } from '../../../../src/core/session.ts';
import { agentToolCalls } from '../../../../src/core/session.ts';
import { magenticOne } from '../../../../src/formats/benchmarks/index.ts';
import { codes, fixture, json, onlySession, read, resolve, turnAt } from '../read-fixture.ts';

/** Logs of teams of agents: Magentic-One's, and those of Who&When. */

const say = (role: string, content: unknown) => ({ role, content });

function log(...messages: readonly unknown[]) {
  return magenticOne.read(json([say('human', 'go'), ...messages]));
}

function speakers(turn: Turn) {
  return turn.steps.flatMap((step) => (step.type === 'model' ? (step.speaker ?? '') : []));
}

describe('Magentic-One', () => {
  it('thoughts are reasoning, and messages between agents are not answers', () => {
    const turn = turnAt(
      onlySession(
        log(
          say('Orchestrator (thought)', 'hm'),
          say('Orchestrator (-> WebSurfer)', 'Search.'),
          say('WebSurfer', 'Found.'),
          say('Orchestrator (thought)', 'Request satisfied.'),
        ),
      ),
      0,
    );
    expect(turn.steps).toMatchObject([
      { speaker: 'Orchestrator', reasoning: 'hm', text: undefined },
      { speaker: 'Orchestrator', reasoning: undefined, text: 'Search.' },
      { speaker: 'WebSurfer', text: 'Found.' },
      { speaker: 'Orchestrator', reasoning: 'Request satisfied.' },
    ]);
    expect([turn.input, turn.output]).toEqual(['go', null]);
  });

  it.each<[string, unknown, string | null]>([
    ['a final answer', say('Orchestrator (final answer)', 'Two.'), 'Two.'],
    ['words to the user', say('Orchestrator (-> UserProxy)', 'Two?'), 'Two?'],
    [
      'the end of the log',
      say(
        'Orchestrator (termination condition)',
        'No agent selected.\nFINAL ANSWER: Two\nSCENARIO.PY COMPLETE !#!#\nRUN.SH COMPLETE !#!#',
      ),
      'Two',
    ],
    ['the end of the log behind an agent', say('WebSurfer', 'A page.\nFINAL ANSWER: Two'), 'Two'],
    ['the last of several', say('WebSurfer', 'FINAL ANSWER: One\nFINAL ANSWER: Two\n'), 'Two'],
    ['several lines', say('WebSurfer', 'FINAL ANSWER: One\nTwo\nSCENARIO.PY COMPLETE !#!#'), 'One\nTwo'],
    ['a page that mentions it', say('WebSurfer', 'It says: FINAL ANSWER: Two'), null],
    ['an end without it', say('Orchestrator (termination condition)', 'No agent selected.'), null],
  ])('the answer is %s', (_, last, output) => {
    const turn = turnAt(onlySession(log(say('Orchestrator (thought)', 'hm'), last)), 0);
    expect([turn.output, turn.outputPointer]).toEqual([output, output === null ? undefined : '/2/content']);
  });

  it('the answer is only at the end of a log', () => {
    const turn = turnAt(
      onlySession(log(say('WebSurfer', 'FINAL ANSWER: One'), say('Orchestrator (thought)', 'hm'))),
      0,
    );
    expect(turn.output).toBeNull();
  });

  it.each([
    ['The script ran, then exited with Unix exit code: 0\nIts output was:\n2', 'ok'],
    ['The script ran, then exited with Unix exit code: 1\nIts output was:\nNameError', 'error'],
    ['The script ran but produced no output to console. The Unix exit code was: 1. If you', 'error'],
  ])('a terminal runs the last code: %j', (output, outcome) => {
    const turn = turnAt(
      onlySession(
        log(
          say('Coder', '```python\nprint(1)\n```'),
          say('Coder', 'Better:\n```python\nprint(2)\n```'),
          say('Orchestrator (-> ComputerTerminal)', 'Please run it.'),
          say('ComputerTerminal', output),
        ),
      ),
      0,
    );
    expect(agentToolCalls(turn)).toMatchObject([
      { name: 'ComputerTerminal', arguments: { code: 'print(2)' }, outcome, result: output, speaker: 'Coder' },
    ]);
    expect(speakers(turn)).toEqual(['Coder', 'Coder', 'Orchestrator']);
  });

  it('a role name may be a megabyte long', () => {
    const started = performance.now();
    const role = 'Orchestrator (-> '.repeat(60_000);
    expect(speakers(turnAt(onlySession(log(say(role, 'x'))), 0))).toEqual([role]);
    // A search from every arrow to the end would take minutes.
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it('invalid messages are skipped with a warning', () => {
    const reading = log(say('WebSurfer', 5), { content: 'x' }, null, say('Orchestrator (thought)', 'hm'));
    expect(turnAt(onlySession(reading), 0).steps).toHaveLength(1);
    expect(codes(reading)).toEqual(Array(3).fill('warning not-a-message'));
  });
});

describe('Who&When', () => {
  it('half of the runs are logs of Magentic-One', () => {
    const session = onlySession(read(fixture('who-and-when.json')));
    expect(session).toMatchObject({ id: 'moons', goal: 'How many moons does Mars have?' });
    const turn = turnAt(session, 0);
    expect([turn.input, turn.output, turn.outputPointer]).toEqual([
      'How many moons does Mars have?\n',
      '3',
      '/history/5/content',
    ]);
    expect(speakers(turn)).toEqual(['Orchestrator', 'Orchestrator', 'Orchestrator', 'WebSurfer', 'WebSurfer']);
  });

  it('the other runs are AG2 chats without the user, with a separate question', () => {
    const document = fixture('who-and-when-ag2.json');
    const turn = turnAt(onlySession(read(document)), 0);
    expect(resolve(document.value, turn.inputPointer ?? '')).toBe(turn.input);
    expect([turn.pointer, turn.output]).toEqual(['/0/question', 'Mars has 3 moons.']);
    expect(turn.steps.map(({ type, pointer }) => [type, pointer])).toEqual([
      ['model', '/0/history/0'],
      ['model', '/0/history/1'],
      ['tool', '/0/history/1/content'],
      ['model', '/0/history/3'],
      ['model', '/0/history/4'],
      ['model', '/0/history/5'],
      ['model', '/0/history/6'],
    ]);
    expect(agentToolCalls(turn)).toMatchObject([
      { name: 'Computer_terminal', outcome: 'error', speaker: 'Python_Expert' },
    ]);
  });

  it('without a question, the first message is the task', () => {
    const history = [
      { role: 'assistant', name: 'A', content: 'a' },
      { role: 'user', name: 'B', content: 'b' },
    ];
    const turn = turnAt(onlySession(read(json({ history, mistake_agent: 'B', mistake_step: '1' }))), 0);
    expect([turn.input, turn.output]).toEqual(['a', 'b']);
  });

  it('the labels are in the metadata only', () => {
    const session = onlySession(read(fixture('who-and-when.json')));
    expect(session.metadata).toEqual({
      level: '1',
      is_correct: false,
      mistake_agent: 'WebSurfer',
      mistake_step: '5',
      mistake_reason: 'It misread the page.',
    });
    const scored = JSON.stringify({ ...session, metadata: undefined });
    expect(scored).not.toMatch(/misread|mistake/);
    expect(session.scores).toBeUndefined();
    expect(session.turns.map(({ reference }) => reference)).toEqual([{ response: '2' }]);
  });
});
