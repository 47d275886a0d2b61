import type { Tool } from '../../core/session.ts';

/** What a tool does, as far as its annotation or its name tells. */
export type ToolEffect = 'reads' | 'changes' | 'unknown';

const READ_VERBS = wordSet(
  'get list search find read fetch lookup look query describe show view retrieve check calculate calculator compute ' +
    'count think validate verify compare inspect browse grep glob preview estimate recommend suggest summarize ' +
    'translate convert access',
);

const CHANGE_VERBS = wordSet(
  'create add insert update edit modify set change delete remove cancel refund return exchange book rebook reserve buy ' +
    'purchase pay charge place send post put patch write move rename submit apply approve reject issue transfer ' +
    'assign reassign close archive publish upload deploy start stop restart kill grant revoke enable disable activate ' +
    'deactivate subscribe unsubscribe register schedule reschedule upgrade downgrade reset resend redeem withdraw deposit ' +
    'erase destroy purge terminate install uninstall suspend resume block unblock renew checkout sell donate toggle ' +
    'void',
);

/** Verbs of change only as the first word of a name: `order_pizza`, but not `track_order`. */
const CHANGES_WHEN_FIRST = wordSet('order mark wire trade');

/** Words of change that are just as often nouns: `get_exchange_rate`, `search_post`, `place_details`. */
const ALSO_NOUNS = wordSet(
  'return exchange place post patch issue transfer schedule charge book refund purchase deposit archive register ' +
    'upgrade block checkout void order mark wire trade',
);

/** Nouns for information about an object, not for an action on it. */
const DESCRIPTION_NOUNS = wordSet(
  'details detail status info information rate rates history policy policies summary price prices options ' +
    'availability rules times hours id number tracking tracker tool agent service api management manager assistant',
);

/** Light verbs, which leave the action to a noun: `process_refund`, `execute_trade`. */
const LIGHT_VERBS = wordSet(
  'issue create make process submit execute perform initiate start place apply approve request trigger schedule register ' +
    'give grant send post do',
);

/** The action that a noun at the end of a name stands for. */
const VERB_BY_NOUN: ReadonlyMap<string, string> = new Map(
  Object.entries({
    cancel: 'cancellation',
    terminate: 'termination',
    delete: 'deletion',
    remove: 'removal',
    refund: 'refund refunds reimbursement chargeback',
    return: 'return returns',
    exchange: 'exchange',
    pay: 'payment payments payout',
    charge: 'charge',
    transfer: 'transfer transfers money funds',
    withdraw: 'withdrawal',
    deposit: 'deposit',
    donate: 'donation',
    trade: 'trade trades',
    book: 'reservation booking',
  }).flatMap(([verb, nouns]) => nouns.split(' ').map((noun) => [noun, verb] as const)),
);

/** Escalating one of these changes it; escalating the conversation does not. */
const ESCALATION_OBJECTS = wordSet('case ticket issue incident request order');

/** The words after these name the object, not the action: `tracking_for_pack_send`. */
const PREPOSITIONS = wordSet('for of by from via using with');

const CONJUNCTIONS = wordSet('and or then');

/** What a conversation can be handed over to. */
const HANDOVER_TARGETS = wordSet(
  'human humans agent agents representative operator supervisor specialist support team department call chat conversation',
);

const MONEY_NOUNS = wordSet('money funds account savings wallet bank balance card amount payment');

/** Names of things that change by themselves, so that tools are called again while waiting. */
const POLLING_WORDS = wordSet(
  'status state poll wait await progress ping health heartbeat queue inbox notifications latest current now time random',
);

/** Names of tools with which an agent ends its work or hands it over instead of answering. */
const FINAL_STEP_WORDS = wordSet(
  'transfer handoff handover escalate finish submit final done end complete exit respond reply answer',
);

/**
 * Determines the effect of a tool by its annotation, or else by the first verb of its name; `unknown` if the name
 * suggests both.
 */
export function toolEffect(name: string, tool: Tool | null | undefined): ToolEffect {
  if (tool?.changesState !== undefined) return tool.changesState ? 'changes' : 'reads';
  const words = actionWords(name);
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

/** Matches names as written in a configuration: exact, or with `*` for any characters, such as `delete_*`. */
export function toolNameMatcher(patterns: readonly string[]): ToolNameTest {
  const escaped = patterns.map((pattern) => pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  const tests = escaped.map((pattern) => new RegExp(`^${pattern.replaceAll('*', '.*')}$`, 's'));
  return (name) => tests.some((test) => test.test(name));
}

const NOTE_WORDS = wordSet(
  'think thinking thought thoughts sequentialthinking reflect reflection scratchpad todo todos',
);

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

function wordSet(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
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

const SEARCH_VERBS = wordSet('search list browse query find recommend suggest');

/** Whether a tool returns options to choose from: `search_flights`, but not `find_user_by_email`. */
export function looksLikeSearch(name: string): boolean {
  const words = actionWords(name);
  return (
    words.some((word) => SEARCH_VERBS.has(word)) &&
    toolEffect(name, undefined) === 'reads' &&
    !nameWords(name).includes('by')
  );
}
