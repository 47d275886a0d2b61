import type { Finding } from '../../core/finding.ts';
import type { Evidence } from '../../core/result.ts';
import { findSecrets as knownSecretsIn } from '../../core/secrets.ts';
import type { Session, Turn } from '../../core/session.ts';
import type { Question } from '../question.ts';
import { boundaryOf } from './boundary.ts';
import { citing } from './citing.ts';
import { findingPassages, ROOM_FOR_FINDINGS } from './finding-passages.ts';
import { groundsOf } from './grounds.ts';
import { HISTORY_TURNS, historyBefore, historyScale } from './history.ts';
import { pageOf } from './page.ts';
import { type Facts, questionsWriter, ROOM_FOR_QUESTIONS } from './questions-part.ts';
import { recently } from './recently.ts';
import { sessionDigest } from './session-digest.ts';
import { sessionPassages } from './session-passages.ts';
import { systemPrompt } from './system-prompt.ts';
import { type SecretsIn, showing } from './trace-text.ts';
import { everyPassage, turnPassages } from './turn-passages.ts';
import { turnDigest, turnHeading, turnInFull } from './turn-rendering.ts';

/** What an answer can name. */
export interface Shown {
  /** Of passages; empty where the prompt shows none, and those that are known from elsewhere can be cited. */
  readonly ids: readonly string[];
  /** Of the turn's tool calls, in order. */
  readonly calls: readonly string[];
}

/** A prompt without the schema of its answer. */
export interface PromptText {
  /** Identical for all prompts of a session. */
  readonly system: string;
  /** The longest lived first: session, history, turn, questions. Parts with nothing to show are left out. */
  readonly parts: readonly string[];
  readonly known: Shown;
  /** The places in the trace that ids stand for; unknown ids are left out. */
  cite(ids: readonly string[]): Evidence[];
}

/** The prompts about one session: functions of it, of the key and of what is asked. */
export interface SessionPrompts {
  /** @throws RangeError when there is no such turn. */
  turn(index: number, questions: readonly Question[], facts: Facts): PromptText;
  session(questions: readonly Question[], facts: Facts): PromptText;
  /**
   * Shows the facts and nothing of the trace.
   *
   * @param turn what the facts are about, so that the same ids and calls are known as in its own prompt.
   */
  facts(questions: readonly Question[], facts: Facts, turn?: number): PromptText;
}

export interface PromptingOptions {
  /** Of this installation; what the marker between passages is drawn with. */
  readonly boundaryKey: Uint8Array;
  /** Whether secrets are taken out. */
  readonly redact: boolean;
  /** What rules proved of the session: facts. */
  readonly findings?: readonly Finding[];
  /** What takes the place of the built-in table of them. */
  readonly secretsIn?: SecretsIn;
}

/** No prompt is longer, in characters: about 17,000 tokens of English. */
export const LONGEST_PROMPT = 68_000;

/** As many turns are kept as are usually under way at once. */
const TURNS_KEPT = 64;

export function sessionPrompts(session: Session, options: PromptingOptions): SessionPrompts {
  // Made when the first question comes: nothing is asked about many sessions.
  const made = once(() => promptsOf(session, options));
  return {
    turn: (index, questions, facts) => made().turn(index, questions, facts),
    session: (questions, facts) => made().session(questions, facts),
    facts: (questions, facts, turn) => made().facts(questions, facts, turn),
  };
}

/** What all prompts about a turn or about the session share, whatever is asked. */
interface Subject {
  /** All parts but the questions. */
  readonly parts: readonly string[];
  readonly known: Shown;
}

function promptsOf(
  session: Session,
  { boundaryKey, redact, findings = [], secretsIn = knownSecretsIn }: PromptingOptions,
): SessionPrompts {
  const boundary = boundaryOf(session, boundaryKey);
  const show = showing(redact ? secretsIn : null);
  const page = pageOf(boundary, show);
  const system = systemPrompt(boundary);
  const shared = sessionPassages(session, show);
  const prefix =
    shared.length === 0 ? '' : page.part(page.heading('The session'), ...shared.map((one) => page.passage(one)));
  const proven = findingPassages(findings);
  const roomForFindings = findings.length === 0 ? 0 : ROOM_FOR_FINDINGS;
  const room = LONGEST_PROMPT - system.length - prefix.length - roomForFindings - ROOM_FOR_QUESTIONS;

  const scale = historyScale(room);

  const passagesOf = recently(
    (index: number) => turnPassages(session, turnAt(session, index), index, show),
    TURNS_KEPT,
  );
  const digestOf = recently((index: number) => turnDigest(passagesOf(index), page, scale), TURNS_KEPT);
  const grounds = once(() => groundsOf(session, (index) => everyPassage(passagesOf(index)), HISTORY_TURNS));
  const cite = citing(session, shared, passagesOf, proven);
  const questions = questionsWriter(boundary, page, show);

  const subject = (parts: readonly string[], ids: readonly string[], calls: readonly string[] = []): Subject => ({
    parts: [prefix, ...parts].filter((part) => part !== ''),
    known: { ids: [...new Set([...shared.map(({ id }) => id), ...ids])], calls },
  });
  const ofTurn = recently((index: number): Subject => {
    const passages = passagesOf(index);
    const history = historyBefore(index, digestOf, grounds(), page, scale);
    const turn = turnInFull(passages, page, room - history.text.length, grounds().within(index));
    const found = proven.ofTurn(index, page);
    const heading = page.heading(`${turnHeading(session.turns[index], index)}, which is asked about`);
    const ids = [...history.ids, ...turn.ids, ...found.ids];
    return subject([history.text, page.part(heading, turn.text, found.text)], ids, turn.calls);
  }, TURNS_KEPT);
  const ofSession = once((): Subject => {
    const { text, ids } = sessionDigest(session, passagesOf, page, show, room);
    const found = proven.ofSession(page);
    return subject([page.part(text, found.text)], [...ids, ...found.ids]);
  });
  const noSubject: Shown = { ids: [], calls: [] };

  const prompt = ({ parts, known }: Subject, last: string): PromptText => ({
    system,
    parts: [...parts, last],
    known,
    cite,
  });
  return {
    turn: (index, asked, facts) => prompt(ofTurn(index), questions(`about turn ${index + 1}`, asked, facts)),
    session: (asked, facts) => prompt(ofSession(), questions('about the session as a whole', asked, facts)),
    facts: (asked, facts, turn) => {
      const known = turn === undefined ? noSubject : ofTurn(turn).known;
      return prompt({ parts: [], known }, questions('about the facts above', asked, facts));
    },
  };
}

function turnAt({ turns }: Session, index: number): Turn {
  const turn = turns[index];
  if (!turn) throw new RangeError(`The session has no turn ${index}.`);
  return turn;
}

/** Makes a value when it is first asked for. */
function once<Value extends object>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
