import {
  type ClientCapabilities,
  type CodeAction,
  CodeActionKind,
  type CodeActionParams,
  CodeActionTriggerKind,
  type Diagnostic,
} from 'vscode-languageserver/node';
import { type FindingArgument, RULE_LEVELS, type RuleLevel } from '../../protocol/edits.ts';
import type { Range } from '../../protocol/messages.ts';
import { findRule } from '../../rules/index.ts';
import type { Context, Feature } from '../context.ts';
import { codeOf, levelOf } from '../diagnostics.ts';
import { type Plan, workspaceEdit } from '../disk/file-change.ts';
import { openFolders } from '../disk/open-folders.ts';
import { Plans } from '../edits/edits.ts';
import { contains, type FileView, type Found, foundIn, viewOf } from '../held/file-view.ts';
import type { TurnFacts } from '../held/turn-facts.ts';

/** What a person may do about a finding: accept it, change how much its rule weighs, read what the rule looks for. */
export const codeActions: Feature = (context) => {
  const plans = new Plans({ ...context, folders: () => openFolders(context.connection) });
  context.connection.onCodeAction((params) => actionsAt({ ...context, plans }, params));
  return { codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix] } };
};

/** What a rule found, as an action is about it. */
interface Subject {
  readonly finding: FindingArgument;
  readonly level: RuleLevel;
  /** Those of the request that show it. */
  readonly diagnostics: readonly Diagnostic[];
}

/** What actions are made from. */
interface Sources extends Pick<Context, 'results' | 'settings' | 'capabilities'> {
  readonly plans: Pick<Plans, 'suppression' | 'level'>;
}

export async function actionsAt(sources: Sources, params: CodeActionParams): Promise<CodeAction[]> {
  const { textDocument, context: asked } = params;
  const isWanted = asked.only?.some((kind) => isWithinKind(CodeActionKind.QuickFix, kind)) ?? true;
  if (!isWanted || !textDocument.uri.startsWith('file:')) return [];
  const subjects = subjectsAt(sources.results, params);
  return sources.settings().client === 'vscode' ? asCommands(subjects) : asEdits(sources, subjects);
}

/** Kinds are named from the general to the particular. */
function isWithinKind(kind: string, wanted: string): boolean {
  return wanted === '' || kind === wanted || kind.startsWith(`${wanted}.`);
}

/**
 * What was found where the cursor is; where nothing was, what was found in the turn that begins on its line. Who asks by
 * hand means the turn around the cursor too: to offer it unasked would put a light bulb on every line.
 */
function subjectsAt(
  results: Context['results'],
  { textDocument: { uri }, range, context }: CodeActionParams,
): Subject[] {
  const there = foundIn(uri, results, (place) => overlap(place, range)).map(({ session, found }) => {
    return { session: session.row.key, found };
  });
  if (there.length > 0) return subjectsOf(there, uri, context.diagnostics);
  const turn = lastTurnBefore(viewOf(uri, results), range.start.line);
  const isByHand = context.triggerKind !== CodeActionTriggerKind.Automatic;
  if (!turn || (!isByHand && turn.line !== range.start.line)) return [];
  const { failures, observations } = turn.facts;
  return subjectsOf(
    [...failures, ...observations].map((found) => ({ session: turn.session, found })),
    uri,
    [],
  );
}

interface TurnBefore {
  readonly session: string;
  readonly facts: TurnFacts;
  readonly line: number;
}

/** All up to the next turn belongs to a turn, wherever its own value ends. */
function lastTurnBefore(view: FileView | null, line: number): TurnBefore | null {
  let last: TurnBefore | null = null;
  for (const { row, turns } of view?.sessions ?? []) {
    for (const { facts, range } of turns) {
      const begins = range.start.line;
      if (begins <= line && (!last || begins >= last.line)) last = { session: row.key, facts, line: begins };
    }
  }
  return last;
}

/** Each finding once, though several places prove it. Only what rules found can be accepted and re-levelled. */
function subjectsOf(
  all: readonly { readonly session: string; readonly found: Found }[],
  uri: string,
  diagnostics: readonly Diagnostic[],
): Subject[] {
  const subjects = new Map<string, Subject>();
  for (const { session, found } of all) {
    const { rule, turn } = found;
    if (rule === null || !findRule(rule)) continue;
    const key = JSON.stringify([session, turn, rule]);
    const known = subjects.get(key);
    const shown = diagnostics.filter((one) => one.code === codeOf(found) && isSame(one.range, found.place.range));
    const level = known?.level ?? levelOf(found);
    const finding = { uri, session, turn, rule };
    subjects.set(key, { finding, level, diagnostics: [...(known?.diagnostics ?? []), ...shown] });
  }
  return [...subjects.values()];
}

function asCommands(subjects: readonly Subject[]): CodeAction[] {
  const isAlone = subjects.length === 1;
  const accept = subjects.map(({ finding, diagnostics }) => {
    const title = isAlone ? 'Suppress this finding…' : `Suppress ${finding.rule} in turn ${finding.turn + 1}…`;
    return command(title, 'turnwise.suppress', finding, diagnostics);
  });
  const ofRules = rulesOf(subjects).flatMap(({ finding: { uri, rule }, diagnostics }) => [
    command(`Change the level of ${rule}…`, 'turnwise.relevelRule', { uri, rule }, diagnostics),
    command(`Open the page of ${rule}`, 'turnwise.openRulePage', { rule }, diagnostics),
  ]);
  return [...accept, ...ofRules];
}

function command(title: string, name: string, argument: object, diagnostics: readonly Diagnostic[]): CodeAction {
  return { ...action(title, diagnostics), command: { title, command: name, arguments: [argument] } };
}

/** Each rule once, with all diagnostics that it gave. */
function rulesOf(subjects: readonly Subject[]): Subject[] {
  const byRule = Map.groupBy(subjects, ({ finding }) => finding.rule);
  return Array.from(byRule.values()).flatMap(([first, ...more]) => {
    if (!first) return [];
    return [{ ...first, diagnostics: [first, ...more].flatMap(({ diagnostics }) => diagnostics) }];
  });
}

/** What stands in a sidecar until a person writes why. */
const PLACEHOLDER = 'say why';

/** For an editor that has no commands of ours: the edits themselves. */
async function asEdits(sources: Sources, subjects: readonly Subject[]): Promise<CodeAction[]> {
  const { plans, capabilities } = sources;
  const accept = subjects.map(async ({ finding, diagnostics }) => {
    const title = `Suppress ${finding.rule} in turn ${finding.turn + 1}: "${PLACEHOLDER}"`;
    return edit(capabilities, title, await plans.suppression(finding, PLACEHOLDER), diagnostics);
  });
  const relevel = rulesOf(subjects).flatMap(({ finding: { uri, rule }, level: now, diagnostics }) =>
    RULE_LEVELS.filter((level) => level !== now).map(async (level) => {
      const title = level === 'off' ? `Switch ${rule} off` : `Change the level of ${rule} to ${level}`;
      return edit(capabilities, title, await plans.level({ uri, rule }, level), diagnostics);
    }),
  );
  return (await Promise.all([...accept, ...relevel])).flat();
}

/** What cannot be done is shown with the reason, in an editor that has a place for it. */
function edit(
  { workspace, textDocument }: ClientCapabilities,
  title: string,
  plan: Plan,
  diagnostics: readonly Diagnostic[],
): CodeAction[] {
  if ('refused' in plan) {
    if (!textDocument?.codeAction?.disabledSupport) return [];
    return [{ ...action(title, diagnostics), disabled: { reason: plan.refused } }];
  }
  const { documentChanges = false, resourceOperations = [] } = workspace?.workspaceEdit ?? {};
  const createsFiles = documentChanges && resourceOperations.includes('create');
  return [{ ...action(title, diagnostics), edit: workspaceEdit(plan.change, createsFiles) }];
}

function action(title: string, diagnostics: readonly Diagnostic[]): CodeAction {
  return {
    title,
    kind: CodeActionKind.QuickFix,
    ...(diagnostics.length > 0 ? { diagnostics: [...diagnostics] } : {}),
  };
}

function overlap(a: Range, b: Range): boolean {
  return contains(a, b.start) || contains(b, a.start);
}

function isSame(a: Range, b: Range): boolean {
  return contains(a, b.start) && contains(a, b.end) && contains(b, a.start) && contains(b, a.end);
}
