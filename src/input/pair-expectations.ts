import type { Problem } from '../core/problem.ts';
import type { Session, Turn, TurnReference } from '../core/session.ts';
import type { Expectation } from '../formats/format.ts';
import { stemOf } from '../formats/ids.ts';
import { folderOf } from './paths.ts';
import { ProblemsByFile } from './problems-by-file.ts';

/** An expectation with where it was read. */
export interface LocatedExpectation extends Expectation {
  readonly file: string;
  readonly format: string;
  /** What the case is where no session belongs to it, with what its sidecar says. */
  readonly session?: Session;
}

/**
 * Gives sessions the references of the evaluation cases that they are runs of. A case belongs to the sessions with its
 * id, else to the one of a file of the same name (`x.evalset.json`, `x.session.json`), else to those with the same user
 * texts. A case that no session belongs to becomes a session itself, of which nothing was recorded.
 *
 * @returns the sessions in their order, then those of the cases that are left.
 */
export function pairExpectations(
  sessions: readonly Session[],
  expectations: readonly LocatedExpectation[],
): { readonly sessions: readonly Session[]; readonly problems: readonly Problem[] } {
  if (expectations.length === 0) return { sessions, problems: [] };
  const find = createMatcher(sessions, expectations);
  const problems = new ProblemsByFile();
  const met = new Set<LocatedExpectation>();

  const paired = sessions.map((session) => {
    const match = find(session);
    if (!match) return session;
    const { expected, byText } = match;
    met.add(expected);
    const told = problems.of(expected.file);
    if (byText) {
      told.warn(
        'paired-by-text',
        expected.pointer,
        `Case "${expected.id}" is compared with session "${session.id}" of ${session.source.file} because the user says the same: neither an id nor a file name says so.`,
      );
    }
    const turns = withReferences(session.turns, expected);
    if (turns.compared < turns.expected || turns.compared < turns.recorded) {
      told.warn(
        'turns-differ',
        expected.pointer,
        `Case "${expected.id}" expects ${turns.expected} turns and session "${session.id}" has ${turns.recorded}: ${turns.compared} are compared.`,
      );
    }
    const elsewhere = expected.file === session.source.file ? {} : { expectedIn: expected.file };
    return { ...session, ...elsewhere, turns: turns.turns };
  });

  const left = expectations.filter((expected) => !met.has(expected));
  for (const { id, pointer, file } of left) {
    const message = `Case "${id}" has no session: it was expected, and no run of it is among the inputs. Add the file of its run.`;
    problems.of(file).warn('unpaired-case', pointer, message);
  }
  return {
    sessions: [...paired, ...left.map((expected) => expected.session ?? unrecordedSession(expected))],
    problems: problems.list(),
  };
}

interface ExpectationMatch {
  readonly expected: LocatedExpectation;
  readonly byText: boolean;
}

function createMatcher(
  sessions: readonly Session[],
  expectations: readonly LocatedExpectation[],
): (session: Session) => ExpectationMatch | undefined {
  const byId = indexFirst(expectations, ({ id }) => id);
  const byText = indexFirst(expectations, ({ turns }) => userTextsKey(turns));
  const byNameAndId = indexFirst(expectations, ({ id, file }) => compositeKey(pathWithoutExtension(file), id));
  const byNameAndText = indexFirst(expectations, ({ turns, file }) =>
    compositeKey(pathWithoutExtension(file), userTextsKey(turns)),
  );
  const ofName = Map.groupBy(expectations, ({ file }) => pathWithoutExtension(file));
  const sessionsOfName = Map.groupBy(sessions, ({ source }) => pathWithoutExtension(source.file));

  return (session) => {
    const name = pathWithoutExtension(session.source.file);
    const text = userTextsKey(session.turns);
    const namesakes = ofName.get(name) ?? [];
    const alone = namesakes.length === 1 && sessionsOfName.get(name)?.length === 1;
    const sure =
      byNameAndId.get(compositeKey(name, session.id)) ??
      byId.get(session.id) ??
      (alone ? namesakes[0] : byNameAndText.get(compositeKey(name, text)));
    if (sure) return { expected: sure, byText: false };
    const same = byText.get(text);
    return same && { expected: same, byText: true };
  };
}

/** By a key, the first that has it; null is no key. */
function indexFirst(expectations: readonly LocatedExpectation[], key: (expected: LocatedExpectation) => string | null) {
  const found = new Map<string | null, LocatedExpectation>();
  for (const expected of expectations) {
    const value = key(expected);
    if (value !== null && !found.has(value)) found.set(value, expected);
  }
  return found;
}

function compositeKey(name: string, part: string | null): string | null {
  return part === null ? null : JSON.stringify([name, part]);
}

function pathWithoutExtension(file: string): string {
  return folderOf(file) + stemOf(file);
}

/** What the user says in order, as one key; null when nothing is known of it. */
function userTextsKey(turns: readonly { readonly input: string | null }[]): string | null {
  const texts = turns.flatMap(({ input }) => input?.trim() ?? []);
  return texts.length > 0 ? JSON.stringify(texts) : null;
}

/** By position among the turns that a user began: an agent's greeting is none of the case's turns. */
function withReferences(turns: readonly Turn[], { turns: expected }: Expectation) {
  let position = 0;
  const merged = turns.map((turn) => {
    if (turn.input === null) return turn;
    const reference = expected[position]?.reference;
    position += 1;
    return reference ? { ...turn, reference: mergeReference(turn.reference, reference) } : turn;
  });
  return {
    turns: merged,
    recorded: position,
    expected: expected.length,
    compared: Math.min(position, expected.length),
  };
}

/** What the trace says of itself comes first. */
function mergeReference(own: TurnReference | undefined, expected: TurnReference): TurnReference {
  return { ...expected, ...own };
}

/** A case of which nothing was recorded. */
export function unrecordedSession({ id, pointer, turns, file, format }: LocatedExpectation): Session {
  return {
    id,
    source: { file, format, pointer },
    metadata: { unpaired: true },
    turns: turns.map((turn, index) => ({
      id: `t${index + 1}`,
      pointer: turn.pointer,
      input: turn.input,
      output: null,
      captured: false,
      steps: [],
      reference: turn.reference,
    })),
  };
}
