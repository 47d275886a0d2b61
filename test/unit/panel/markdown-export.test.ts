import { describe, expect, it } from 'vitest';
import { exportMarkdown } from '../../../src/panel/markdown-export.ts';
import { githubToken } from '../../support/github-token.ts';
import { createSession, FILE, type SessionFixture, scored, tool, turn } from '../server/report/session-fixture.ts';
import { group, occurrence } from '../server/report-fixture.ts';

function text({ results, model, read }: SessionFixture, index: number | null = null): string {
  return exportMarkdown(results, model, read, { turn: index }) ?? '';
}

/** What a reader of Markdown takes for text, and what for mark-up: lines outside of fences. */
function outside(markdown: string): string[] {
  const lines: string[] = [];
  let fence = '';
  for (const line of markdown.split('\n')) {
    const ticks = /^`{3,}/.exec(line)?.[0];
    if (fence === '' && ticks) fence = ticks;
    else if (fence !== '' && line === fence) fence = '';
    else if (fence === '') lines.push(line);
  }
  expect(fence).toBe('');
  return lines;
}

describe('a turn as Markdown', () => {
  it('shows no secret, in messages, calls and reasons', () => {
    const secret = githubToken(3);
    const reason = `It shows ${secret}.`;
    const failures = [group('wrong tool', 'high', occurrence({ session: 's', file: FILE, reason }))];
    const password = 'gT7#qLw2!vZx';
    const steps = [
      tool({ arguments: { password, key: secret }, result: `API_KEY=${secret}` }),
      tool({ error: reason }),
    ];
    const spoken = turn({ input: `Use ${secret}.`, output: `${'word '.repeat(3999)}${secret}`, steps });
    const copied = text(createSession({ turns: [[spoken, {}]], report: { failures } }), 0);
    expect(copied).toContain('[REDACTED GitHub token]');
    expect(copied).not.toContain(secret.slice(0, 12));
    expect(copied).not.toContain(password);
  });

  it('has messages, calls and findings in order', () => {
    const failures = [group('wrong tool', 'high', occurrence({ session: 's', file: FILE, reason: 'No such tool.' }))];
    const steps = [tool({ arguments: { id: 1 }, result: 'found' })];
    const metrics = { turn_risk: scored(0.5), task: scored(0.25, { threshold: 0.5, passed: false, reason: 'Half.' }) };
    expect(text(createSession({ turns: [[turn({ steps }), metrics]], report: { failures } }), 0)).toBe(`## Turn 1

- ✗ wrong tool (high): No such tool.

**User**

\`\`\`text
Hello?
\`\`\`

**Tool** find

\`\`\`text
id: 1
\`\`\`

*Result*

\`\`\`text
found
\`\`\`

**Agent**

\`\`\`text
Hi.
\`\`\`

- ✗ task 0.25 (threshold 0.5): Half.
`);
  });

  it('is null for an unknown turn', () => {
    const { results, model, read } = createSession({ turns: [[turn(), {}]] });
    expect(exportMarkdown(results, model, read, { turn: 1 })).toBeNull();
  });
});

const SUCCEEDED = {
  status: 'succeeded',
  source: 'recorded',
  reason: 'reward 1.0 in the trace',
  disagrees: [],
} as const;

describe('an issue as Markdown', () => {
  it('has the headline, every problem and the turn of the headline', () => {
    const at = (index: number, reason: string) => occurrence({ session: 's', file: FILE, turn: index, reason });
    const failures = [group('repetition', 'low', at(0, 'Said twice.')), group('wrong tool', 'high', at(1, 'No tool.'))];
    const turns = [
      [turn({ input: 'First?' }), {}],
      [turn({ input: 'Second?' }), {}],
    ] as const;
    const { results, model, read } = createSession({ turns, report: { failures } });
    const headline = { kind: 'failed', text: 'Failed: wrong tool (turn 2)', turn: 1 } as const;
    const view = { ...results, row: { ...results.row, headline } };
    const issue = exportMarkdown(view, model, read, { turn: null, as: 'issue' }) ?? '';
    expect(
      outside(issue)
        .filter((line) => line !== '')
        .slice(0, 5),
    ).toEqual([
      '# Failed: wrong tool (turn 2)',
      expect.stringContaining('Session s in '),
      '- Turn 2, high: No tool. (wrong tool)',
      '- Turn 1, low: Said twice. (repetition)',
      '## Turn 2',
    ]);
    expect(issue).toContain('Second?');
    expect(issue).not.toContain('First?');
  });

  it('has the outcome where a problem fails a session that succeeded', () => {
    const { results, model, read } = createSession({ session: { outcome: SUCCEEDED } });
    const headline = { kind: 'failed', text: 'Failed: wrong tool (turn 2)', turn: null } as const;
    const view = { ...results, row: { ...results.row, headline } };
    const issue = exportMarkdown(view, model, read, { turn: null, as: 'issue' }) ?? '';
    expect(issue).toContain('\n\nThe trace says that it succeeded: reward 1.0 in the trace\n');
  });
});

describe('an issue about a session that failed without a problem', () => {
  it('names the expected calls that were not made', () => {
    const calls = [
      { name: 'find', arguments: { id: 1 } },
      { name: 'pay', arguments: {} },
    ];
    const { results, model, read } = createSession({
      turns: [[turn({ steps: [tool({ name: 'find', arguments: { id: 2 } })] }), {}]],
    });
    const expecting = { ...read, reference: { toolCalls: calls } };
    const issue = exportMarkdown(results, model, expecting, { turn: null, as: 'issue' }) ?? '';
    expect(issue).toContain('- The expected call of find was made with other arguments (turn 1).');
    expect(issue).toContain('- The expected call of pay was not made.');
  });
});

describe('hostile text as Markdown', () => {
  const evil = [
    '</p><script>alert(1)</script>',
    '![x](https://evil.example/a.png)',
    '[click](javascript:alert(1))',
    '```',
    '````text',
    '~~~',
    '# heading',
    '`'.repeat(12),
  ].join('\n');

  it('stays text: a fence is longer than any inside', () => {
    const steps = [
      tool({ arguments: evil, result: evil, error: `${evil}!` }),
      { type: 'model', pointer: '/m', text: evil } as const,
    ];
    const whole = text(createSession({ turns: [[turn({ input: evil, output: `${evil}?`, steps }), {}]] }));
    const marked = outside(whole).join('\n');
    expect(whole).toContain('evil.example');
    expect(marked).not.toContain('evil.example');
    expect(marked).not.toContain('script');
    expect(marked).not.toContain('heading');
  });

  it('shows names and reasons as inert text', () => {
    const name = '![x](https://evil.example) <img src=x> # a\n\n# b';
    const failures = [group(name, 'high', occurrence({ session: 's', file: FILE, reason: name }))];
    const whole = createSession({
      turns: [[turn({ steps: [tool({ name })] }), { [name]: scored(1, { reason: name }) }]],
      report: { failures },
    });
    for (const line of outside(text(whole, 0))) {
      expect(line).not.toMatch(/(?<!\\)<|(?<!\\)!\[|^# b/);
    }
  });

  it('has a limit', () => {
    const long = 'x'.repeat(15_000);
    const turns = Array.from({ length: 400 }, () => [turn({ input: long }), {}] as const);
    const whole = text(createSession({ turns }));
    expect(whole.length).toBeLessThan(2_100_000);
    expect(whole).toMatch(/\*\d+ more turns are in the file\.\*\n$/);
  });
});
