import { basename } from 'node:path';
import * as vscode from 'vscode';
import * as z from 'zod/mini';
import {
  type EditOutcome,
  type FindingArgument,
  finding,
  RULE_LEVELS,
  type RuleArgument,
  type RuleLevel,
  relevel,
  ruleOfFile,
  rulePage,
  suppress as suppressRequest,
} from '../protocol/edits.ts';
import type { Context } from './context.ts';
import { Refusal } from './errors.ts';

/** Accepts a finding for a reason that the user gives. */
export async function suppress(context: Context, clicked: unknown): Promise<void> {
  const found = asFinding(context, clicked);
  const reason = await vscode.window.showInputBox({
    title: vscode.l10n.t('Suppress {0} in turn {1}', found.rule, found.turn + 1),
    prompt: vscode.l10n.t('Why is this no failure? The reason is written beside the trace.'),
    validateInput: (text) => (text.trim() === '' ? vscode.l10n.t('Say why: without a reason, it stays.') : undefined),
  });
  // Pressing Enter on what is not valid closes nothing, but a person may press Escape.
  if (reason === undefined || reason.trim() === '') return;
  await follow(context, found.uri, await context.server.ask(suppressRequest, { ...found, reason: reason.trim() }));
}

/** Gives a rule another level, for all traces under the configuration of this one. */
export async function relevelRule(context: Context, clicked: unknown): Promise<void> {
  const { uri, rule } = asRuleOfFile(context, clicked);
  const items = LEVELS.map((level) => ({ label: level, description: MEANING[level], level }));
  const title = vscode.l10n.t('Level of {0}', rule);
  const placeHolder = vscode.l10n.t('It is written into the configuration, and holds for all traces under it.');
  const chosen = await vscode.window.showQuickPick(items, { title, placeHolder, matchOnDescription: true });
  if (chosen) await follow(context, uri, await context.server.ask(relevel, { uri, rule, level: chosen.level }));
}

/** Shows what a rule looks for. */
export async function openRulePage(context: Context, clicked: unknown): Promise<void> {
  const rule = ruleOf(context, clicked);
  await preview(vscode.Uri.joinPath(context.extensionUri, 'docs', 'rules', `${rule}.md`));
}

export async function openJudgesPage({ extensionUri }: Context): Promise<void> {
  await preview(vscode.Uri.joinPath(extensionUri, 'docs', 'judges.md'));
}

/** From what concerns nobody to what is worst. */
const LEVELS = RULE_LEVELS.toSorted((a, b) => Number(b === 'off') - Number(a === 'off'));

const MEANING = {
  off: vscode.l10n.t('does not speak'),
  info: vscode.l10n.t('an observation, and no failure'),
  low: vscode.l10n.t('a failure worth knowing'),
  medium: vscode.l10n.t('a failure'),
  high: vscode.l10n.t('a failure that a gate can stop at'),
  critical: vscode.l10n.t('a failure that must not happen'),
} as const satisfies Record<RuleLevel, string>;

/** Says what was written, and evaluates what it is about. */
async function follow({ evaluation, log }: Context, uri: string, outcome: EditOutcome): Promise<void> {
  if ('refused' in outcome) throw new Refusal(outcome.refused);
  const { written } = outcome;
  const open = vscode.l10n.t('Open');
  const message = vscode.l10n.t('Written to {0}.', basename(written));
  // The message waits for the user; the evaluation does not.
  vscode.window.showInformationMessage(message, open).then(async (chosen) => {
    if (chosen === open) await vscode.window.showTextDocument(vscode.Uri.file(written));
  }, log.error);
  await evaluation.run([vscode.Uri.parse(uri)], 'here');
}

async function preview(page: vscode.Uri): Promise<void> {
  await vscode.commands.executeCommand('markdown.showPreview', page);
}

/** Code actions give what they are about, the results give a row. */
function asFinding({ results }: Context, clicked: unknown): FindingArgument {
  if (results.isNode(clicked) && clicked.type === 'failure' && clicked.row.rule !== null) {
    const { row, session } = clicked;
    return { uri: row.place.uri, session, turn: row.turn, rule: clicked.row.rule };
  }
  return required(finding, clicked);
}

function asRuleOfFile(context: Context, clicked: unknown): RuleArgument {
  if (context.results.isNode(clicked)) return asFinding(context, clicked);
  return required(ruleOfFile, clicked);
}

function ruleOf(context: Context, clicked: unknown): string {
  if (context.results.isNode(clicked)) return asFinding(context, clicked).rule;
  return required(rulePage, clicked).rule;
}

function required<T>(schema: z.ZodMiniType<T>, given: unknown): T {
  const { success, data } = z.safeParse(schema, given);
  if (success) return data;
  throw new Refusal(vscode.l10n.t('This is done on a finding: choose it from the light bulb, or in the results.'));
}
