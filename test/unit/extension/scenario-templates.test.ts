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
      const { fileName, text } = scenarioTemplate(kind, undefined);
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

  it.each(['chat_completions', 'custom', 'replay'] as const)('for %s names the agent that is there', (kind) => {
    const { text } = scenarioTemplate(kind, 'the "one"');
    expect(text).toContain('agent: "the \\"one\\""');
    expect(text).not.toContain('Add ');
  });
});
