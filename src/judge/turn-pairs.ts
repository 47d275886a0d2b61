import { setImmediate as nextTick } from 'node:timers/promises';
import { get, type JsonObject } from '../core/json.ts';
import type { ChatClient, ModelCall, ModelReply, RecalledCall } from '../llm/chat-client.ts';
import type { MissingAnswer } from '../llm/model-error.ts';
import type { AnswerSchemas } from './answer-schemas.ts';
import { extractObject } from './parse-answer.ts';
import type { SessionPrompts } from './prompting/session-prompts.ts';
import { allQuestions, type Question, type QuestionPair } from './question.ts';

/** A call about one turn, which may be asked together with the same call about the turn beside it. */
export interface TurnCall<C extends ModelCall> {
  /** Zero-based. */
  readonly turn: number;
  readonly questions: readonly Question[];
  readonly sample: number;
  build(): C;
}

/**
 * Asks about two turns in one call: the first and the second of a session, the third and the fourth, and so on. That is done
 * where some of what is asked about both in the same tick is the same, and both fit into a prompt; else each is asked about
 * alone. Answers are cached for each turn, so that it does not matter later which turns were asked about together. Never rejects.
 */
export interface TurnPairs {
  complete<C extends ModelCall>(call: TurnCall<C>): Promise<ModelReply<C> | MissingAnswer>;
}

export interface TurnPairsContext {
  /** Of the session, for the log. */
  readonly title: string;
  readonly prompts: SessionPrompts;
  readonly client: Pick<ChatClient, 'complete' | 'recall'>;
  readonly schemas: AnswerSchemas;
}

type Recalled = RecalledCall<ModelCall> | MissingAnswer;

/** A turn that is being asked about, until it is known whether together with another. */
interface AskedTurn extends Omit<TurnCall<ModelCall>, 'build'> {
  readonly recalled: Promise<Recalled>;
  /** The call about both turns. */
  shared: Promise<ModelReply<ModelCall> | MissingAnswer> | null;
}

/** The keys of an answer about two turns, in their order. */
const SIDES = ['first', 'second'] as const;

export function createTurnPairs({ title, prompts, client, schemas }: TurnPairsContext): TurnPairs {
  const undecided = new Set<AskedTurn>();

  const findPartner = ({ turn, questions, sample }: AskedTurn): AskedTurn | undefined =>
    [...undecided].find(
      (other) =>
        other.turn === partnerOf(turn) &&
        other.sample === sample &&
        other.questions.some((question) => questions.includes(question)),
    );
  const askAboutBoth = (one: AskedTurn, other: AskedTurn): AskedTurn['shared'] => {
    const [first, second] = one.turn < other.turn ? [one, other] : [other, one];
    const pair = prompts.pair(first.turn);
    if (pair === null) return null;
    const batches: QuestionPair = [first.questions, second.questions];
    const build = () => ({
      name: `${title}, turns ${first.turn + 1} and ${second.turn + 1}: ${names(allQuestions(batches))}`,
      prompt: pair.prompt(batches),
      schema: schemas.ofPair(batches),
      exactSchema: () => schemas.exactOfPair(batches, pair.citable),
    });
    return client.complete(build, one.sample);
  };
  /** The call that the turn shares with the one beside it; null: none. */
  const share = async (own: AskedTurn, recalled: Recalled): Promise<AskedTurn['shared']> => {
    const partner = findPartner(own);
    if (
      partner &&
      isOpen(recalled) &&
      isOpen(await partner.recalled) &&
      own.shared === null &&
      partner.shared === null
    ) {
      own.shared = askAboutBoth(own, partner);
      partner.shared = own.shared;
    }
    undecided.delete(own);
    return own.shared;
  };

  return {
    async complete({ build, ...asked }) {
      const looking = client.recall(build, asked.sample);
      // By the next tick, the turn beside it is asked about as well.
      const own: AskedTurn = {
        ...asked,
        recalled: Promise.all([looking, nextTick()]).then(([found]) => found),
        shared: null,
      };
      undecided.add(own);
      await own.recalled;
      const recalled = await looking;
      const shared = await share(own, recalled);
      if (recalled.status !== 'recalled') return recalled;
      if (recalled.reply) return recalled.reply;
      if (shared === null) return client.complete(build, asked.sample);
      if (shared.status !== 'replied') return shared;
      // What is too long together may be short enough alone, and what is refused may be the other one.
      if (shared.finish !== 'stop') return client.complete(build, asked.sample);
      const side = SIDES[asked.turn % 2] ?? 'first';
      return shared.partFor(recalled.call, asked.sample, textOf(shared.text, side));
    },
  };
}

/** The turn that a turn can be asked about with. */
function partnerOf(turn: number): number {
  return turn % 2 === 0 ? turn + 1 : turn - 1;
}

function isOpen(recalled: Recalled): boolean {
  return recalled.status === 'recalled' && recalled.reply === null;
}

function names(questions: readonly Question[]): string {
  return questions.map(({ name }) => name).join(', ');
}

/** The part of an answer about one of both turns, as text; the whole text if it has no parts. */
function textOf(text: string, side: (typeof SIDES)[number]): string {
  const object: JsonObject | null = extractObject(text, SIDES);
  return object === null ? text : JSON.stringify(get(object, side) ?? {});
}
