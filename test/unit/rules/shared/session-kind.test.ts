import { describe, expect, it } from 'vitest';
import type { Session } from '../../../../src/core/session.ts';
import { collectFindings } from '../../../../src/rules/index.ts';
import type { Rule } from '../../../../src/rules/rule.ts';
import { createRuleView } from '../../../../src/rules/rule-view.ts';
import { SESSION_KINDS, type SessionKind } from '../../../../src/rules/shared/session-kind.ts';
import { ok, session } from '../session-builder.ts';

describe('a coding session', () => {
  it.each([
    [['TodoWrite', 'Bash', 'Read', 'MultiEdit']],
    [['Read', 'Read', 'Grep', 'Edit', 'Task']],
    [['str_replace_editor', 'finish']],
    [['mcp__ide__executeCode']],
    [['shell_command', 'apply_patch']],
    [['execute_bash', 'execute_ipython_cell', 'browse']],
    [['Computer_terminal']],
  ])('is recognized by its calls: %j', (names) => {
    expect(kindOf(calling(names))).toBe('coding');
  });

  it.each([
    ['calls of a shop', ['get_order', 'refund_order']],
    ['one file among other work', ['get_current_time', 'write_file', 'final_output']],
    ['files of an office', ['create_file', 'list_files', 'search_files', 'delete_file']],
    ['files that were only read', ['read_file', 'grep', 'list_files']],
    ['no calls', []],
    ['names that only look alike', ['write_review', 'edit_order', 'bash_reservation']],
  ])('is not recognized by %s', (_, names) => {
    expect(kindOf(calling(names))).toBe('other');
  });

  it('is determined by what the file declares, whatever was called', () => {
    expect(kindOf({ ...calling(['refund_order']), coding: true })).toBe('coding');
    expect(kindOf({ ...calling(['Bash']), coding: false })).toBe('other');
  });
});

describe('a browsing session', () => {
  it.each([
    [['browser_navigate', 'browser_click', 'browser_type']],
    [['mcp__playwright__browser_navigate']],
    [['web_search', 'visit_webpage', 'page_down', 'final_answer']],
    [['goto', 'click', 'scroll', 'write_file']],
  ])('is recognized by its calls: %j', (names) => {
    expect(kindOf(calling(names))).toBe('browsing');
  });

  it.each([
    ['one page among other work', ['browse_webpage', 'send_money', 'get_balance']],
    ['names that only look alike', ['get_visits', 'click_statistics', 'search_flights']],
  ])('is not recognized by %s', (_, names) => {
    expect(kindOf(calling(names))).toBe('other');
  });
});

describe('a dialogue', () => {
  const talk = session([
    { user: 'Cancel my order.', steps: [ok('get_order')], agent: 'Shall I?' },
    { user: 'Yes.', steps: [ok('cancel_order')], agent: 'Done.' },
  ]);

  it('has at least two messages of a user', () => {
    expect(kindOf(talk)).toBe('dialogue');
    expect(kindOf({ ...talk, turns: talk.turns.slice(0, 1) })).toBe('other');
    expect(kindOf({ ...talk, turns: talk.turns.map((turn, index) => (index ? { ...turn, input: null } : turn)) })).toBe(
      'other',
    );
  });

  it('is not recognized when a program sends the same message again after each tool result', () => {
    expect(kindOf({ ...talk, turns: talk.turns.map((turn) => ({ ...turn, input: 'Cancel my order.' })) })).toBe(
      'other',
    );
  });

  it('is not recognized in the log of a sub-agent, whose user is another agent', () => {
    expect(kindOf({ ...talk, partOf: { session: 'main', step: 'x' } })).toBe('other');
  });
});

describe('the kinds of a rule', () => {
  const everywhere: Rule = {
    id: 'reports-everything',
    title: 'Everything',
    proves: 'That it ran.',
    severity: 'low',
    label: null,
    affects: [],
    page: { how: '', silent: '', remedy: '' },
    check: () => [{ turn: 0, message: 'It ran.', evidence: [], calls: [] }],
  };
  const runsOn = (kinds: Rule['kinds'], target: Session) =>
    collectFindings(target, { rules: [kinds ? { ...everywhere, kinds } : everywhere] }).length > 0;

  it('decide on which sessions it runs', () => {
    const shell = calling(['Bash']);
    expect(runsOn(['coding'], shell)).toBe(true);
    expect(runsOn(['dialogue', 'other'], shell)).toBe(false);
    expect(runsOn(['dialogue', 'other'], { ...shell, coding: false })).toBe(true);
  });

  it('are all kinds by default', () => {
    const sessions: Record<SessionKind, Session> = {
      coding: calling(['Bash']),
      browsing: calling(['browser_click']),
      dialogue: session([
        { user: 'Hello.', agent: 'Hello.' },
        { user: 'Thanks.', agent: 'Bye.' },
      ]),
      other: calling([]),
    };
    for (const kind of SESSION_KINDS) {
      expect(kindOf(sessions[kind])).toBe(kind);
      expect(runsOn(undefined, sessions[kind])).toBe(true);
    }
  });
});

function calling(names: readonly string[]): Session {
  return session([{ user: 'Work.', steps: names.map((name) => ok(name)), agent: 'Done.' }]);
}

function kindOf(target: Session): SessionKind {
  return createRuleView(target).kind;
}
