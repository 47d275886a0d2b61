import type { Tool } from '../../core/session.ts';

/** What a tool does to the world, as far as its annotation or its name tells. */
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

/** Words of change where a name begins with them: `order_pizza`, and not `track_order`. */
const CHANGES_WHEN_FIRST = wordSet('order mark wire trade');

/** Words of change that are as often the name of a thing: `get_exchange_rate`, `search_post`, `place_details`. */
const ALSO_NOUNS = wordSet(
  'return exchange place post patch issue transfer schedule charge book refund purchase deposit archive register ' +
    'upgrade block checkout void order mark wire trade',
);

/** What is told of a thing, and not done to it. */
const DESCRIPTION_NOUNS = wordSet(
  'details detail status info information rate rates history policy policies summary price prices options ' +
    'availability rules times hours id number tracking tracker tool agent service api management manager assistant',
);

/** Verbs that say that something is done, and leave it to a noun to say what: `process_refund`, `execute_trade`. */
const LIGHT_VERBS = wordSet(
  'issue create make process submit execute perform initiate start place apply approve request trigger schedule register ' +
    'give grant send post do',
);

/** What is done, where a noun at the end of a name says it. */
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
  }).flatMap(([deed, nouns]) => nouns.split(' ').map((noun) => [noun, deed] as const)),
);

/** To hand one of these up changes it; to hand the conversation over does not. */
const ESCALATION_OBJECTS = wordSet('case ticket issue incident request order');

/** What follows these says on what, not what is done: `tracking_for_pack_send`. */
const PREPOSITIONS = wordSet('for of by from via using with');

const CONJUNCTIONS = wordSet('and or then');

/** Whom or what a conversation is handed over to. */
const HANDOVER_TARGETS = wordSet(
  'human humans agent agents representative operator supervisor specialist support team department call chat conversation',
);

const MONEY_NOUNS = wordSet('money funds account savings wallet bank balance card amount payment');

/** Names of things that change by themselves: asking again is how one waits for them. */
const POLLING_WORDS = wordSet(
  'status state poll wait await progress ping health heartbeat queue inbox notifications latest current now time random',
);

/** Names under which an agent ends its work or hands it over, instead of answering. */
const FINAL_STEP_WORDS = wordSet(
  'transfer handoff handover escalate finish submit final done end complete exit respond reply answer',
);

/** By annotation, else by the name's first verb; a name that says both reads and changes says nothing. */
export function toolEffect(name: string, tool: Tool | null | undefined): ToolEffect {
  if (tool?.changesState !== undefined) return tool.changesState ? 'changes' : 'reads';
  const said = actionWords(name);
  const at = said.findIndex((word, i) => READ_VERBS.has(word) || isChangeVerb(word, i));
  const verb = said[at];
  if (verb === undefined) return verbOfNoun(said) === null && !isEscalation(said) ? 'unknown' : 'changes';
  const rest = said.slice(at + 1);
  if (READ_VERBS.has(verb)) return rest.some((word, i) => alsoChanges(word, rest[i - 1])) ? 'unknown' : 'reads';
  if (hasNoOutsideEffect(said)) return 'unknown';
  // A name that is nothing else: `order`, `trade`.
  if (said.length === 1 && CHANGES_WHEN_FIRST.has(verb)) return 'unknown';
  if (!ALSO_NOUNS.has(verb)) return 'changes';
  if (said.some((word) => READ_VERBS.has(word))) return 'reads';
  return rest.some((word) => DESCRIPTION_NOUNS.has(word)) ? 'unknown' : 'changes';
}

/** What a tool does, as a verb: `cancel` of `cancel_pending_order`, `refund` of `issue_refund`; null where its name tells none. */
export function changeVerb(name: string): string | null {
  const said = actionWords(name);
  return verbOfNoun(said) ?? said.find(isChangeVerb) ?? null;
}

function isChangeVerb(word: string, at: number): boolean {
  return CHANGE_VERBS.has(word) || (at === 0 && CHANGES_WHEN_FIRST.has(word));
}

function verbOfNoun(said: readonly string[]): string | null {
  return said.length > 1 && LIGHT_VERBS.has(said[0] ?? '') ? (VERB_BY_NOUN.get(said.at(-1) ?? '') ?? null) : null;
}

function isEscalation([first, second = '']: readonly string[]): boolean {
  return first === 'escalate' && ESCALATION_OBJECTS.has(second);
}

function actionWords(name: string): string[] {
  const said = nameWords(name);
  const end = said.findIndex((word, i) => i > 0 && PREPOSITIONS.has(word));
  return end < 0 ? said : said.slice(0, end);
}

function alsoChanges(word: string, before: string | undefined): boolean {
  return CHANGE_VERBS.has(word) && (!ALSO_NOUNS.has(word) || (before !== undefined && CONJUNCTIONS.has(before)));
}

/** Names that speak of change, and change nothing that outlasts the agent's own work. */
function hasNoOutsideEffect(said: readonly string[]): boolean {
  const [first = '', second = '', ...rest] = said;
  // To hand a conversation over is no change of what it is about; to transfer money is one.
  if (first === 'transfer' && second === 'to') return !rest.some((word) => MONEY_NOUNS.has(word));
  if (first === 'transfer') return HANDOVER_TARGETS.has(second);
  // An agent's notes to itself, a browser's page, a sum of numbers, and the end of its work.
  if (/^(todo write|write todos|update todos)$/.test(said.join(' '))) return true;
  if (said.includes('browser')) return true;
  if (first === 'add') return said.length === 1 || second === 'numbers';
  return first === 'submit' && (said.length === 1 || FINAL_STEP_WORDS.has(second));
}

/** Whether a tool's name is among some. */
export type ToolNameTest = (name: string) => boolean;

/** Names as people write them in configuration: exact, or with `*` for any characters, such as `delete_*`. */
export function toolNameMatcher(patterns: readonly string[]): ToolNameTest {
  const escaped = patterns.map((pattern) => pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  const tests = escaped.map((pattern) => new RegExp(`^${pattern.replaceAll('*', '.*')}$`, 's'));
  return (name) => tests.some((test) => test.test(name));
}

const NOTE_WORDS = wordSet(
  'think thinking thought thoughts sequentialthinking reflect reflection scratchpad todo todos',
);

/** A tool in which the agent only writes down what it thinks: it tells the agent nothing, and does nothing to the world. */
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

/** `mcp__shop__getOrder` is `get order`: the words of the name without its namespace, in lower case. */
export function nameWords(name: string): string[] {
  return localName(name)
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .filter((word) => word !== '');
}

/** A tool's name without the namespace that frameworks put before it. */
export function localName(name: string): string {
  return (
    name
      .slice(0, 200)
      .split(/__|[./:]/)
      .at(-1) ?? name
  );
}

const SEARCH_VERBS = wordSet('search list browse query find recommend suggest');

/** Whether a tool returns what there is to choose from: `search_flights`, and not `find_user_by_email`. */
export function looksLikeSearch(name: string): boolean {
  const said = actionWords(name);
  return (
    said.some((word) => SEARCH_VERBS.has(word)) &&
    toolEffect(name, undefined) === 'reads' &&
    !nameWords(name).includes('by')
  );
}
