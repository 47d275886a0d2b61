import * as l10n from '@vscode/l10n';
import {
  type ClientCapabilities,
  type CodeAction,
  CodeActionKind,
  type CodeActionParams,
  CodeActionTriggerKind,
  type Diagnostic,
} from 'vscode-languageserver/node';
import { type FindingArgument, RULE_SEVERITIES, type RuleSeverity } from '../../protocol/finding-edits.ts';
import type { FileRange } from '../../protocol/messages.ts';
import { findRule } from '../../rules/index.ts';
import type { Feature, ServerContext } from '../context.ts';
import { findingCode, findingLevel } from '../diagnostics.ts';
import { type EditPlan, toWorkspaceEdit } from '../disk/file-change.ts';
import { openFolders } from '../disk/open-folders.ts';
import { EditPlanner } from '../edits/edits.ts';
import { buildFileView, type FileView, type FindingRow, problemsAt, rangeContains } from '../results/file-view.ts';
import type { LocatedTurnSummary } from '../results/turn-summary.ts';

/** Quick fixes for a finding: suppress it, set the severity of its rule, open the rule's documentation. */
export const codeActions: Feature = (context) => {
  const plans = new EditPlanner({ ...context, folders: () => openFolders(context.connection) });
  context.connection.onCodeAction((params) => codeActionsAt({ ...context, plans }, params));
  return { codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix] } };
};

/** A rule's finding that an action applies to. */
interface ActionTarget {
  readonly finding: FindingArgument;
  readonly level: RuleSeverity;
  /** The request's diagnostics that show it. */
  readonly diagnostics: readonly Diagnostic[];
}

/** What actions are built from. */
interface CodeActionSources extends Pick<ServerContext, 'results' | 'settings' | 'capabilities'> {
  readonly plans: Pick<EditPlanner, 'planSuppression' | 'planSeverity'>;
}

export async function codeActionsAt(sources: CodeActionSources, params: CodeActionParams): Promise<CodeAction[]> {
  const { textDocument, context } = params;
  const isWanted = context.only?.some((kind) => kindIncludes(CodeActionKind.QuickFix, kind)) ?? true;
  if (!isWanted || !textDocument.uri.startsWith('file:')) return [];
  const subjects = targetsAt(sources.results, params);
  return sources.settings().client === 'vscode' ? commandActions(subjects) : editActions(sources, subjects);
}

/** Kinds are hierarchical: a general kind includes specific ones. */
function kindIncludes(kind: string, requested: string): boolean {
  return requested === '' || kind === requested || kind.startsWith(`${requested}.`);
}

/**
 * The findings at the cursor; where there are none, those of the turn that begins on its line. A request by hand also
 * means the turn around the cursor: offering that automatically would show a light bulb on every line.
 */
function targetsAt(
  results: ServerContext['results'],
  { textDocument: { uri }, range, context }: CodeActionParams,
): ActionTarget[] {
  const there = problemsAt(uri, results, (location) => rangesOverlap(location, range)).map(
    ({ session, problem: finding }) => {
      return { session: session.row.key, finding };
    },
  );
  if (there.length > 0) return toTargets(there, uri, context.diagnostics);
  const turn = enclosingTurn(buildFileView(uri, results), range.start.line);
  const isByHand = context.triggerKind !== CodeActionTriggerKind.Automatic;
  if (!turn || (!isByHand && turn.line !== range.start.line)) return [];
  const { failures, observations } = turn.summary;
  return toTargets(
    [...failures, ...observations].map((finding) => ({ session: turn.session, finding })),
    uri,
    [],
  );
}

interface EnclosingTurn {
  readonly session: string;
  readonly summary: LocatedTurnSummary;
  readonly line: number;
}

/** Everything up to the next turn belongs to a turn, wherever its own value ends. */
function enclosingTurn(view: FileView | null, line: number): EnclosingTurn | null {
  let last: EnclosingTurn | null = null;
  for (const { row, turns } of view?.sessions ?? []) {
    for (const { summary: facts, range } of turns) {
      const begins = range.start.line;
      if (begins <= line && (!last || begins >= last.line)) last = { session: row.key, summary: facts, line: begins };
    }
  }
  return last;
}

/**
 * Each finding once, even where it has several locations. Only findings of rules can be suppressed or given another
 * severity.
 */
function toTargets(
  all: readonly { readonly session: string; readonly finding: FindingRow }[],
  uri: string,
  diagnostics: readonly Diagnostic[],
): ActionTarget[] {
  const subjects = new Map<string, ActionTarget>();
  for (const { session, finding: row } of all) {
    const { rule, turn } = row;
    if (rule === null || !findRule(rule)) continue;
    const key = JSON.stringify([session, turn, rule]);
    const known = subjects.get(key);
    const matching = diagnostics.filter(
      (diagnostic) => diagnostic.code === findingCode(row) && isSameRange(diagnostic.range, row.location.range),
    );
    const level = known?.level ?? findingLevel(row);
    const finding = { uri, session, turn, rule };
    subjects.set(key, { finding, level, diagnostics: [...(known?.diagnostics ?? []), ...matching] });
  }
  return [...subjects.values()];
}

function commandActions(subjects: readonly ActionTarget[]): CodeAction[] {
  const isAlone = subjects.length === 1;
  const accept = subjects.map(({ finding, diagnostics }) => {
    const title = isAlone
      ? l10n.t('Suppress This Finding…')
      : l10n.t('Suppress {0} in Turn {1}…', finding.rule, finding.turn + 1);
    return commandAction(title, 'turnwise.suppressFinding', finding, diagnostics);
  });
  const ofRules = uniqueRules(subjects).flatMap(({ finding: { uri, rule }, diagnostics }) => [
    commandAction(l10n.t('Set Severity of {0}…', rule), 'turnwise.setRuleSeverity', { uri, rule }, diagnostics),
    commandAction(l10n.t('Open Documentation of {0}', rule), 'turnwise.openRuleDocumentation', { rule }, diagnostics),
  ]);
  return [...accept, ...ofRules];
}

function commandAction(title: string, name: string, argument: object, diagnostics: readonly Diagnostic[]): CodeAction {
  return { ...quickFix(title, diagnostics), command: { title, command: name, arguments: [argument] } };
}

/** Each rule once, with all its diagnostics. */
function uniqueRules(subjects: readonly ActionTarget[]): ActionTarget[] {
  const byRule = Map.groupBy(subjects, ({ finding }) => finding.rule);
  return Array.from(byRule.values()).flatMap(([first, ...more]) => {
    if (!first) return [];
    return [{ ...first, diagnostics: [first, ...more].flatMap(({ diagnostics }) => diagnostics) }];
  });
}

/** The reason in a sidecar until the user writes one. */
const REASON_PLACEHOLDER = 'say why';

/** The edits themselves, for an editor without our commands. */
async function editActions(sources: CodeActionSources, subjects: readonly ActionTarget[]): Promise<CodeAction[]> {
  const { plans, capabilities } = sources;
  const accept = subjects.map(async ({ finding, diagnostics }) => {
    const title = l10n.t('Suppress {0} in Turn {1}: "{2}"', finding.rule, finding.turn + 1, REASON_PLACEHOLDER);
    return editAction(capabilities, title, await plans.planSuppression(finding, REASON_PLACEHOLDER), diagnostics);
  });
  const relevel = uniqueRules(subjects).flatMap(({ finding: { uri, rule }, level: now, diagnostics }) =>
    RULE_SEVERITIES.filter((level) => level !== now).map(async (level) => {
      const title = level === 'off' ? l10n.t('Turn Off {0}', rule) : l10n.t('Set Severity of {0} to {1}', rule, level);
      return editAction(capabilities, title, await plans.planSeverity({ uri, rule }, level), diagnostics);
    }),
  );
  return (await Promise.all([...accept, ...relevel])).flat();
}

/** A refused edit is shown as disabled with its reason, where the editor supports that. */
function editAction(
  { workspace, textDocument }: ClientCapabilities,
  title: string,
  plan: EditPlan,
  diagnostics: readonly Diagnostic[],
): CodeAction[] {
  if ('error' in plan) {
    if (!textDocument?.codeAction?.disabledSupport) return [];
    return [{ ...quickFix(title, diagnostics), disabled: { reason: plan.error } }];
  }
  const { documentChanges = false, resourceOperations = [] } = workspace?.workspaceEdit ?? {};
  const createsFiles = documentChanges && resourceOperations.includes('create');
  return [{ ...quickFix(title, diagnostics), edit: toWorkspaceEdit(plan.change, createsFiles) }];
}

function quickFix(title: string, diagnostics: readonly Diagnostic[]): CodeAction {
  return {
    title,
    kind: CodeActionKind.QuickFix,
    ...(diagnostics.length > 0 ? { diagnostics: [...diagnostics] } : {}),
  };
}

function rangesOverlap(a: FileRange, b: FileRange): boolean {
  return rangeContains(a, b.start) || rangeContains(b, a.start);
}

function isSameRange(a: FileRange, b: FileRange): boolean {
  return rangeContains(a, b.start) && rangeContains(a, b.end) && rangeContains(b, a.start) && rangeContains(b, a.end);
}
