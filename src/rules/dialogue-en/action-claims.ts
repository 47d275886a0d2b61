import {
  ACTION_KINDS,
  type ActionKind,
  COMPLETION,
  GENERIC_VERBS,
  HANDOVER,
  HANDOVER_IN_PROGRESS,
  HANDOVER_OBJECT,
  HYPOTHETICAL,
  LETTER,
  NO_PROMISE,
  OTHER_OCCASION,
  OWN_CLAIM,
  OWN_PROMISE,
  PASSIVE_CLAIM,
  POSSIBLE_CLAIM,
  POSSIBLE_PROMISE,
  PROMISE_CONDITION,
  RECORD_NOUNS,
  SUCCESS_PHRASE,
  TEXT_NOUNS,
  UNAMBIGUOUS_PARTICIPLES,
} from './action-phrases.ts';

/** Longer texts are not sentences. */
const MAX_SENTENCE_LENGTH = 500;

/** The sentences of an answer that state facts: no questions, conditions, offers or plans. */
export function factualSentences(answer: string): string[] {
  return answer
    .split(/(?<=[.!?])\s+|\n/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '' && sentence.length <= MAX_SENTENCE_LENGTH && !HYPOTHETICAL.test(sentence));
}

/**
 * Finds the first sentence of an answer that says something was done.
 *
 * @param isMeant whether the reporting words, such as `has been cancelled`, are about the expected action
 * @returns null if there is none
 */
export function findSuccessClaim(answer: string, isMeant: (phrase: string) => boolean = () => true): string | null {
  const isSaid = (sentence: string) => [...sentence.matchAll(SUCCESS_PHRASE)].some(([deed]) => isMeant(deed));
  return factualSentences(answer).find(isSaid) ?? null;
}

/** Whether words such as `has been cancelled` report the action of a tool, given the words of its name. */
export function describesAction(phrase: string, toolWords: readonly string[]): boolean {
  if (/\ball set$/i.test(phrase)) return false;
  const [verb = ''] = toolWords;
  const beginning = verb.replace(/[ey]$/, '');
  const kinds = actionKindsOf(toolWords);
  return lowercaseWords(phrase).some(
    (word) =>
      kinds.some(({ participles, nouns }) => participles.has(word) || nouns.has(word)) ||
      (beginning.length > 3 && word.startsWith(beginning) && word.endsWith('ed')),
  );
}

/** The kinds of action in a tool's name: `delete_mail` deletes but sends nothing; `create_refund` refunds. */
export function actionKindsOf(toolWords: readonly string[]): readonly ActionKind[] {
  const [verb, ...rest] = toolWords.slice(toolWords.findIndex((word) => isVerb(word)));
  if (verb === undefined) return [];
  const besides = GENERIC_VERBS.has(verb) || rest.includes('and') ? rest : [];
  return ACTION_KINDS.filter(
    (kind) => kind.verbs.has(verb) || besides.some((word) => kind.verbs.has(word) || kind.nouns.has(word)),
  );
}

function isVerb(word: string): boolean {
  return GENERIC_VERBS.has(word) || ACTION_KINDS.some(({ verbs }) => verbs.has(word));
}

/** Whether words such as `has been processed` report any completed action. */
export function describesCompletion(phrase: string): boolean {
  return lowercaseWords(phrase).some((word) => COMPLETION.has(word));
}

/** A sentence that claims, in the first person or the passive, that an action was done. */
export interface ActionClaim {
  readonly sentence: string;
  readonly kind: ActionKind;
  /** The word that names the action: `cancelled`. */
  readonly word: string;
  /** The agent claims it in the first person. */
  readonly isFirstPerson: boolean;
}

/** A cheap test that excludes nearly all answers. */
export function mayClaimAction(answer: string): boolean {
  return POSSIBLE_CLAIM.test(answer);
}

/** Finds claims of actions done in this session that name the object of the action. */
export function findActionClaims(answer: string): ActionClaim[] {
  if (LETTER.test(answer)) return [];
  return factualSentences(answer).flatMap((sentence) => {
    if (OTHER_OCCASION.test(sentence)) return [];
    const [, did, object = ''] = OWN_CLAIM.exec(sentence) ?? [];
    const word = (did ?? PASSIVE_CLAIM.exec(sentence)?.[1])?.toLowerCase();
    if (word === undefined || (did !== undefined && !UNAMBIGUOUS_PARTICIPLES.has(word) && !isRecord(object))) return [];
    const kind = ACTION_KINDS.find(({ participles }) => participles.has(word));
    return kind ? [{ sentence, kind, word, isFirstPerson: did !== undefined }] : [];
  });
}

function isRecord(object: string): boolean {
  return RECORD_NOUNS.test(object) && !TEXT_NOUNS.test(object);
}

/** A sentence that announces that an action is about to be done. */
export interface ActionPromise {
  readonly sentence: string;
  readonly kind: ActionKind;
  /** The agent hands the conversation over. */
  readonly isHandover: boolean;
}

/** Finds what the agent announces to do next, without conditions or questions. */
export function findActionPromises(answer: string): ActionPromise[] {
  if (!POSSIBLE_PROMISE.test(answer) || LETTER.test(answer)) return [];
  return answer.split(/(?<=[.!?])\s+|\n/).flatMap((part) => {
    const sentence = part.trim();
    if (sentence === '' || sentence.length > MAX_SENTENCE_LENGTH) return [];
    const handover = HANDOVER_IN_PROGRESS.exec(sentence);
    const promise = handover ?? OWN_PROMISE.exec(sentence);
    if (!promise || PROMISE_CONDITION.test(sentence) || NO_PROMISE.test(sentence.slice(0, promise.index))) return [];
    if (handover) return [{ sentence, kind: HANDOVER, isHandover: true }];
    const [, verb = '', object = ''] = promise;
    const kind = ACTION_KINDS.find(({ verbs }) => verbs.has(verb.toLowerCase()));
    const isHandover = kind === HANDOVER;
    return kind && (isHandover ? HANDOVER_OBJECT : RECORD_NOUNS).test(object) && !TEXT_NOUNS.test(object)
      ? [{ sentence, kind, isHandover }]
      : [];
  });
}

/** The words of a text in lower case, without digits. */
export function lowercaseWords(text: string): string[] {
  return text.toLowerCase().match(/[a-z]+/g) ?? [];
}
