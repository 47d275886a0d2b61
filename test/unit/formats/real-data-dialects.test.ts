import { describe, expect, it } from 'vitest';
import { get } from '../../../src/core/json.ts';
import { agentToolCalls, type Session } from '../../../src/core/session.ts';
import { sharedData } from '../../support/shared-data.ts';
import { documentAt, onlySession, pointersOf, read, resolve } from './read-fixture.ts';

const root = sharedData('.');

/** The only session of a file, which nothing is wrong with; every pointer leads somewhere. */
function session(path: string): Session {
  const document = documentAt(`${root}/${path}`, path);
  const reading = read(document);
  for (const pointer of pointersOf(reading)) resolve(document.value, pointer);
  expect(reading.problems).toEqual([]);
  return onlySession(reading);
}

function counts({ turns }: Session) {
  const calls = turns.flatMap(agentToolCalls);
  const models = turns.flatMap(({ steps }) => steps.filter(({ type }) => type === 'model'));
  return {
    turns: turns.length,
    models: models.length,
    calls: calls.length,
    errors: calls.filter(({ outcome }) => outcome === 'error').length,
    missing: calls.filter(({ outcome }) => outcome === 'missing').length,
  };
}

// All numbers are those of the raw files, counted apart from the readers.
describe.skipIf(root === null)('real files of chat dialects (needs ../shared/data)', () => {
  it.each([
    // Messages but the user's, thoughts among them, and what the end of the log says.
    ['0ec4371851b96837b0a81b3dd3df401415061bb532fbafeb4609f3337c358508', 31, 16, 'Muscle Headz Gym, Ohio WV YMCA'],
    ['14569e28-c88c-43e4-8c32-097d35b9a67d', 15, 8, 'k'],
    ['2dfc4c37-fec1-4518-84a7-10095d30ad75', 19, 10, '5'],
    ['42576abe-0deb-4869-8c63-225c2d75a95a', 4, 3, 'Maktay Zapple Mato'],
    ['52f7224e9c79431e7926afe317782711a0028750693e7456cde22ef6f4bd8bd5', 20, 10, 'The Tenant'],
    ['56137764-b4e0-45b8-9c52-1866420c3df5', 4, 2, 'Wen Jia Bao'],
    ['6b06d186921b8b390c65aebd0d16f09f60a47d2f1288ebe36953f734e84c0a3c', 16, 8, '67 Maclellan Rd'],
  ])('agentrx-magentic-one/%s.json', (id, models, thoughts, answer) => {
    const log = session(`agentrx-magentic-one/${id}.json`);
    expect(log.id).toBe(id);
    expect(counts(log)).toEqual({ turns: 1, models, calls: 0, errors: 0, missing: 0 });
    expect(log.turns[0]?.output).toBe(answer);
    const reasoned = log.turns[0]?.steps.filter((step) => step.type === 'model' && step.reasoning !== undefined);
    expect(reasoned).toHaveLength(thoughts);
  });

  it.each([
    // What agents said, outputs of code, those with an exit code other than 0, and the labelled step.
    ['algorithm-generated-1', 4, 2, 0, 'Excel_Expert', '0'],
    ['algorithm-generated-5', 7, 2, 0, 'DataVerification_Expert', '3'],
    ['algorithm-generated-12', 4, 1, 0, 'Verification_Expert', '1'],
    ['algorithm-generated-17', 7, 3, 0, 'Statistics_Expert', '4'],
    ['algorithm-generated-23', 7, 3, 2, 'Church_Historian_Expert', '3'],
    ['algorithm-generated-34', 5, 3, 0, 'Locomotive_Expert', '4'],
    ['algorithm-generated-45', 4, 1, 0, 'PublicationData_Expert', '1'],
    ['algorithm-generated-56', 10, 0, 0, 'Validation_Expert', '5'],
    ['algorithm-generated-67', 9, 1, 1, 'Verification_Expert', '4'],
    ['algorithm-generated-78', 6, 4, 2, 'Neurology_Expert', '9'],
    ['algorithm-generated-89', 8, 2, 1, 'Validation_Expert', '8'],
    ['algorithm-generated-100', 7, 3, 0, 'Movie_Expert', '2'],
    ['hand-crafted-1', 28, 0, 0, 'WebSurfer', '12'],
    ['hand-crafted-4', 16, 0, 0, 'WebSurfer', '8'],
    ['hand-crafted-16', 20, 0, 0, 'Orchestrator', '15'],
    ['hand-crafted-23', 73, 0, 0, 'WebSurfer', '8'],
  ])('who-and-when/%s.json', (name, models, calls, errors, agent, step) => {
    const run = session(`who-and-when/${name}.json`);
    expect(counts(run)).toEqual({ turns: 1, models, calls, errors, missing: 0 });
    expect([run.metadata?.mistake_agent, run.metadata?.mistake_step]).toEqual([agent, step]);
    expect(run.goal?.trim()).toBe(run.turns[0]?.input?.trim());
    // The labels point at messages: each is a step of the agent that they name.
    const labelled = run.turns[0]?.steps.find(({ pointer }) => pointer === `/history/${step}`);
    expect(labelled).toMatchObject({ type: 'model', speaker: agent });
  });

  it.each([
    ['algorithm-generated-1', /client.* is \*\*4\*\*\./],
    ['algorithm-generated-12', /there are 12 stops between/],
    ['algorithm-generated-89', /Number of at bats\*\*: 512/],
    ['hand-crafted-1', /^Alliance Jiu Jitsu, NY Jidokwan Taekwondo$/],
    ['hand-crafted-16', /^The Tenant$/],
  ])('who-and-when/%s.json ends with an answer', (name, answer) => {
    expect(session(`who-and-when/${name}.json`).turns[0]?.output).toMatch(answer);
  });

  it.each(['hand-crafted-4', 'hand-crafted-23'])('who-and-when/%s.json ends without an answer', (name) => {
    expect(session(`who-and-when/${name}.json`).turns[0]?.output).toBeNull();
  });

  it.each([
    // Tools, answers of the model, calls, errors by code or text, and how it ended.
    ['10', 3, 3, 3, 0, 'give_answer', /^The contact details of the 'Gondrand' customs agency/],
    ['21', 10, 4, 4, 1, 'give_answer', /^I'm sorry, but I couldn't fetch/],
    ['102', 8, 4, 4, 0, 'give_answer', /^The package with tracking number YT2003521266065328/],
    ['52', 6, 28, 26, 9, 'give_answer', /^The address details for the postal code 75094080/],
    ['3', 12, 35, 35, 19, 'give_answer', /^Based on the available options, I recommend/],
    ['119', 3, 24, 23, 9, 'give_up', null],
    ['8', 7, 43, 43, 27, 'give_answer', null],
  ])('toolbench/%s_ChatGPT_DFS_woFilter_w2.json', (id, tools, models, calls, errors, finish, output) => {
    const answer = session(`toolbench/${id}_ChatGPT_DFS_woFilter_w2.json`);
    expect(counts(answer)).toEqual({ turns: 1, models, calls, errors, missing: 0 });
    expect([answer.tools?.length, answer.metadata?.finish_type]).toEqual([tools, finish]);
    if (output === null) expect(answer.turns[0]?.output).toBeNull();
    else expect(answer.turns[0]?.output).toMatch(output);
  });

  it('toolbench: the only call of an unknown tool', () => {
    const answer = session('toolbench/3_ChatGPT_DFS_woFilter_w2.json');
    const known = new Set(answer.tools?.map(({ name }) => name));
    const unknown = answer.turns.flatMap(agentToolCalls).filter(({ name }) => !known.has(name));
    expect(unknown.map(({ name, arguments: args }) => [name, get(args, 'category')])).toEqual([
      ['search_cocktail_by_category_for_the_cocktail_db', 'Beach'],
    ]);
  });

  it.each(['vercel_ai_v5_uimessages', 'vercel_ai_v5_modelmessages'])(
    'sdk-generated/%s.json, as its ground truth says',
    (name) => {
      const chat = session(`sdk-generated/${name}.json`);
      expect(counts(chat)).toMatchObject({ turns: 2, calls: 5, errors: 2, missing: 0 });
      expect(chat.turns.flatMap(agentToolCalls).map(({ outcome }) => outcome)).toEqual([
        'ok',
        'error',
        'ok',
        'error',
        'ok',
      ]);
      expect(chat.turns.map(({ output }) => output)).toEqual([
        'Your refund of $42.50 for order A-1001 was issued.',
        'Usually within 5 business days.',
      ]);
    },
  );
});
