import { createNameTest } from '../../core/name-pattern.ts';
import type { Tool } from '../../core/session.ts';
import {
  ALSO_NOUNS,
  CHANGE_VERBS,
  CHANGES_WHEN_FIRST,
  CONJUNCTIONS,
  DESCRIPTION_NOUNS,
  ESCALATION_OBJECTS,
  FINAL_STEP_WORDS,
  HANDOVER_TARGETS,
  LIGHT_VERBS,
  MONEY_NOUNS,
  NOTE_WORDS,
  POLLING_WORDS,
  PREPOSITIONS,
  QUESTION_WORDS,
  READ_VERBS,
  SEARCH_VERBS,
  VERB_BY_NOUN,
} from './tool-words.ts';

/** What a tool does, as far as its annotation or its name tells. */
export type ToolEffect = 'reads' | 'changes' | 'unknown';

/**
 * Determines the effect of a tool by its annotation, or else by the first verb of its name; `unknown` if the name
 * suggests both.
 */
export function toolEffect(name: string, tool: Tool | null | undefined): ToolEffect {
  if (tool?.changesState !== undefined) return tool.changesState ? 'changes' : 'reads';
  const words = actionWords(name);
  if (words.length > 1 && QUESTION_WORDS.has(words[0] ?? '')) return 'reads';
  const at = words.findIndex((word, i) => READ_VERBS.has(word) || isChangeVerb(word, i));
  const verb = words[at];
  if (verb === undefined) return verbOfNoun(words) === null && !isEscalation(words) ? 'unknown' : 'changes';
  const rest = words.slice(at + 1);
  if (READ_VERBS.has(verb)) return rest.some((word, i) => alsoChanges(word, rest[i - 1])) ? 'unknown' : 'reads';
  if (hasNoOutsideEffect(words)) return 'unknown';
  // A name with a single word: `order`, `trade`.
  if (words.length === 1 && CHANGES_WHEN_FIRST.has(verb)) return 'unknown';
  if (!ALSO_NOUNS.has(verb)) return 'changes';
  if (words.some((word) => READ_VERBS.has(word))) return 'reads';
  return rest.some((word) => DESCRIPTION_NOUNS.has(word)) ? 'unknown' : 'changes';
}

/**
 * The verb of what a tool changes: `cancel` for `cancel_pending_order`, `refund` for `issue_refund`; null if the name
 * has none.
 */
export function changeVerb(name: string): string | null {
  const words = actionWords(name);
  return verbOfNoun(words) ?? words.find(isChangeVerb) ?? null;
}

function isChangeVerb(word: string, at: number): boolean {
  return CHANGE_VERBS.has(word) || (at === 0 && CHANGES_WHEN_FIRST.has(word));
}

function verbOfNoun(words: readonly string[]): string | null {
  return words.length > 1 && LIGHT_VERBS.has(words[0] ?? '') ? (VERB_BY_NOUN.get(words.at(-1) ?? '') ?? null) : null;
}

function isEscalation([first, second = '']: readonly string[]): boolean {
  return first === 'escalate' && ESCALATION_OBJECTS.has(second);
}

function actionWords(name: string): string[] {
  const words = nameWords(name);
  const end = words.findIndex((word, i) => i > 0 && PREPOSITIONS.has(word));
  return end < 0 ? words : words.slice(0, end);
}

function alsoChanges(word: string, before: string | undefined): boolean {
  return CHANGE_VERBS.has(word) && (!ALSO_NOUNS.has(word) || (before !== undefined && CONJUNCTIONS.has(before)));
}

/** Names that suggest a change but change nothing beyond the agent's own work. */
function hasNoOutsideEffect(words: readonly string[]): boolean {
  const [first = '', second = '', ...rest] = words;
  // Handing over a conversation changes nothing; transferring money does.
  if (first === 'transfer' && second === 'to') return !rest.some((word) => MONEY_NOUNS.has(word));
  if (first === 'transfer') return HANDOVER_TARGETS.has(second);
  // Notes to itself, browser pages, sums of numbers and the end of the work.
  if (/^(todo write|write todos|update todos)$/.test(words.join(' '))) return true;
  if (words.includes('browser')) return true;
  if (first === 'add') return words.length === 1 || second === 'numbers';
  return first === 'submit' && (words.length === 1 || FINAL_STEP_WORDS.has(second));
}

/** Tests the name of a tool. */
export type ToolNameTest = (name: string) => boolean;

/** Matches names that have one of these patterns. */
export function toolNameMatcher(patterns: readonly string[]): ToolNameTest {
  const tests = patterns.map(createNameTest);
  return (name) => tests.some((matches) => matches(name));
}

/** Whether a tool only records the agent's thoughts and has no other effect. */
export function looksLikeNote(name: string): boolean {
  return nameWords(name).some((word) => NOTE_WORDS.has(word));
}

export function looksLikePolling(name: string): boolean {
  return nameWords(name).some((word) => POLLING_WORDS.has(word));
}

export function looksLikeFinalStep(name: string): boolean {
  return nameWords(name).some((word) => FINAL_STEP_WORDS.has(word));
}

/** The words of a tool's name without its namespace, in lower case: `get order` for `mcp__shop__getOrder`. */
export function nameWords(name: string): string[] {
  return localName(name)
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .filter((word) => word !== '');
}

/** A tool's name without the namespace that frameworks prepend. */
export function localName(name: string): string {
  return (
    name
      .slice(0, 200)
      .split(/__|[./:]/)
      .at(-1) ?? name
  );
}

/** Whether a tool returns options to choose from: `search_flights`, but not `find_user_by_email`. */
export function looksLikeSearch(name: string): boolean {
  const words = actionWords(name);
  return (
    words.some((word) => SEARCH_VERBS.has(word)) &&
    toolEffect(name, undefined) === 'reads' &&
    !nameWords(name).includes('by')
  );
}
