/** English words in names of tools. */

export const READ_VERBS = wordSet(
  'get list search find read fetch lookup look query describe show view retrieve check calculate calculator compute ' +
    'count think validate verify compare inspect browse grep glob preview estimate recommend suggest summarize ' +
    'translate convert access test',
);

export const CHANGE_VERBS = wordSet(
  'create add insert update edit modify set change delete remove cancel refund return exchange book rebook reserve buy ' +
    'purchase pay charge place send post put patch write move rename submit apply approve reject issue transfer ' +
    'assign reassign close archive publish upload deploy start stop restart kill grant revoke enable disable activate ' +
    'deactivate subscribe unsubscribe register schedule reschedule upgrade downgrade reset resend redeem withdraw deposit ' +
    'erase destroy purge terminate install uninstall suspend resume block unblock renew checkout sell donate toggle ' +
    'void',
);

/** As the first word of a name, they make it a question: `can_send_mms`, `is_order_paid`. */
export const QUESTION_WORDS = wordSet('can could is are was has does did should');

/** Verbs of change only as the first word of a name: `order_pizza`, but not `track_order`. */
export const CHANGES_WHEN_FIRST = wordSet('order mark wire trade');

/** Words of change that are just as often nouns: `get_exchange_rate`, `search_post`, `place_details`. */
export const ALSO_NOUNS = wordSet(
  'return exchange place post patch issue transfer schedule charge book refund purchase deposit archive register ' +
    'upgrade block checkout void order mark wire trade',
);

/** Nouns for information about an object, not for an action on it. */
export const DESCRIPTION_NOUNS = wordSet(
  'details detail status info information rate rates history policy policies summary price prices options ' +
    'availability rules times hours id number tracking tracker tool agent service api management manager assistant',
);

/** Light verbs, which leave the action to a noun: `process_refund`, `execute_trade`. */
export const LIGHT_VERBS = wordSet(
  'issue create make process submit execute perform initiate start place apply approve request trigger schedule register ' +
    'give grant send post do',
);

/** The action that a noun at the end of a name stands for. */
export const VERB_BY_NOUN: ReadonlyMap<string, string> = new Map(
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
export const ESCALATION_OBJECTS = wordSet('case ticket issue incident request order');

/** The words after these name the object, not the action: `tracking_for_pack_send`. */
export const PREPOSITIONS = wordSet('for of by from via using with');

export const CONJUNCTIONS = wordSet('and or then');

/** What a conversation can be handed over to. */
export const HANDOVER_TARGETS = wordSet(
  'human humans agent agents representative operator supervisor specialist support team department call chat conversation',
);

export const MONEY_NOUNS = wordSet('money funds account savings wallet bank balance card amount payment');

/** Names of things that change by themselves, so that tools are called again while waiting. */
export const POLLING_WORDS = wordSet(
  'status state poll wait await progress ping health heartbeat queue inbox notifications latest current now time random',
);

/** Names of tools with which an agent ends its work or hands it over instead of answering. */
export const FINAL_STEP_WORDS = wordSet(
  'transfer handoff handover escalate finish submit final done end complete exit respond reply answer',
);

export const NOTE_WORDS = wordSet(
  'think thinking thought thoughts sequentialthinking reflect reflection scratchpad todo todos',
);

/** The words of a list that is separated by spaces. */
export function wordSet(list: string): ReadonlySet<string> {
  return new Set(list.split(' ').filter((word) => word !== ''));
}

export const SEARCH_VERBS = wordSet('search list browse query find recommend suggest');
