import { describe, expect, it } from 'vitest';
import { agentToolCalls } from '../../../src/core/session.ts';
import { detect } from '../../../src/formats/index.ts';
import { mappedFormat } from '../../../src/formats/mapped/mapped-format.ts';
import { mappingSchema } from '../../../src/formats/mapped/mapping.ts';
import { sharedData } from '../../support/shared-data.ts';
import { callAt, documentAt, onlySession, pointersOf, resolve, turnAt } from './read-fixture.ts';

const root = sharedData('.');

/** Reads a file with a mapping. @param known the format that the file has without it. */
function real(path: string, mapping: unknown, known: string | null = null) {
  const document = documentAt(`${root}/${path}`, path);
  expect(detect(document)?.format.name ?? null).toBe(known);
  const format = mappedFormat(mappingSchema.parse(mapping));
  expect(format.detect(document)).not.toBeNull();
  const reading = format.read(document);
  for (const pointer of pointersOf(reading)) resolve(document.value, pointer);
  return reading;
}

const QUESTIONS = {
  name: 'questions',
  sessions: 'examples',
  turns: { path: '', input: 'inputs.input', output: 'inputs.input_prediction', reference: 'inputs.input_answer' },
};

const TAPE = {
  name: 'tape',
  id: 'metadata.id',
  task: { id: 'metadata.task.task_id', trial: 'metadata.attempt_number', agent: 'metadata.author' },
  messages: {
    path: 'steps',
    role: 'kind',
    roles: {
      question: 'user',
      reasoning_thought: 'agent',
      gaia_answer_action: 'agent',
      search_action: 'call',
      open_url_action: 'call',
      python_code_action: 'call',
      search_results_observation: 'tool',
      page_observation: 'tool',
      code_execution_result: 'tool',
      set_next_node: 'ignore',
    },
    text: ['content', 'reasoning', 'long_answer'],
    calls: { name: 'kind', arguments: { query: 'query', source: 'source', url: 'url', code: 'code' } },
    result: { value: ['serp', 'text', 'result.output'], error: ['error', 'result.exit_code'] },
  },
};

describe.skipIf(root === null)('real files of unknown formats (needs ../shared/data)', () => {
  it('a tape of TapeAgents', () => {
    const reading = real('tapeagents/l1_task000.json', TAPE, 'tapeagents');
    expect(reading.problems).toEqual([]);
    const session = onlySession(reading);
    expect(session).toMatchObject({
      id: 'c24a2fa1-7ae3-474d-9d16-6b8b101e876f',
      task: { id: 'e1fc63a2-da7a-432f-be78-7c4a95598703', trial: '0', agent: 'web_agent' },
    });
    // 18 steps: a question, three thoughts, two searches, an opened page, some Python, an answer, and what came back.
    expect(session.turns).toHaveLength(1);
    const turn = turnAt(session, 0);
    expect(turn.input).toMatch(/^If Eliud Kipchoge could maintain/);
    expect(turn.output).toMatch(/^It would take Eliud Kipchoge approximately 17 thousand hours/);
    expect(turn.outputPointer).toBe('/steps/17/long_answer');
    expect(agentToolCalls(turn).map(({ name, outcome, pointer }) => [name, outcome, pointer])).toEqual([
      ['search_action', 'ok', '/steps/3'],
      ['open_url_action', 'ok', '/steps/6'],
      ['search_action', 'ok', '/steps/9'],
      ['python_code_action', 'ok', '/steps/14'],
    ]);
    expect(callAt(turn, 2)).toMatchObject({
      arguments: { query: 'Eliud Kipchoge marathon record pace in km/h', source: 'web' },
      resultPointer: '/steps/11/serp',
    });
    expect(callAt(turn, 3)).toMatchObject({ result: '17', resultPointer: '/steps/16/result/output' });
  });

  it.each([
    ['Correct', 'Woman at Wedding', /is Woman at Wedding$/],
    ['Incorrect', 'Hollywood Cemetery', /^Woman at Wedding$/],
  ])('questions with %s answers', (which, output, expected) => {
    const { sessions, problems } = real(`judge-meta-eval/Web-Q&A-Dataset-${which}.json`, QUESTIONS);
    expect(problems).toEqual([]);
    expect(sessions).toHaveLength(100);
    expect(sessions.every(({ turns }) => turns.length === 1)).toBe(true);
    expect(turnAt(sessions[0], 0)).toMatchObject({
      input: 'who does the author stephenie meyer play in the movie twilight?',
      inputPointer: '/examples/0/inputs/input',
      output,
      reference: { response: expect.stringMatching(expected) },
    });
  });
});
