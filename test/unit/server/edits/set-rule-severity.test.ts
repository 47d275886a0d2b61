import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { EditOutcome, RuleSeverity } from '../../../../src/protocol/finding-edits.ts';
import { applyPlan } from '../../../../src/server/disk/file-change.ts';
import { planRuleSeverity } from '../../../../src/server/edits/set-rule-severity.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { UNKNOWN_TOOL } from '../../../support/traces.ts';
import { evaluateSamples } from '../results/evaluate-samples.ts';

/** For the trace `chat.json` of a folder, or another one in it. */
async function relevel(
  folder: string,
  level: RuleSeverity,
  {
    rule = 'unknown-tool',
    trace = 'chat.json',
    open = [folder],
  }: { rule?: string; trace?: string; open?: string[] } = {},
): Promise<EditOutcome> {
  const uri = pathToFileURL(join(folder, trace)).href;
  return applyPlan(await planRuleSeverity({ uri, rule }, level, open, folder));
}

/** The configuration after a change of `no-answer`, when it was this before. */
async function changed(name: string, text: string, level: RuleSeverity = 'off'): Promise<string> {
  await using folder = await temporaryFolder({ 'chat.json': UNKNOWN_TOOL, [name]: text });
  const path = join(folder.path, name);
  expect(await relevel(folder.path, level, { rule: 'no-answer' })).toEqual({ written: path });
  return readFile(path, 'utf8');
}

describe('setting the severity of a rule', () => {
  it.each([
    ['turnwise.config.json', '{ "gates": {} }'],
    ['turnwise.config.yaml', 'gates: {}\n'],
  ])('applies to the next evaluation (%s)', async (name, text) => {
    await using folder = await temporaryFolder({ 'chat.json': UNKNOWN_TOOL, [name]: text });
    expect((await evaluateSamples(folder.path, 'chat.json')).failures).toContain('1 unknown-tool');
    await relevel(folder.path, 'off');
    const off = await evaluateSamples(folder.path, 'chat.json');
    expect(off.failures).not.toContain('1 unknown-tool');
    await relevel(folder.path, 'info');
    const observed = await evaluateSamples(folder.path, 'chat.json');
    expect(observed.report.observations.map(({ rule }) => rule)).toContain('unknown-tool');
    await relevel(folder.path, 'critical');
    const critical = await evaluateSamples(folder.path, 'chat.json');
    expect(critical.report.failures).toMatchObject([{ severity: 'critical', occurrences: [{ rule: 'unknown-tool' }] }]);
    for (const { report } of [off, observed, critical]) expect(report.problems).toEqual([]);
  });

  it.each([
    [
      'a rule that is not named',
      '{\n    "gates": {}\n}\n',
      '{\n    "gates": {},\n    "rules": {\n        "no-answer": "off"\n    }\n}\n',
    ],
    [
      'tabs and Windows line breaks',
      '{\r\n\t"gates": {}\r\n}\r\n',
      '{\r\n\t"gates": {},\r\n\t"rules": {\r\n\t\t"no-answer": "off"\r\n\t}\r\n}\r\n',
    ],
    ['a rule among others', '{"rules": {"hedging": "low"}}', '{"rules": {"hedging": "low","no-answer": "off"}}'],
    ['a rule that has a level', '{"rules": { "no-answer":   "low" }}', '{"rules": { "no-answer":   "off" }}'],
    [
      'a rule that has options',
      '{\r\n\t"rules": {\r\n\t\t"no-answer": { "level": "low" }\r\n\t}\r\n}',
      '{\r\n\t"rules": {\r\n\t\t"no-answer": { "level": "off" }\r\n\t}\r\n}',
    ],
  ])('in JSON leaves everything else as written: %s', async (_what, before, after) => {
    expect(await changed('turnwise.config.json', before)).toBe(after);
  });

  it.each([
    [
      'a rule that has a level, among comments',
      '# ours\nrules: # all\n    hedging: low   # why\n    no-answer: "high"   # no\n\n# end\n',
      '# ours\nrules: # all\n    hedging: low   # why\n    no-answer: off   # no\n\n# end\n',
    ],
    [
      'a rule that is not named',
      'rules:\n    hedging: low # why\n    # and then\n\ngates:   {}\n# end',
      'rules:\n    hedging: low # why\n    no-answer: off\n    # and then\n\ngates:   {}\n# end',
    ],
    ['no rules', 'gates:   {}   # none', 'gates:   {}   # none\nrules:\n  no-answer: off\n'],
    ['no rules and Windows line breaks', 'gates: {}\r\n', 'gates: {}\r\nrules:\r\n  no-answer: off\r\n'],
    ['comments alone', '# ours\n', '# ours\nrules:\n  no-answer: off\n'],
    ['nothing', '', 'rules:\n  no-answer: off\n'],
    ['rules within braces', 'rules: {hedging: low} # b\n', 'rules: { no-answer: off, hedging: low} # b\n'],
    ['empty braces', 'rules: {} # b\n', 'rules: { no-answer: off } # b\n'],
    ['options', 'rules:\n  no-answer: { level: low } # x\n', 'rules:\n  no-answer: { level: off } # x\n'],
    ['all of it as JSON', '{ "rules": { "hedging": "low" } }', '{ "rules": { no-answer: off, "hedging": "low" } }'],
    ['a document end', '---\nrules:\n  hedging: low\n...\n', '---\nrules:\n  hedging: low\n  no-answer: off\n...\n'],
    [
      'words of YAML 1.1',
      `%YAML 1.1\n---\n# ours\ntraces: [${'long '.repeat(30)}name]\nrules:\n  hedging: low # b\n`,
      `%YAML 1.1\n---\n# ours\ntraces: [ ${'long '.repeat(30)}name ]\nrules:\n  hedging: low # b\n  no-answer: "off"\n`,
    ],
  ])('in YAML leaves everything else as written, comments too: %s', async (_what, before, after) => {
    expect(await changed('turnwise.config.yaml', before)).toBe(after);
  });

  it('in YAML sets the level of a rule with options', async () => {
    await using folder = await temporaryFolder({
      'chat.json': UNKNOWN_TOOL,
      'turnwise.config.yml': 'rules:\n  latency-outlier:\n    ratio: 20 # slow\n',
    });
    await relevel(folder.path, 'low', { rule: 'latency-outlier' });
    expect(await readFile(join(folder.path, 'turnwise.config.yml'), 'utf8')).toBe(
      'rules:\n  latency-outlier:\n    ratio: 20 # slow\n    level: low\n',
    );
  });

  it('creates a configuration that the next evaluation finds', async () => {
    await using folder = await temporaryFolder({ 'deep/er/chat.json': UNKNOWN_TOOL });
    const path = join(folder.path, 'turnwise.config.json');
    expect(await relevel(folder.path, 'off', { trace: 'deep/er/chat.json' })).toEqual({ written: path });
    expect(await readFile(path, 'utf8')).toBe('{\n  "rules": {\n    "unknown-tool": "off"\n  }\n}\n');
  });

  it.each([
    ['the root of its repository, where a wider folder is open', { 'in/.git': '' }, ['.'], 'in'],
    ['the folder that is open', { '.git': '' }, ['in/deep'], 'in/deep'],
    ['its own folder, where none is open', { '.git': '' }, [], 'in/deep'],
    ['its own folder, where another one is open', {}, ['other'], 'in/deep'],
  ])('creates it in %s', async (_what, files, open, expected) => {
    await using folder = await temporaryFolder({ 'in/deep/chat.json': UNKNOWN_TOOL, ...files });
    const outcome = await relevel(folder.path, 'off', {
      trace: 'in/deep/chat.json',
      open: open.map((name) => join(folder.path, name)),
    });
    expect(outcome).toEqual({ written: join(folder.path, expected, 'turnwise.config.json') });
    const after = await relevel(folder.path, 'low', { trace: 'in/deep/chat.json', open: [] });
    expect(after).toEqual(outcome);
  });

  it('edits the configuration nearest to the trace', async () => {
    await using folder = await temporaryFolder({
      'turnwise.config.json': '{}',
      'near/turnwise.config.yaml': 'gates: {}\n',
      'near/chat.json': UNKNOWN_TOOL,
    });
    expect(await relevel(folder.path, 'off', { trace: 'near/chat.json' })).toEqual({
      written: join(folder.path, 'near', 'turnwise.config.yaml'),
    });
  });

  it.each(['turnwise.config.ts', 'turnwise.config.mjs'])(
    'does not change code, and says what to write (%s)',
    async (name) => {
      await using folder = await temporaryFolder({ 'chat.json': UNKNOWN_TOOL, [name]: 'export default {};' });
      expect(await relevel(folder.path, 'off')).toEqual({
        error: expect.stringMatching(
          /^Nothing was written: turnwise\.config\.\w+: .*code.*rules: \{ 'unknown-tool': 'off' \}/,
        ),
      });
      expect(await readFile(join(folder.path, name), 'utf8')).toBe('export default {};');
    },
  );

  it.each([
    ['turnwise.config.json', '{\n  "gates": {}\n  "rules": {}\n}', ':3: This is not JSON'],
    ['turnwise.config.json', '{\n  "rules": []\n}', ':2: rules is'],
    ['turnwise.config.yaml', '# ours\nrules:\n', ':2: rules is null'],
    ['turnwise.config.yaml', 'gates: {}\nrules: [', ':2: This is not YAML'],
    ['turnwise.config.yaml', 'gates: {}\nrulez: {}\n', ':2: Unknown key "rulez"'],
  ])(
    'is refused with file and line where the configuration would not be read (%s, %j)',
    async (name, text, sentence) => {
      await using folder = await temporaryFolder({ 'chat.json': UNKNOWN_TOOL, [name]: text });
      expect(await relevel(folder.path, 'off')).toEqual({ error: expect.stringContaining(`${name}${sentence}`) });
      expect(await readFile(join(folder.path, name), 'utf8')).toBe(text);
    },
  );

  it('is refused for an unknown rule', async () => {
    await using folder = await temporaryFolder({ 'chat.json': UNKNOWN_TOOL });
    expect(await relevel(folder.path, 'off', { rule: 'unknown-tol' })).toEqual({
      error: 'Nothing was written: there is no rule "unknown-tol".',
    });
  });
});
