import { basename } from 'node:path';
import * as vscode from 'vscode';
import * as z from 'zod/mini';
import {
  type EditOutcome,
  type FindingArgument,
  findingArgument,
  RULE_SEVERITIES,
  type RuleArgument,
  type RuleSeverity,
  ruleArgument,
  ruleDocumentationArgument,
  setSeverity,
  suppress as suppressRequest,
} from '../protocol/finding-edits.ts';
import type { CommandContext } from './command-context.ts';
import { UserError } from './errors.ts';

/** Suppresses a finding, for a reason that the user enters. */
export async function suppressFinding(context: CommandContext, clicked: unknown): Promise<void> {
  const finding = parseFinding(context, clicked);
  const reason = await vscode.window.showInputBox({
    title: vscode.l10n.t('Suppress {0} in turn {1}', finding.rule, finding.turn + 1),
    prompt: vscode.l10n.t('Why is this not a problem? The reason is saved in a sidecar file next to the trace.'),
    validateInput: (text) =>
      text.trim() === '' ? vscode.l10n.t('A reason is required to suppress a finding.') : undefined,
  });
  // Undefined when the user presses Escape.
  if (reason === undefined || reason.trim() === '') return;
  await showSavedAndEvaluate(
    context,
    finding.uri,
    await context.server.request(suppressRequest, { ...finding, reason: reason.trim() }),
  );
}

/** Sets the severity of a rule in the configuration of a trace. */
export async function setRuleSeverity(context: CommandContext, clicked: unknown): Promise<void> {
  const { uri, rule } = parseRule(context, clicked);
  const items = SEVERITY_CHOICES.map((level) => ({ label: level, description: SEVERITY_MEANINGS[level], level }));
  const title = vscode.l10n.t('Severity of {0}', rule);
  const placeHolder = vscode.l10n.t('Saved to the configuration. Applies to all its traces.');
  const chosen = await vscode.window.showQuickPick(items, { title, placeHolder, matchOnDescription: true });
  if (chosen)
    await showSavedAndEvaluate(
      context,
      uri,
      await context.server.request(setSeverity, { uri, rule, level: chosen.level }),
    );
}

/** Shows the documentation of a rule. */
export async function openRuleDocumentation(context: CommandContext, clicked: unknown): Promise<void> {
  const rule = ruleId(context, clicked);
  await previewMarkdown(vscode.Uri.joinPath(context.extensionUri, 'docs', 'rules', `${rule}.md`));
}

export async function openJudgeGuide({ extensionUri }: CommandContext): Promise<void> {
  await previewMarkdown(vscode.Uri.joinPath(extensionUri, 'docs', 'judges.md'));
}

/** From off to critical. */
const SEVERITY_CHOICES = RULE_SEVERITIES.toSorted((a, b) => Number(b === 'off') - Number(a === 'off'));

const SEVERITY_MEANINGS = {
  off: vscode.l10n.t('the rule is off'),
  info: vscode.l10n.t('an observation, not a problem'),
  low: vscode.l10n.t('a minor problem'),
  medium: vscode.l10n.t('a problem'),
  high: vscode.l10n.t('a severe problem'),
  critical: vscode.l10n.t('the most severe problem'),
} as const satisfies Record<RuleSeverity, string>;

/** Shows which file was saved, and evaluates the trace. */
async function showSavedAndEvaluate(
  { evaluation, log }: CommandContext,
  uri: string,
  outcome: EditOutcome,
): Promise<void> {
  if ('error' in outcome) throw new UserError(outcome.error);
  const { written } = outcome;
  const open = vscode.l10n.t('Open');
  const message = vscode.l10n.t('Saved to {0}.', basename(written));
  // Not awaited: the evaluation does not wait for the message.
  vscode.window.showInformationMessage(message, open).then(async (chosen) => {
    if (chosen === open) await vscode.window.showTextDocument(vscode.Uri.file(written));
  }, log.error);
  await evaluation.run([vscode.Uri.parse(uri)], 'here');
}

async function previewMarkdown(page: vscode.Uri): Promise<void> {
  await vscode.commands.executeCommand('markdown.showPreview', page);
}

/** Code actions pass the finding, the Results view passes a row. */
function parseFinding({ results }: CommandContext, clicked: unknown): FindingArgument {
  if (results.isNode(clicked) && clicked.type === 'failure' && clicked.row.rule !== null) {
    const { row, session } = clicked;
    return { uri: row.location.uri, session, turn: row.turn, rule: clicked.row.rule };
  }
  return parseOrThrow(findingArgument, clicked);
}

function parseRule(context: CommandContext, clicked: unknown): RuleArgument {
  if (context.results.isNode(clicked)) return parseFinding(context, clicked);
  return parseOrThrow(ruleArgument, clicked);
}

function ruleId(context: CommandContext, clicked: unknown): string {
  if (context.results.isNode(clicked)) return parseFinding(context, clicked).rule;
  return parseOrThrow(ruleDocumentationArgument, clicked).rule;
}

function parseOrThrow<T>(schema: z.ZodMiniType<T>, argument: unknown): T {
  const { success, data } = z.safeParse(schema, argument);
  if (success) return data;
  throw new UserError(vscode.l10n.t('Select a finding in the Results view, or use Quick Fix in the editor.'));
}
