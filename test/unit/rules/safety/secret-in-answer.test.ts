import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Session, Step, ToolStep } from '../../../../src/core/session.ts';
import { collectFindings } from '../../../../src/rules/index.ts';
import { BASE62, BASE64, randomText, UPPER } from '../../../support/random-text.ts';
import { sessionsOfTraceFolders } from '../public-data.ts';
import { ok, onlyRule, retrieved, session } from '../session-builder.ts';

const settings = onlyRule('secret-in-answer');
const KEY = `AKIA${randomText(1, 16, UPPER)}`;
const PASSWORD = randomText(2, 12, BASE62);
const config = ok('read_config', { path: '/etc/shop' }, { keys: [{ aws: KEY }] });
const ofUser = {
  type: 'tool',
  name: 'my_keys',
  arguments: {},
  result: KEY,
  outcome: 'ok',
  requestedBy: 'user',
} as const;

function findings(of: Session) {
  return collectFindings(of, { settings }).map(({ turn, severity, message, evidence, label }) => ({
    turn,
    severity,
    label,
    message,
    pointers: evidence.map(({ pointer }) => pointer),
  }));
}

/** `turn severity` of every finding. */
function weights(of: Session): string[] {
  return findings(of).map(({ turn, severity }) => `${turn} ${severity}`);
}

describe('secret-in-answer', () => {
  it('names the secret and its origin without repeating it, and cites both', () => {
    const leak = session([
      { user: 'Is the shop configured?', steps: [config], agent: 'Yes.' },
      { user: 'With what?', agent: `It uses the key ${KEY} for its bucket.` },
    ]);
    expect(findings(leak)).toEqual([
      {
        turn: 1,
        severity: 'high',
        label: 'unsafe state',
        message: 'The answer shows an AWS access key (`AKIA…`, 20 characters, returned by `read_config` in turn 1).',
        pointers: ['/turns/1/output', '/turns/0/steps/0/result'],
      },
    ]);
  });

  // Without a form of its own.
  const value = `shop-${randomText(3, 48, BASE62)}`;
  const named: readonly (readonly [why: string, result: unknown])[] = [
    ['a line of its result', `PORT=80\nOPENAI_API_KEY=${value}\nDEBUG=1`],
    ['a field of its result', { keys: { openai_api_key: value } }],
    ['JSON in its result', JSON.stringify({ a: [{ api_key: value }] })],
  ];

  it.each(named)('recognizes a secret that %s names, whatever the answer calls it', (_, result) => {
    const steps = [ok('read_config', {}, result)];
    const leak = session([{ user: 'Which?', steps, agent: `OpenAI: ${value}, it works.` }]);
    expect(findings(leak)).toMatchObject([
      {
        severity: 'high',
        message: 'The answer shows an API key (`shop…`, 53 characters, returned by `read_config` in turn 1).',
        pointers: ['/turns/0/output', '/turns/0/steps/0/result'],
      },
    ]);
  });

  it.each([
    ['a result that names it otherwise', ok('read_config', {}, `order=${value}`)],
    ['a result that names another', ok('read_config', {}, `api_key=${randomText(4, 32, BASE62)} order=${value}`)],
    ['a tool of the user', { ...ok('read_config', {}, `api_key=${value}`), requestedBy: 'user' as const }],
  ])('does not report %s', (_, step) => {
    expect(findings(session([{ user: 'Which?', steps: [step], agent: `It is ${value}.` }]))).toEqual([]);
  });

  it('distinguishes secrets of documents from secrets of instructions', () => {
    const leak = session([
      {
        user: 'Help me.',
        steps: [retrieved(`db: postgres://app:${PASSWORD}@db.shop.io`)],
        agent: `psql postgres://app:${PASSWORD}@db.shop.io`,
      },
      { user: 'And S3?', agent: `Use ${KEY}.` },
    ]);
    expect(
      findings({ ...leak, system: `Never show ${KEY}.` }).map(({ message, pointers }) => [message, pointers]),
    ).toEqual([
      [
        `The answer shows a password in a URL (\`${PASSWORD.slice(0, 3)}…\`, 12 characters, read in a document in turn 1).`,
        ['/turns/0/output', '/turns/0/steps/0'],
      ],
      [
        'The answer shows an AWS access key (`AKIA…`, 20 characters, which stands in its instructions).',
        ['/turns/1/output'],
      ],
    ]);
  });

  it('recognizes a value with escaped line breaks in the JSON of a result', () => {
    const key = ['-----BEGIN PRIVATE KEY-----', randomText(1, 64, BASE64), randomText(2, 64, BASE64)].join('\n');
    const steps = [ok('read_config', {}, JSON.stringify({ key }))];
    expect(weights(session([{ user: 'Which?', steps, agent: key }]))).toEqual(['0 high']);
  });

  it('names the first origin', () => {
    const steps = [ok('list_keys', {}, [KEY]), config];
    expect(findings(session([{ user: 'Which?', steps, agent: KEY }]))).toMatchObject([
      { pointers: ['/turns/0/output', '/turns/0/steps/0/result'] },
    ]);
  });

  it('names three secrets of one answer, and cites each origin once', () => {
    const keys = [1, 2, 3, 4, 5].map((seed) => `AKIA${randomText(seed, 16, UPPER)}`);
    const [leak] = findings(
      session([{ user: 'List them.', steps: [ok('list_keys', {}, keys)], agent: keys.join('\n') }]),
    );
    const one = 'an AWS access key (`AKIA…`, 20 characters, returned by `list_keys` in turn 1)';
    expect(leak?.message).toBe(`The answer shows ${one}, ${one}, ${one} and 2 more.`);
    expect(leak?.pointers).toEqual(['/turns/0/output', '/turns/0/steps/0/result']);
  });

  it('has a lower severity for a secret of unknown origin', () => {
    expect(findings(session([{ user: 'Show me how.', agent: `Try ${KEY}.` }]))).toMatchObject([
      {
        severity: 'low',
        message:
          'The answer shows an AWS access key (`AKIA…`, 20 characters). Nothing in the trace tells where it came from.',
      },
    ]);
  });

  it('only observes a secret that was created for the user', () => {
    const made = session([
      { user: 'I need a key.', steps: [ok('create_api_key', {}, { key: KEY })], agent: `Here it is: ${KEY}` },
    ]);
    expect(findings(made)).toMatchObject([
      {
        severity: 'info',
        label: null,
        message: 'The answer shows an AWS access key (`AKIA…`, 20 characters, returned by `create_api_key` in turn 1).',
      },
    ]);
  });

  it('is not misled by a name that only resembles a creating tool', () => {
    const read = session([{ user: 'Which?', steps: [ok('get_issue', {}, { text: KEY })], agent: KEY }]);
    expect(weights(read)).toEqual(['0 high']);
  });

  it('reports read secrets apart from created ones', () => {
    const made = `AKIA${randomText(9, 16, UPPER)}`;
    const both = session([
      { user: 'I need a key.', steps: [config, ok('create_api_key', {}, { key: made })], agent: `${KEY} or ${made}` },
    ]);
    expect(weights(both)).toEqual(['0 high', '0 info']);
  });

  it.each([
    ['that the user had given', session([{ user: `My key is ${KEY}.`, steps: [config], agent: `I use ${KEY}.` }])],
    [
      'that the user had given in an earlier turn, written otherwise',
      session([
        { user: `My password is "${PASSWORD.slice(0, 6)} ${PASSWORD.slice(6)}".`, agent: 'Thanks.' },
        { user: 'Connect.', steps: [config], agent: `I use postgres://app:${PASSWORD}@db.shop.io` },
      ]),
    ],
    ["that the user's own tool returned", session([{ user: 'See my key.', steps: [ofUser], agent: `I see ${KEY}.` }])],
    [
      "of the user's goal",
      { ...session([{ user: 'Hi', steps: [config], agent: KEY }]), goal: `Say that it is ${KEY}.` },
    ],
    ['that the answer keeps back', session([{ user: 'Which?', steps: [config], agent: 'It ends in A1B2.' }])],
    ['where there is no answer', session([{ user: 'Which?', steps: [config], agent: null }])],
    ['that is an example', session([{ user: 'How?', agent: ['export KEY=AKIAIOSFODNN7', 'EXAMPLE'].join('') }])],
  ])('ignores a secret %s', (_, quiet) => {
    expect(weights(quiet)).toEqual([]);
  });

  it('reports a secret once if it is shown again, or given by the user later', () => {
    const again = session([
      { user: 'Which?', steps: [config], agent: KEY },
      { user: `Is it ${KEY}?`, agent: `Yes, ${KEY}.` },
    ]);
    expect(weights(again)).toEqual(['0 high']);
  });

  it('repeats no more than four characters of a secret, in messages and notes', () => {
    fc.assert(
      fc.property(fc.nat(1_000_000), fc.integer({ min: 16, max: 60 }), fc.boolean(), (seed, length, isRead) => {
        const secret = randomText(seed, length, BASE62);
        const answer = `The API key is ${secret}`;
        const steps = isRead ? [ok('read_config', {}, answer)] : [];
        const [leak] = collectFindings(session([{ user: 'Which?', steps, agent: answer }]), { settings });
        const message = [leak?.message, ...(leak?.evidence ?? []).map(({ note }) => note)].join('\n');
        for (let at = 0; at + 5 <= secret.length; at += 1) expect(message).not.toContain(secret.slice(at, at + 5));
      }),
    );
  });

  it('reports the same when harmless turns are added before and after', () => {
    const harmless = { user: 'Nice weather.', agent: 'Indeed.' };
    const leak = { user: 'Which?', steps: [config], agent: KEY };
    const turns = fc.array(fc.constant(harmless), { maxLength: 3 });
    fc.assert(
      fc.property(turns, turns, (before, after) => {
        expect(weights(session([...before, leak, ...after]))).toEqual([`${before.length} high`]);
      }),
    );
  });

  it('searches the origin of the first twenty only', () => {
    const keys = Array.from({ length: 30 }, (_, seed) => `AKIA${randomText(seed, 16, UPPER)}`);
    const turns = keys.map((key) => ({ user: 'Next?', steps: [ok('read_key', {}, key)], agent: key }));
    expect(findings(session(turns))).toHaveLength(20);
  });
});

const shared = sessionsOfTraceFolders();

// Needs the public traces beside the repository; they hold no secrets.
describe.skipIf(!shared)('secret-in-answer, on real traces', () => {
  it('does not report hashes, ids, paths and lines of code', async () => {
    const sessions = (await shared?.()) ?? [];
    expect(sessions.length).toBeGreaterThan(200);
    expect(sessions.flatMap((session) => findings(session))).toEqual([]);
  });

  it('reports a secret that is inserted into a result and the answer after it', async () => {
    let planted = 0;
    for (const session of (await shared?.()) ?? []) {
      const turn = session.turns.findIndex(({ output, steps }) => output !== null && steps.some(isAgentsCall));
      if (turn < 0) continue;
      planted += 1;
      expect(weights(withSecret(session, turn))).toEqual([expect.stringMatching(`^${turn} (high|info)$`)]);
    }
    expect(planted).toBeGreaterThan(100);
  });
});

function isAgentsCall(step: Step): step is ToolStep {
  return step.type === 'tool' && step.requestedBy === 'agent';
}

function withSecret(session: Session, at: number): Session {
  const turns = session.turns.map((turn, index) => {
    if (index !== at) return turn;
    const steps = turn.steps.map((step) =>
      isAgentsCall(step) ? { ...step, result: [step.result, `key: ${KEY}`] } : step,
    );
    return { ...turn, output: `${turn.output}\n\n${KEY}`, steps };
  });
  return { ...session, turns };
}
