import { createHash } from 'node:crypto';
import { isObject } from '../../core/json.ts';
import { type Session, turnFile } from '../../core/session.ts';
import type { SessionFacts, StateChange } from '../../core/session-outcome.ts';
import { createRuleView, hasSucceeded, type IndexedCall, type RuleView } from '../../rules/rule-view.ts';
import { involvesHuman } from '../../rules/shared/escalation.ts';
import { codeSpan, formatValue } from '../../rules/shared/message-format.ts';
import { looksLikeFinalStep, looksLikeNote, nameWords, type ToolNameTest } from '../../rules/shared/tool-effect.ts';
import { findGeneratedIds } from './generated-ids.ts';

/** Further changes count together, as one. */
const MAX_CHANGES = 100;
/** Arguments of a call that sentences can name. */
const MAX_ARGUMENTS = 8;
/** Longer texts, and texts of several lines, are prose: two attempts never word them alike. */
const MAX_WORDS = 8;
const MAX_TEXT = 120;
const MAX_DEPTH = 8;
/** Values of one call that are compared. */
const MAX_VALUES = 1000;

/**
 * What a session changed, to compare it with other attempts of its task: each successful call of a tool that is known to
 * change state, once. Hand-overs to a person change nothing.
 */
export function sessionChanges(
  session: Session,
  changesState?: ToolNameTest,
): Pick<SessionFacts, 'changes' | 'unknownCalls' | 'endedEarly'> {
  const view = createRuleView(session, changesState);
  const changes = new Map<string, StateChange>();
  const rest: string[] = [];
  const isGenerated = findGeneratedIds(view);
  for (const call of view.changes) {
    if (involvesHuman(call.step)) continue;
    const { step, turn } = call;
    const key = changeKey(call, isGenerated(call));
    if (changes.has(key)) continue;
    if (changes.size >= MAX_CHANGES - 1) {
      rest.push(key);
      continue;
    }
    const content = session.turns[turn];
    const file = content && turnFile(session, content);
    changes.set(key, {
      key,
      tool: codeSpan(step.name),
      ...describeArguments(call, isGenerated(call)),
      turn,
      pointer: step.pointer,
      ...(file === undefined || file === session.source.file ? {} : { file }),
    });
  }
  const unknownCalls = countUnknown(view);
  return {
    changes: [...changes.values(), ...together(rest, view)],
    ...(unknownCalls > 0 && { unknownCalls }),
    ...(endedEarly(session) && { endedEarly: true }),
  };
}

/** The trace says so; or the last thing that happened is a failed model call, or a call without a result. */
function endedEarly({ ending, turns }: Session): boolean {
  if (ending) return ending.cause !== 'regular';
  const last = turns.at(-1)?.steps.at(-1);
  return last?.type === 'model' ? last.error !== undefined : last?.type === 'tool' && last.outcome === 'missing';
}

/** How much of each text is compared to recognize a session. */
const MAX_COMPARED = 500;

/** The same for a session that is read twice, from whichever file; another trial is another attempt. */
export function sessionFingerprint({ task, turns }: Session): string {
  const hash = createHash('sha256').update(task?.trial ?? '');
  for (const { input, output, startedAt = '', steps } of turns) {
    for (const text of [startedAt, input ?? '', output ?? '']) {
      hash.update(`\n${text.length} ${text.slice(0, MAX_COMPARED)}`);
    }
    for (const step of steps) if (step.type === 'tool') hash.update(`\n${step.name} ${step.outcome}`);
  }
  return shorten(hash.digest('base64url'));
}

function together(keys: readonly string[], { changes }: RuleView): StateChange[] {
  const last = changes.at(-1);
  const rest = [...new Set(keys)].sort();
  if (rest.length === 0 || !last) return [];
  const tool = `${rest.length} more tools`;
  return [{ key: digest(rest.join()), tool, arguments: [], turn: last.turn, pointer: last.step.pointer }];
}

function describeArguments(
  { step }: IndexedCall,
  isGenerated: (value: string) => boolean,
): Pick<StateChange, 'arguments' | 'moreArguments'> {
  const entries = isObject(step.arguments) ? Object.entries(step.arguments) : [];
  const more = entries.length - MAX_ARGUMENTS;
  return {
    arguments: entries.slice(0, MAX_ARGUMENTS).map(([name, value]) => ({
      key: digest(`${name}\n${normalize(value, { isGenerated, sortsLists: false, left: MAX_VALUES }, 0)}`),
      text: `${codeSpan(name)} ${formatValue(value)}`,
    })),
    ...(more > 0 && { moreArguments: more }),
  };
}

/** Successful calls of tools of which neither the name nor an annotation says whether they change state. */
function countUnknown({ calls }: RuleView): number {
  return calls.filter(
    (call) =>
      call.effect === 'unknown' &&
      hasSucceeded(call) &&
      !involvesHuman(call.step) &&
      !looksLikeNote(call.step.name) &&
      !looksLikeFinalStep(call.step.name),
  ).length;
}

/** Equal for calls that do the same. */
function changeKey({ step }: IndexedCall, isGenerated: (value: string) => boolean): string {
  const values = isObject(step.arguments) ? Object.values(step.arguments) : [];
  // The entries of several lists can belong together by their positions.
  const sortsLists = values.filter((value) => Array.isArray(value)).length === 1;
  const normalized = normalize(step.arguments, { isGenerated, sortsLists, left: MAX_VALUES }, 0);
  return digest(`${nameWords(step.name).join(' ')}\n${normalized}`);
}

function digest(text: string): string {
  return shorten(createHash('sha256').update(text).digest('base64url'));
}

/** 96 bits are enough for the attempts of a task. */
function shorten(hash: string): string {
  return hash.slice(0, 16);
}

interface Normalizing {
  readonly isGenerated: (value: string) => boolean;
  readonly sortsLists: boolean;
  /** How many more values are compared. */
  left: number;
}

/**
 * A value as text, so that what means the same is the same: letter case, spaces, the order of keys, `5` and `"5"`, an argument
 * that is empty or left out.
 */
function normalize(value: unknown, options: Normalizing, depth: number): string {
  options.left -= 1;
  if (options.left < 0 || depth > MAX_DEPTH) return '…';
  if (typeof value === 'string') return normalizeText(value, options);
  if (typeof value === 'number' || typeof value === 'boolean') return normalizeText(String(value), options);
  const inner = (part: unknown) => normalize(part, options, depth + 1);
  if (Array.isArray(value)) {
    const items = value.map(inner).filter((item) => item !== '');
    if (options.sortsLists) items.sort();
    return items.length === 0 ? '' : `[${items.join()}]`;
  }
  if (!isObject(value)) return '';
  const entries = Object.entries(value).map(([key, part]) => [key, inner(part)] as const);
  const named = entries.filter(([, part]) => part !== '').map(([key, part]) => `${JSON.stringify(key)}:${part}`);
  return named.length === 0 ? '' : `{${named.sort().join()}}`;
}

function normalizeText(value: string, { isGenerated }: Normalizing): string {
  if (value.length > MAX_TEXT) return '<text>';
  const text = value.normalize('NFKC').trim();
  if (text === '') return '';
  if (isGenerated(text)) return '<id>';
  if (text.includes('\n') || text.split(/\s+/).length > MAX_WORDS) return '<text>';
  return JSON.stringify(isPlainNumber(text) ? String(Number(text)) : text.replace(/\s+/g, ' ').toLowerCase());
}

/** Digits that a leading zero makes a code are none. */
function isPlainNumber(text: string): boolean {
  return /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,6})?$/.test(text);
}
