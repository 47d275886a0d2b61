import { describe, expect, it } from 'vitest';
import { agentToolCalls, type Session, type Step } from '../../../src/core/session.ts';
import { detect } from '../../../src/formats/index.ts';
import { sharedData } from '../../support/shared-data.ts';
import { documentAt, onlySession, pointersOf, readAs, resolve } from './read-fixture.ts';

/** Counted in the raw files by hand and with a few lines of Python, not by these readers. All have one session. */
const COUNTED: readonly (readonly [
  file: string,
  format: string,
  turns: number,
  calls: number,
  errors: number,
  missing: number,
  models: number,
])[] = [
  // Seven prompts, of which the user left three; nine messages of the model, of which three went with them.
  ['claude-code/03eb5929-52b3-4b13-ada3-b93ae35806b8.jsonl', 'claude-code', 4, 2, 0, 0, 6],
  ['claude-code/07f2e15c-a38b-454b-9148-60edc06de401.jsonl', 'claude-code', 1, 20, 0, 0, 20],
  ['claude-code/12a546d1-83a7-49a6-abba-5400db340b43.jsonl', 'claude-code', 1, 35, 1, 0, 36],
  ['claude-code/1af7fc5e-8455-4414-9ccd-011d40f70b2a.jsonl', 'claude-code', 1, 12, 1, 0, 7],
  ['claude-code/2b4ed4c0-b905-41de-9238-273db3ec737a.jsonl', 'claude-code', 1, 9, 6, 0, 10],
  ['claude-code/cbc0f75b-b36d-4efd-a7da-ac800ea30eb6.jsonl', 'claude-code', 1, 9, 0, 0, 10],
  ['claude-code/sidechain.jsonl', 'claude-code', 1, 1, 0, 1, 1],
  ['claude-code/web-export-loglines.json', 'claude-code', 5, 12, 1, 0, 15],
  ['anthropic-messages/session-07f2e15c.json', 'anthropic-messages', 1, 20, 0, 0, 20],
  ['anthropic-messages/session-cbc0f75b.json', 'anthropic-messages', 1, 9, 0, 0, 10],
  ['codex-cli/codex_session_rollout.json', 'codex', 1, 2, 0, 1, 2],
  ['codex-cli/function_calls.jsonl', 'codex', 1, 2, 0, 2, 1],
  ['codex-cli/sample-session.jsonl', 'codex', 1, 1, 0, 0, 2],
  ['openai-responses/conformance-Responses-tool_call-request.json', 'openai-responses', 1, 0, 0, 0, 0],
  ['openai-responses/conformance-Responses-tool_call-response.json', 'openai-responses', 1, 1, 0, 1, 1],
  ['openai-responses/openai-client-tool-search.2.json', 'openai-responses', 1, 1, 0, 1, 1],
  ['openai-responses/parallel-tool-call-wrapper.1.json', 'openai-responses', 1, 1, 0, 1, 1],
  ['openai-responses/programmatic-tool-calling.2.json', 'openai-responses', 1, 1, 0, 1, 1],
];

const data = sharedData('.');

function sessionIn(file: string): Session {
  const document = documentAt(sharedData(file) ?? '', file);
  const detection = detect(document);
  if (!detection) throw new Error(`${file} is of no format.`);
  const reading = readAs(detection.format, document);
  expect(reading.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  for (const pointer of pointersOf(reading)) resolve(document.value, pointer);
  return onlySession(reading);
}

function countsOf(session: Session): number[] {
  const calls = session.turns.flatMap(agentToolCalls);
  const models = session.turns.flatMap(({ steps }) => steps.filter(({ type }) => type === 'model'));
  const of = (outcome: string) => calls.filter((call) => call.outcome === outcome).length;
  expect(of('rejected')).toBe(0);
  return [session.turns.length, calls.length, of('error'), of('missing'), models.length];
}

describe.skipIf(data === null)('real files (needs ../shared/data)', () => {
  it.each(COUNTED)('%s', (file, format, ...counts) => {
    const session = sessionIn(file);
    expect([session.source.format, ...countsOf(session)]).toEqual([format, ...counts]);
  });

  it('reads the current branch of seven prompts', () => {
    const { turns } = sessionIn('claude-code/03eb5929-52b3-4b13-ada3-b93ae35806b8.jsonl');
    expect(turns.map(({ inputPointer }) => inputPointer)).toEqual([
      '/2/message/content',
      '/37/message/content',
      '/44/message/content',
      '/51/message/content',
    ]);
  });

  it('a command that the agent answers is a user message', () => {
    const { turns } = sessionIn('claude-code/1af7fc5e-8455-4414-9ccd-011d40f70b2a.jsonl');
    expect(turns.map(({ input }) => input)).toEqual(['/init']);
  });

  it('reads a sub-agent after its call, with two calls, one without a result', () => {
    const session = sessionIn('claude-code/sidechain.jsonl');
    const agents = session.turns.flatMap(({ steps }) =>
      steps.filter((step): step is Extract<Step, { type: 'agent' }> => step.type === 'agent'),
    );
    expect(agents.map(({ name }) => name)).toEqual(['Task']);
    const [turn] = agents[0]?.turns ?? [];
    expect(turn?.steps.map((step) => (step.type === 'tool' ? `${step.name} ${step.outcome}` : step.type))).toEqual([
      'model',
      'Read ok',
      'model',
      'Read missing',
      'model',
    ]);
    expect(turn?.output).toMatch(/^## Summary/);
  });

  it.each(['07f2e15c-a38b-454b-9148-60edc06de401', 'cbc0f75b-b36d-4efd-a7da-ac800ea30eb6'])(
    '%s is the same as a log and as messages',
    (id) => {
      const essence = ({ turns }: Session) =>
        turns.map((turn) => [
          turn.input,
          turn.output,
          agentToolCalls(turn).map((call) => [call.id, call.name, call.arguments, call.outcome, call.result]),
        ]);
      const messages = sessionIn(`anthropic-messages/session-${id.slice(0, 8)}.json`);
      expect(essence(sessionIn(`claude-code/${id}.jsonl`))).toEqual(essence(messages));
    },
  );
});
