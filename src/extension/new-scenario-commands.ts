import { basename } from 'node:path';
import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { newScenarioPlace, scenarioFromSession } from '../protocol/new-scenario.ts';
import { sessionUri } from '../protocol/panel.ts';
import type { CommandContext } from './command-context.ts';
import { setContext } from './context-keys.ts';
import { UserError } from './errors.ts';
import { type AgentKind, scenarioTemplate } from './scenario-templates.ts';
import { resolveReport } from './session-picker.ts';
import { targetResource } from './target-resource.ts';

/** The context of a right-click in a report, or what a report passes. */
const reportArgument = z.object({
  session: z.string(),
  turn: z.optional(z.nullable(z.int().check(z.nonnegative()))),
});

interface SessionPart {
  readonly session: string;
  /** Zero-based; null: the whole session. */
  readonly turn: number | null;
}

/** Opens a scenario of a session, or up to a turn that went wrong, as an unsaved file. */
export async function addToTests(context: CommandContext, clicked: unknown): Promise<void> {
  const part = await resolvePart(context, clicked);
  if (!part) return;
  const { server } = context;
  const made = await server.request(scenarioFromSession, part);
  if ('error' in made) throw new UserError(made.error);
  const { folder } = await server.request(newScenarioPlace, { uri: sessionUri(part.session) });
  await openUnsaved(vscode.Uri.parse(folder), `${slug(made.name)}.scenario.yaml`, made.text, made.blankLine ?? 0);
}

async function resolvePart(context: CommandContext, clicked: unknown): Promise<SessionPart | undefined> {
  const { success, data } = z.safeParse(reportArgument, clicked);
  if (success) return { session: data.session, turn: data.turn ?? null };
  const active = clicked === undefined ? context.reports.active : undefined;
  if (active) return { session: active.session, turn: null };
  const report = await resolveReport(context, clicked);
  return report && { session: report.session.key, turn: report.turn };
}

/** Opens a small scenario for a kind of agent that the user chooses, as an unsaved file. */
export async function newScenario({ server }: CommandContext): Promise<void> {
  const resource = targetResource();
  if (!resource) throw new UserError(vscode.l10n.t('Open a folder first: scenarios belong to a project.'));
  const chosen = await vscode.window.showQuickPick(AGENT_KINDS, {
    title: vscode.l10n.t('New Scenario'),
    placeHolder: vscode.l10n.t('Select what the scenario runs against'),
  });
  if (!chosen) return;
  const { folder, configuration, agents } = await server.request(newScenarioPlace, { uri: resource.toString() });
  const agent = agents.find(({ type }) => type === chosen.type)?.name;
  const { fileName, text } = scenarioTemplate(
    chosen.type,
    agent,
    configuration === null ? null : basename(configuration),
  );
  await openUnsaved(vscode.Uri.parse(folder), fileName, text, 0);
}

const AGENT_KINDS: readonly (vscode.QuickPickItem & { readonly type: AgentKind })[] = [
  {
    type: 'chat_completions',
    label: vscode.l10n.t('HTTP Agent'),
    detail: vscode.l10n.t('An endpoint that speaks chat completions. The scenario is YAML.'),
  },
  {
    type: 'custom',
    label: vscode.l10n.t('Handler'),
    detail: vscode.l10n.t('A function in turnwise.config.ts. The scenario is TypeScript.'),
  },
  {
    type: 'replay',
    label: vscode.l10n.t('Replay of a Trace'),
    detail: vscode.l10n.t('The recorded answers of a trace. The scenario is YAML.'),
  },
];

/** Opens a draft as a file that is not there yet; saving it writes it to the folder. */
async function openUnsaved(folder: vscode.Uri, fileName: string, text: string, line: number): Promise<void> {
  const uri = await freeName(folder, fileName);
  const document = await vscode.workspace.openTextDocument(uri);
  const edit = new vscode.WorkspaceEdit();
  edit.insert(uri, new vscode.Position(0, 0), text);
  await vscode.workspace.applyEdit(edit);
  // At the beginning of a line: the end of a long one would scroll the text to the right.
  const start = new vscode.Position(line, document.lineAt(line).firstNonWhitespaceCharacterIndex);
  await vscode.window.showTextDocument(document, { selection: new vscode.Range(start, start) });
  await setContext('turnwise.hasDraftedScenario', true);
}

/** The first of `refund.scenario.yaml`, `refund-2.scenario.yaml`, … that is neither on disk nor open. */
async function freeName(folder: vscode.Uri, fileName: string): Promise<vscode.Uri> {
  const [stem = '', ...extensions] = fileName.split('.');
  const open = new Set(vscode.workspace.textDocuments.map(({ uri }) => uri.fsPath));
  for (let number = 1; ; number += 1) {
    const name = [number === 1 ? stem : `${stem}-${number}`, ...extensions].join('.');
    const uri = vscode.Uri.joinPath(folder, name);
    if (!open.has(uri.fsPath) && !(await exists(uri))) return uri.with({ scheme: 'untitled' });
  }
}

async function exists(uri: vscode.Uri): Promise<boolean> {
  return vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
}

const MAX_SLUG = 50;

/** A name as the name of a file. */
function slug(name: string): string {
  const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? ['scenario'];
  return words.join('-').slice(0, MAX_SLUG).replace(/-$/, '');
}
