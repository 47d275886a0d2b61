import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Session } from '../../../../src/core/session.ts';
import { load } from '../../../../src/input/load.ts';
import { nodeFileSystem } from '../../../../src/input/node-file-system.ts';
import { MARKER_PHRASES, mayContainMarker } from '../../../../src/rules/dialogue-en/marker-phrases.ts';
import { collectFindings } from '../../../../src/rules/index.ts';
import { sharedData } from '../../../support/shared-data.ts';
import { ok, onlyRule, session } from '../session-builder.ts';

type Rule = 'hedging' | 'self-contradiction' | 'abandoned-strategy';

function by(rule: Rule, of: Session) {
  return collectFindings(of, { settings: onlyRule(rule) });
}

/** A turn in which the agent says so while it works, and then answers. */
function thinking(text: string, agent = 'It runs now.'): Session {
  return session([{ user: 'Fix the build.', steps: [{ type: 'model', text }, ok('run_report')], agent }]);
}

const SAID: readonly (readonly [Rule, readonly string[]])[] = [
  [
    'hedging',
    [
      'I think it might be the cache.',
      "I'm not sure which file holds it.",
      'I’m not entirely certain that it is installed.',
      "I don't know why the test fails.",
      'Since I cannot confirm the price, I will assume it is $10.',
      'It should probably work now.',
      'But I suspect it will fail at runtime.',
      'Maybe `curl` is waiting for something?',
      'I looked twice, but maybe the path is another one.',
      'The error is likely due to a missing colon.',
      'This could be due to changes in the structure of the page.',
      'It is unclear whether the index is rebuilt.',
    ],
  ],
  [
    'self-contradiction',
    [
      'It seems there was an oversight, and the total cost is actually $375, not $299.',
      'I apologize for the confusion, the correct total is $375.',
      'I apologize for my earlier mistake.',
      'I made a mistake in `reproduction_urls.py`.',
      'I made an assumption about the directory structure that was incorrect.',
      "Actually, that's wrong: the loop ends at 5.",
      'Let me correct that and update the other flight.',
      'The previous answer was wrong.',
      'I misread the third line.',
      'On second thought, the index is fine.',
      'Correction: the flight leaves at 9.',
    ],
  ],
  [
    'abandoned-strategy',
    [
      'Let me try a different approach - check documentation or config files.',
      'Since all previous actions have failed, I will use an alternative tool to track the package.',
      "Let's try another approach by scraping the page.",
      "That didn't work, let me try the other module.",
      'Instead of searching, I will open the collection directly.',
      "Instead, let's use the public page.",
      "Let's start over.",
      'I will give up and restart the task.',
      'I need to rethink the plan.',
    ],
  ],
];

const UNSAID: readonly (readonly [Rule, readonly string[]])[] = [
  [
    'hedging',
    [
      'Would you like to try again?',
      'The refund may take 3 days.',
      'You might want to run it again.',
      'You probably want the second one.',
      "If I'm not sure, I look it up.",
      'There might be a fare difference.',
      'It seems that the tracking number is not known.',
      'I should probably remove the test file I created.',
      "We'll probably need another fixture.",
      'The page says: "I think it might rain".',
      '> I think it might rain',
      'It is the most likely spot.',
      'I am sure that it is the cache.',
      'Perhaps you would like the care instructions?',
    ],
  ],
  [
    'self-contradiction',
    [
      'I apologize for the inconvenience.',
      'I apologize for the confusion. Could you give me the number again?',
      'Wait, `\\d+` matches digits.',
      'Orders may be cancelled when they were "ordered by mistake".',
      'If I made a mistake, tell me.',
      'The previous response stating 80 walks appears to be incorrect.',
      'The model mapping may be incorrect.',
      'The total is actually $305.',
      'The auto-correction: on.',
    ],
  ],
  [
    'abandoned-strategy',
    [
      'Would you prefer a different approach?',
      'I can search for another way for you to fly.',
      'I will use a gift card instead.',
      'The message has a `content` field instead of a `message` field.',
      'The command did not work.',
      "That didn't work. Let me try it again.",
      'Let me try again.',
      'Let me restart the server.',
      'A different approach is described in the manual.',
      'Your refund goes to the card instead of the voucher.',
    ],
  ],
];

describe.each(SAID)('%s', (rule, sentences) => {
  it.each(sentences)('quotes %j from thoughts and texts', (text) => {
    const [finding, ...more] = by(rule, thinking(`I looked at it. ${text} Then on.`));
    expect(more).toEqual([]);
    expect(finding).toMatchObject({ severity: 'info', label: null, turn: 0 });
    expect(finding?.message).toContain(`: "${text}`);
    expect(finding?.evidence.map(({ pointer }) => pointer)).toEqual(['/turns/0/steps/0']);
    expect(
      by(rule, session([{ user: 'Fix it.', steps: [{ type: 'model', reasoning: text }], agent: 'Done.' }])),
    ).toHaveLength(1);
  });
});

describe.each(UNSAID)('%s', (rule, sentences) => {
  it.each(sentences)('ignores %j', (text) => {
    expect(by(rule, thinking(text))).toEqual([]);
    expect(by(rule, thinking('So.', text))).toEqual([]);
  });
});

describe('marker phrases', () => {
  it('give one finding per turn, which cites every text and counts those it does not quote', () => {
    const steps = [
      { type: 'model' as const, text: 'The cache is probably stale. It probably is.' },
      ok('run_report'),
      { type: 'model' as const, reasoning: 'Maybe it is the lock.', text: 'I look at the lock.' },
      { type: 'model' as const, text: 'I assume that it is fixed now.' },
    ];
    const unsure = session([{ user: 'Fix it.', steps, agent: 'I assume that it is fixed now.' }]);
    const [finding, ...more] = by('hedging', unsure);
    expect(more).toEqual([]);
    expect(finding?.message).toBe(
      'The agent is not sure of itself: "The cache is probably stale." 2 more texts of the turn show the same.',
    );
    expect(finding?.evidence.map(({ pointer }) => pointer)).toEqual([
      '/turns/0/steps/0',
      '/turns/0/steps/2',
      '/turns/0/output',
    ]);
  });

  it('count separately in each turn', () => {
    const turn = { user: 'Fix it.', agent: 'It is probably fixed.' };
    const steps = [{ type: 'model' as const, text: 'The cache is presumably stale.' }];
    expect(
      by('hedging', session([turn, { ...turn, agent: 'It is.' }, { ...turn, steps }])).map(({ turn, message }) => [
        turn,
        message,
      ]),
    ).toEqual([
      [0, 'The agent is not sure of itself: "It is probably fixed."'],
      [
        2,
        'The agent is not sure of itself: "The cache is presumably stale." One more text of the turn shows the same.',
      ],
    ]);
  });

  it('are found in an answer without a model step', () => {
    const [finding] = by('hedging', session([{ user: 'Why?', agent: 'It is probably the cache.' }]));
    expect(finding?.evidence).toEqual([{ pointer: '/turns/0/output', note: 'a text that hedges' }]);
  });

  it('are ignored in code blocks, including unclosed ones', () => {
    expect(by('hedging', thinking('I write it:\n```py\n# It is probably the cache.\n```\nSo.'))).toEqual([]);
    expect(by('hedging', thinking('I write it:\n```py\n# It is probably the cache.\n'))).toEqual([]);
    expect(by('hedging', thinking('```py\nrun()\n```\nIt is probably the cache.'))).toHaveLength(1);
  });

  it('are doubt in a question of a thought, and not in a question of an answer', () => {
    const question = 'I assume the origin is EWR, correct?';
    expect(by('hedging', thinking(question))).toHaveLength(1);
    expect(by('hedging', thinking('So.', question))).toEqual([]);
  });

  it('are neither doubt nor correction in the work of a coding agent, which thinks aloud', () => {
    const steps = [{ type: 'model' as const, text: 'It is probably the cache. I made a mistake.' }, ok('bash')];
    const coding = session([{ user: 'Fix it.', steps, agent: "It did not work, so let's try another approach." }]);
    expect(by('hedging', coding)).toEqual([]);
    expect(by('self-contradiction', coding)).toEqual([]);
    expect(by('abandoned-strategy', coding)).toHaveLength(1);
  });

  it('are English', () => {
    expect(
      by('hedging', thinking('キャッシュが古いようです。確認しますので少々お待ちください。 It is probably so.')),
    ).toEqual([]);
  });

  it('give at most 20 evidence entries, and count all', () => {
    const steps = Array.from({ length: 50 }, () => ({ type: 'model' as const, text: 'It is probably the cache.' }));
    const [finding] = by('hedging', session([{ user: 'Fix it.', steps, agent: 'Fixed.' }]));
    expect(finding?.message).toMatch(/49 more texts of the turn show the same\.$/);
    expect(finding?.evidence).toHaveLength(20);
  });

  it('are found next to any punctuation', () => {
    const plain = fc.stringMatching(/^[a-z ,]{0,40}$/).filter((text) => !/\b(if|you|when|please|unless)\b/.test(text));
    fc.assert(
      fc.property(plain, plain, (before, after) => {
        const text = `${before}\nThe cache is probably stale.\n${after}.`;
        expect(by('hedging', thinking(text)).map(({ message }) => message)).toEqual([
          'The agent is not sure of itself: "The cache is probably stale."',
        ]);
      }),
    );
  });

  it.each([
    ['words without an end', 'I will '],
    ['words that nothing comes of', 'apologize for the error '],
    ['sentences that are let pass', 'probably you '],
    ['fences', '```'],
    ['quotation marks', '" probably '],
    ['one long word', 'a'],
  ])('take negligible time among many %s', (_, piece) => {
    const hostile = thinking(piece.repeat(1_000_000 / piece.length));
    const start = performance.now();
    for (const [rule] of SAID) by(rule, hostile);
    expect(performance.now() - start).toBeLessThan(5000);
  });
});

const root = sharedData('.');

/** Labelled public data, which is not part of the repository: skipped where it is absent. */
describe.skipIf(root === null)('marker phrases in real traces', () => {
  const spoken = async (path: string) => {
    const { sessions } = await load([`${root}/${path}`], nodeFileSystem, { signal: new AbortController().signal });
    return sessions.flatMap((session) =>
      SAID.flatMap(([rule]) => by(rule, session)).map(
        ({ rule, evidence }) => `${rule} ${evidence.map(({ pointer }) => pointer).join(' ')}`,
      ),
    );
  };

  it('are found at their location in conversations between agents', async () => {
    expect(await spoken('who-and-when/algorithm-generated-89.json')).toEqual(['abandoned-strategy /history/3']);
  });

  it('do not include the politeness of customer service', async () => {
    expect(await spoken('tau-bench/gpt-4o-airline.tasks00-12.json')).toEqual([
      'hedging /22/traj/20/content',
      'self-contradiction /24/traj/32/content',
      'self-contradiction /37/traj/30',
    ]);
    expect(await spoken('tau2-bench')).toEqual([]);
  });
});

describe('the test before the pattern of all phrases', () => {
  it.each(MARKER_PHRASES)('passes every text that matches %s', (phrase) => {
    fc.assert(fc.property(fc.stringMatching(new RegExp(withoutAssertions(phrase))), (text) => mayContainMarker(text)));
  });

  it('fails most texts', () => {
    expect(mayContainMarker('Your order W12 has shipped. How can I help you?')).toBe(false);
  });
});

/** A pattern that matches more: without what must stand before or after, which is not generated. */
function withoutAssertions(source: string): string {
  const start = source.search(/\(\?<?[=!]/);
  if (start < 0) return source.replaceAll('\\b', '').replaceAll("['’]", "'");
  let depth = 0;
  let end = start;
  do {
    if (source[end] === '\\') end += 1;
    else if (source[end] === '(') depth += 1;
    else if (source[end] === ')') depth -= 1;
    end += 1;
  } while (depth > 0);
  return withoutAssertions(source.slice(0, start) + source.slice(end));
}
