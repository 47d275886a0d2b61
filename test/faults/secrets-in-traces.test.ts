import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { REPORT_WRITERS } from '../../src/reports/index.ts';
import { turnwise } from '../support/cli.ts';
import { githubToken } from '../support/github-token.ts';
import { answer, refusal, startStubModels } from '../support/stub-models.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A token of its own for each part of a trace, so that a leak names the part. */
const tokens = new Map<string, string>();

/** Letters before the token, so that every limit of a text falls into one somewhere. */
const LEADS = [0, 25, 45, 65, 115, 170, 280, 1960];
let lead = 0;

function secret(part: string): string {
  const token = tokens.get(part) ?? githubToken(1000 + tokens.size);
  tokens.set(part, token);
  return `${'of what '.repeat(lead).slice(0, lead)} the key ${token} of ${part}`;
}

const PASSWORD = 'gT7#qLw2!vZx';

const session = (number: number) => ({
  id: `s${number} ${secret('the session id')}`,
  goal: secret('the goal'),
  system: secret('the instructions'),
  knowledge: [secret('the knowledge')],
  task: { id: secret('the task id'), trial: number, agent: secret('the agent') },
  tools: [
    {
      name: 'read_config',
      description: secret('the description of a tool'),
      inputSchema: { type: 'object', required: ['path'], properties: { path: { type: 'string' } } },
    },
  ],
  outcome: { status: 'failed', by: secret('who recorded the outcome'), reason: secret('the reason of the outcome') },
  scores: { resolution_rate: 0, communication_style: secret('a label') },
  scoreReasons: { resolution_rate: secret('the reason of a recorded score') },
  turns: [
    {
      input: `Which key do you use? ${secret('the question')}`,
      output: `It is ${secret('the answer')}; the password is ${PASSWORD}.`,
      scores: { response_quality: 0.1 },
      scoreReasons: { response_quality: secret('the reason of a recorded turn score') },
      importedFailures: {
        response_quality: {
          group: 'g',
          title: secret('the title of a problem'),
          explanation: secret('a problem'),
          severity: 'high',
        },
      },
      reference: {
        response: secret('the expected answer'),
        toolCalls: [{ name: 'read_config', arguments: { path: secret('an expected argument') } }],
      },
      steps: [
        {
          type: 'model',
          text: secret('a message'),
          reasoning: secret('the reasoning'),
          model: secret('the model'),
          finishReason: 'stop',
        },
        {
          type: 'tool',
          name: 'read_config',
          arguments: { path: 7, env: secret('an argument') },
          result: { file: secret('a result'), password: PASSWORD },
        },
        {
          type: 'tool',
          name: 'read_config',
          arguments: { path: 7, env: secret('an argument') },
          error: secret('an error'),
        },
        {
          type: 'tool',
          name: secret('the name of a tool'),
          arguments: secret('arguments that are no JSON'),
          error: 'no',
        },
        {
          type: 'retrieval',
          query: secret('a query'),
          documents: [{ id: secret('the id of a document'), text: secret('a document') }],
        },
        {
          type: 'agent',
          name: secret('a sub-agent'),
          turns: [
            { input: secret('the question of a sub-agent'), output: secret('the answer of a sub-agent'), steps: [] },
          ],
        },
      ],
    },
  ],
});

const TRACE = JSON.stringify({
  turnwise: 1,
  sessions: LEADS.map((letters, index) => {
    lead = letters;
    return session(index + 1);
  }),
});
lead = 0;
const BROKEN = `{"role":"user","content":"${secret('a broken line')}"\n{"role":"user" "content":"${secret('another broken line')}"}\n`;
const METRICS =
  'helpfulness,faithfulness,tool_correctness,argument_correctness,response_quality,resolution_rate,communication_style,session_risk';

/** The parts of the trace whose secret stands in a text. */
function leaks(text: string): string[] {
  const parts = [...tokens].flatMap(([part, token]) => (text.includes(token.slice(4, 16)) ? part : []));
  return text.includes(PASSWORD) ? [...parts, 'the password'] : parts;
}

async function filesUnder(folder: string): Promise<string> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const texts = files
    .filter((file) => file.isFile())
    .map((file) => readFile(join(file.parentPath, file.name), 'latin1'));
  return (await Promise.all(texts)).join('\n');
}

const JUDGED = `--judge openai:m --metrics ${METRICS}`;

/** A judge that repeats a secret, which it may know from a text that no pattern recognizes. */
const judge = () =>
  startStubModels(({ number }) =>
    number === 0
      ? refusal(`I do not judge ${secret('the refusal of the judge')}.`)
      : answer({ helpfulness: { evidence: [], reason: `It shows ${secret('the answer of the judge')}.`, score: 1 } }),
  );

/** Where texts go, something that stands there, and the command. */
type Command = [sink: string, expected: string, line: string];

const COMMANDS: readonly Command[] = [
  ['the terminal, with every result', 'judge: ', `eval a.json --verbose ${JUDGED}`],
  ...REPORT_WRITERS.map(
    ({ name }): Command => [`the report "${name}"`, 'session', `eval a.json --format ${name} ${JUDGED}`],
  ),
  ['the plan of a run', 'sessions', `eval a.json --dry-run ${JUDGED}`],
  ['the plan of a run, as JSON', 'sessions', `eval a.json --dry-run --format json ${JUDGED}`],
  ['the messages about a broken file', 'broken.jsonl:', 'eval broken.jsonl'],
  ['the messages about a broken file, as JSON', 'broken.jsonl', 'eval broken.jsonl --format json'],
  ['the message about a session that is not there', 'none-like-it', 'eval a.json --session none-like-it'],
  ['the message about a turn that is not there', 'Its turns', 'prompts --turn a.json#/none'],
  ['the prompts of a turn', 'The session', 'prompts --turn a.json#/sessions/1/turns/0'],
  ['the prompts of a turn, as JSON', 'The session', 'prompts --turn a.json#/sessions/1/turns/0 --format json'],
];

describe('secrets in a trace', () => {
  it.each(COMMANDS)('never reach %s', async (_, expected, line) => {
    await using stub = await judge();
    await using folder = await temporaryFolder({ '.git': '', 'a.json': TRACE, 'broken.jsonl': BROKEN });
    const args = line.includes('--judge') ? ['--judge-url', stub.openai] : [];
    const { stdout, stderr } = await turnwise([...line.split(' '), ...args], {
      cwd: folder.path,
      env: { TURNWISE_HOME: join(folder.path, 'home') },
    });
    expect(stdout + stderr).toContain(expected);
    expect(leaks(stdout + stderr)).toEqual([]);
  });

  it('never reach the judge, the embedder or the stored answers', async () => {
    await using stub = await judge();
    await using folder = await temporaryFolder({ '.git': '', 'a.json': TRACE });
    const home = join(folder.path, 'home');
    const line = `eval a.json ${JUDGED},coherence --judge-url ${stub.openai} --embedder openai:e --embedder-url ${stub.openai}`;
    await turnwise(line.split(' '), { cwd: folder.path, env: { TURNWISE_HOME: home } });
    expect(stub.requests.map(({ api }) => api)).toEqual(expect.arrayContaining(['openai chat', 'openai embeddings']));
    expect(leaks(JSON.stringify(stub.requests))).toEqual([]);
    expect(leaks(await filesUnder(home))).toEqual([]);
  });
});
