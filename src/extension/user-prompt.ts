import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { fileUri } from '../protocol/messages.ts';
import { type ScenarioUserPrompt, scenarioUserPrompt } from '../protocol/scenarios.ts';
import type { CommandContext } from './command-context.ts';

const scenarioTarget = z.object({ uri: fileUri, name: z.string() });

/** Opens the prompt of the model that plays the user of the scenario of a lens, as a document of its own. */
export async function openUserPrompt({ server }: CommandContext, clicked: unknown): Promise<void> {
  const { success, data } = z.safeParse(scenarioTarget, clicked);
  if (!success) return;
  const document = vscode.workspace.textDocuments.find(({ isDirty, uri }) => isDirty && uri.toString() === data.uri);
  const shown = await server.request(scenarioUserPrompt, { ...data, ...(document && { text: document.getText() }) });
  const content = promptText(data.name, shown);
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ language: 'markdown', content }));
}

/** Each text as it is sent, under a heading. */
function promptText(name: string, { model, system, first, next, answer }: ScenarioUserPrompt): string {
  const sections: readonly (readonly [string, string])[] = [
    [vscode.l10n.t('System'), system],
    [vscode.l10n.t('Message at the Beginning'), first.join('\n\n')],
    [vscode.l10n.t('Message After the First Answer of the Agent'), next.join('\n\n')],
    [vscode.l10n.t('Answer (JSON Schema)'), answer],
  ];
  return [
    `# ${vscode.l10n.t('Prompt of the simulated user: {0}', name.replaceAll('\n', ' '))}`,
    model === null
      ? vscode.l10n.t('No model is configured that could play the user.')
      : vscode.l10n.t('Sent to {0}, once for each message.', model),
    ...sections.map(([title, text]) => `## ${title}\n\n${text}`),
    '',
  ].join('\n\n');
}
