import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type AgentKind, scenarioTemplate } from '../../../src/extension/scenario-templates.ts';
import { turnwise } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const CONFIGURATION_FILES = {
  chat_completions: 'turnwise.config.yaml',
  custom: 'turnwise.config.ts',
  replay: 'turnwise.config.yaml',
} as const satisfies Record<AgentKind, string>;

/** The configuration that the first lines of a template say. */
function configurationIn(text: string): string {
  const lines = text.split('\n').filter((line) => /^(#|\/\/) {3}/.test(line));
  return lines.map((line) => line.replace(/^(#|\/\/) {3}/, '')).join('\n');
}

describe('a new scenario', () => {
  it.each(['chat_completions', 'custom', 'replay'] as const)(
    'for %s says which agent to add, and is listed with it as it is',
    async (kind) => {
      const { fileName, text } = scenarioTemplate(kind, undefined, null);
      const configuration = configurationIn(text);
      expect(configuration).toContain('simulation:');
      await using folder = await temporaryFolder({ [fileName]: text, [CONFIGURATION_FILES[kind]]: configuration });
      const listed = await turnwise(['scenarios'], {
        cwd: folder.path,
        env: { TURNWISE_HOME: join(folder.path, 'home') },
      });
      expect(listed).toMatchObject({ code: 0, stderr: '' });
      expect(listed.stdout).toContain('refund a delivered order  2 turns · agent ');
    },
  );

  it.each(['chat_completions', 'replay'] as const)('for %s names the JSON configuration that applies', async (kind) => {
    const { fileName, text } = scenarioTemplate(kind, undefined, 'turnwise.config.json');
    expect(text).toMatch(/^# Add (?:your agent|the trace) to turnwise\.config\.json first:\n/);
    await using folder = await temporaryFolder({
      [fileName]: text,
      'turnwise.config.json': `{ ${configurationIn(text)} }`,
    });
    const listed = await turnwise(['scenarios'], {
      cwd: folder.path,
      env: { TURNWISE_HOME: join(folder.path, 'home') },
    });
    expect(listed).toMatchObject({ code: 0, stderr: '' });
    expect(listed.stdout).toContain('refund a delivered order  2 turns · agent ');
  });

  it.each([
    ['turnwise.config.mjs', 'Add your agent to turnwise.config.mjs first:'],
    [
      'turnwise.config.json',
      'Rewrite turnwise.config.json as turnwise.config.ts first, since your agent is a function:',
    ],
  ])('for a function says what to do with %s', (configuration, sentence) => {
    expect(scenarioTemplate('custom', undefined, configuration).text.split('\n')[0]).toBe(`// ${sentence}`);
  });

  it.each(['chat_completions', 'custom', 'replay'] as const)('for %s names the agent that is there', (kind) => {
    const { text } = scenarioTemplate(kind, 'the "one"', null);
    expect(text).toContain('agent: "the \\"one\\""');
    expect(text).not.toContain('Add ');
  });
});
