/** `npm run agent-tools`: writes the tools for coding agents into `package.json`, as `src/agent-tools` defines them. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { editorInputSchema } from '../src/agent-tools/editor-tools.ts';
import type { AgentTool } from '../src/agent-tools/tool.ts';
import { AGENT_TOOLS } from '../src/agent-tools/tools.ts';

const ICONS: Readonly<Record<string, string>> = {
  list_runs: '$(history)',
  evaluate_trace: '$(beaker)',
  find_failures: '$(error)',
  get_turn: '$(comment-discussion)',
  explain_score: '$(question)',
  compare_runs: '$(git-compare)',
};

/** The entry of a tool in the manifest. Models read the description and the schema, and users the rest, in their language. */
export function manifestEntry(tool: AgentTool) {
  const { name, description } = tool;
  const key = name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  return {
    name: `turnwise_${name}`,
    toolReferenceName: `turnwise-${name.replaceAll('_', '-')}`,
    displayName: `%tool.${key}.name%`,
    userDescription: `%tool.${key}.description%`,
    modelDescription: description,
    canBeReferencedInPrompt: true,
    icon: ICONS[name],
    when: 'config.turnwise.agentTools == editor',
    inputSchema: editorInputSchema(tool),
  };
}

if (import.meta.main) {
  const file = join(import.meta.dirname, '..', 'package.json');
  const manifest = JSON.parse(await readFile(file, 'utf8'));
  manifest.contributes.languageModelTools = AGENT_TOOLS.map(manifestEntry);
  await writeFile(file, `${JSON.stringify(manifest, null, 2)}\n`);
}
