import type { Tool } from '../core/session.ts';

/** What a tool does to the world, as far as its annotation or its name tells. */
export type Effect = 'reads' | 'changes' | 'unknown';

const READS = words(
  'get list search find read fetch lookup look query describe show view retrieve check calculate calculator compute ' +
    'count think validate verify compare inspect browse grep glob preview estimate recommend suggest summarize ' +
    'translate convert access',
);

const CHANGES = words(
  'create add insert update edit modify set change delete remove cancel refund return exchange book rebook reserve buy ' +
    'purchase pay charge place send post put patch write move rename submit apply approve reject issue transfer ' +
    'assign reassign close archive publish upload deploy start stop restart kill grant revoke enable disable activate ' +
    'deactivate subscribe unsubscribe register schedule reschedule upgrade downgrade reset resend redeem withdraw deposit ' +
    'erase destroy purge terminate install uninstall suspend resume block unblock renew checkout sell donate toggle ' +
    'void',
);

/** Words of change where a name begins with them: `order_pizza`, and not `track_order`. */
const CHANGES_AT_FIRST = words('order mark wire trade');

/** Words of change that are as often the name of a thing: `get_exchange_rate`, `search_post`, `place_details`. */
const ALSO_THINGS = words(
  'return exchange place post patch issue transfer schedule charge book refund purchase deposit archive register ' +
    'upgrade block checkout void order mark wire trade',
);

/** What is told of a thing, and not done to it. */
const ABOUT = words(
  'details detail status info information rate rates history policy policies summary price prices options ' +
    'availability rules times hours id number tracking tracker tool agent service api management manager assistant',
);

/** Verbs that say that something is done, and leave it to a noun to say what: `process_refund`, `execute_trade`. */
const LIGHT = words(
  'issue create make process submit execute perform initiate start place apply approve request trigger schedule register ' +
    'give grant send post do',
);

/** What is done, where a noun at the end of a name says it. */
const DEEDS: ReadonlyMap<string, string> = new Map(
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
const ESCALATED = words('case ticket issue incident request order');

/** What follows these says on what, not what is done: `tracking_for_pack_send`. */
const PREPOSITIONS = words('for of by from via using with');

const JOINS = words('and or then');

/** Whom or what a conversation is handed over to. */
const HANDED_TO = words(
  'human humans agent agents representative operator supervisor specialist support team department call chat conversation',
);

const MONEY = words('money funds account savings wallet bank balance card amount payment');

/** Names of things that change by themselves: asking again is how one waits for them. */
const POLLED = words(
  'status state poll wait await progress ping health heartbeat queue inbox notifications latest current now time random',
);

/** Names under which an agent ends its work or hands it over, instead of answering. */
const ENDS = words(
  'transfer handoff handover escalate finish submit final done end complete exit respond reply answer',
);

/** By annotation, else by the name's first verb; a name that says both reads and changes says nothing. */
export function effectOf(name: string, tool: Tool | null | undefined): Effect {
  if (tool?.changesState !== undefined) return tool.changesState ? 'changes' : 'reads';
  const said = actionOf(name);
  const at = said.findIndex((word, i) => READS.has(word) || isChange(word, i));
  const verb = said[at];
  if (verb === undefined) return nounDeedOf(said) === null && !isEscalation(said) ? 'unknown' : 'changes';
  const rest = said.slice(at + 1);
  if (READS.has(verb)) return rest.some((word, i) => changesBesides(word, rest[i - 1])) ? 'unknown' : 'reads';
  if (isNoDeed(said)) return 'unknown';
  // A name that is nothing else: `order`, `trade`.
  if (said.length === 1 && CHANGES_AT_FIRST.has(verb)) return 'unknown';
  if (!ALSO_THINGS.has(verb)) return 'changes';
  if (said.some((word) => READS.has(word))) return 'reads';
  return rest.some((word) => ABOUT.has(word)) ? 'unknown' : 'changes';
}

/** What a tool does, as a verb: `cancel` of `cancel_pending_order`, `refund` of `issue_refund`; null where its name tells none. */
export function changeVerb(name: string): string | null {
  const said = actionOf(name);
  return nounDeedOf(said) ?? said.find(isChange) ?? null;
}

function isChange(word: string, at: number): boolean {
  return CHANGES.has(word) || (at === 0 && CHANGES_AT_FIRST.has(word));
}

function nounDeedOf(said: readonly string[]): string | null {
  return said.length > 1 && LIGHT.has(said[0] ?? '') ? (DEEDS.get(said.at(-1) ?? '') ?? null) : null;
}

function isEscalation([first, second = '']: readonly string[]): boolean {
  return first === 'escalate' && ESCALATED.has(second);
}

function actionOf(name: string): string[] {
  const said = wordsOf(name);
  const end = said.findIndex((word, i) => i > 0 && PREPOSITIONS.has(word));
  return end < 0 ? said : said.slice(0, end);
}

function changesBesides(word: string, before: string | undefined): boolean {
  return CHANGES.has(word) && (!ALSO_THINGS.has(word) || (before !== undefined && JOINS.has(before)));
}

/** Names that speak of change, and change nothing that outlasts the agent's own work. */
function isNoDeed(said: readonly string[]): boolean {
  const [first = '', second = '', ...rest] = said;
  // To hand a conversation over is no change of what it is about; to transfer money is one.
  if (first === 'transfer' && second === 'to') return !rest.some((word) => MONEY.has(word));
  if (first === 'transfer') return HANDED_TO.has(second);
  // An agent's notes to itself, a browser's page, a sum of numbers, and the end of its work.
  if (/^(todo write|write todos|update todos)$/.test(said.join(' '))) return true;
  if (said.includes('browser')) return true;
  if (first === 'add') return said.length === 1 || second === 'numbers';
  return first === 'submit' && (said.length === 1 || ENDS.has(second));
}

/** Whether a tool's name is among some. */
export type NameTest = (name: string) => boolean;

/** Names as people write them in configuration: exact, or with `*` for any characters, such as `delete_*`. */
export function namedBy(patterns: readonly string[]): NameTest {
  const escaped = patterns.map((pattern) => pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  const tests = escaped.map((pattern) => new RegExp(`^${pattern.replaceAll('*', '.*')}$`, 's'));
  return (name) => tests.some((test) => test.test(name));
}

const NOTES = words('think thinking thought thoughts sequentialthinking reflect reflection scratchpad todo todos');

/** A tool in which the agent only writes down what it thinks: it tells the agent nothing, and does nothing to the world. */
export function looksLikeNote(name: string): boolean {
  return wordsOf(name).some((word) => NOTES.has(word));
}

export function looksPolled(name: string): boolean {
  return wordsOf(name).some((word) => POLLED.has(word));
}

export function looksFinal(name: string): boolean {
  return wordsOf(name).some((word) => ENDS.has(word));
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}

/** `mcp__shop__getOrder` is `get order`: the words of the name without its namespace, in lower case. */
export function wordsOf(name: string): string[] {
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

const SEARCHES = words('search list browse query find recommend suggest');

/** Whether a tool returns what there is to choose from: `search_flights`, and not `find_user_by_email`. */
export function looksLikeSearch(name: string): boolean {
  const said = actionOf(name);
  return (
    said.some((word) => SEARCHES.has(word)) && effectOf(name, undefined) === 'reads' && !wordsOf(name).includes('by')
  );
}
