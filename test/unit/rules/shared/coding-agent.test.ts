import { describe, expect, it } from 'vitest';
import { createRuleView } from '../../../../src/rules/rule-view.ts';
import { looksLikeCodingAgent } from '../../../../src/rules/shared/coding-agent.ts';
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
    expect(looksLikeCodingAgent(names)).toBe(true);
  });

  it.each([
    ['calls of a shop', ['get_order', 'refund_order']],
    ['one file among other work', ['get_current_time', 'write_file', 'final_output']],
    ['files that were only read', ['read_file', 'grep', 'list_files']],
    ['no calls', []],
    ['names that only look alike', ['write_review', 'edit_order', 'bash_reservation']],
  ])('is not recognized by %s', (_, names) => {
    expect(looksLikeCodingAgent(names)).toBe(false);
  });

  it('is determined by the file, whatever was called', () => {
    const shop = session([{ user: 'Work.', steps: [ok('refund_order')], agent: 'Done.' }]);
    expect(createRuleView({ ...shop, coding: true }).coding).toBe(true);
    const shell = session([{ user: 'Work.', steps: [ok('Bash')], agent: 'Done.' }]);
    expect(createRuleView({ ...shell, coding: false }).coding).toBe(false);
  });

  it('is available to the rules', () => {
    const of = (name: string) => createRuleView(session([{ user: 'Work.', steps: [ok(name)], agent: 'Done.' }])).coding;
    expect(of('Bash')).toBe(true);
    expect(of('refund_order')).toBe(false);
  });
});
