import type { Problem } from '../core/problem.ts';
import type { Session, Turn, TurnReference } from '../core/session.ts';
import { listSome } from '../core/text/lists.ts';
import type { Expectation } from '../formats/format.ts';
import { stemOf } from '../formats/ids.ts';
import { folderOf } from './paths.ts';
import { ProblemsByFile } from './problems-by-file.ts';

/** An expectation with its file and format. */
export interface LocatedExpectation extends Expectation {
  readonly file: string;
  readonly format: string;
  /** The session that stands for the case if it has no run, with the values of its sidecar. */
  readonly session?: Session;
  /** Its file is beside the inputs and not one of them: a case without a run is not reported. */
  readonly isBeside?: true;
}

/**
 * Adds the references of evaluation cases to the sessions that are their runs. A case matches the sessions with its id,
 * else the session of a file with the same name (`x.evalset.json`, `x.session.json`), else sessions with the same user
 * texts. Cases without a match become sessions without recorded output if no case of their set has one.
 *
 * @returns the sessions in order, then those of cases without a run.
 */
export function pairExpectations(
  sessions: readonly Session[],
  expectations: readonly LocatedExpectation[],
): { readonly sessions: readonly Session[]; readonly problems: readonly Problem[] } {
  if (expectations.length === 0) return { sessions, problems: [] };
  const find = createMatcher(sessions, expectations);
  const problems = new ProblemsByFile();

  const matches = sessions.map(find);
  const runs = new Map<LocatedExpectation, number>();
  for (const match of matches) if (match) runs.set(match.expected, (runs.get(match.expected) ?? 0) + 1);

  const paired = sessions.map((session, index) => {
    const match = matches[index];
    if (!match) return session;
    const { expected, byText } = match;
    const caseProblems = problems.of(expected.file);
    if (byText) {
      caseProblems.warn(
        'paired-by-text',
        expected.pointer,
        `Case "${expected.id}" is compared with session "${session.id}" of ${session.source.file} because their user texts are equal; no id or file name matches.`,
      );
    }
    const turns = withReferences(session.turns, expected);
    if (turns.compared < turns.expected || turns.compared < turns.recorded) {
      caseProblems.warn(
        'turns-differ',
        expected.pointer,
        `Case "${expected.id}" expects ${turns.expected} turns and session "${session.id}" has ${turns.recorded}: ${turns.compared} are compared.`,
      );
    }
    // Several runs of one case are attempts of it.
    const task = session.task ?? ((runs.get(expected) ?? 0) > 1 ? { id: expected.id } : undefined);
    const paired = { ...session, ...(task && { task }), turns: turns.turns };
    if (expected.file === session.source.file) return paired;
    return {
      ...paired,
      expectedIn: expected.file,
      expectationFiles: [...(session.expectationFiles ?? []), expected.file],
    };
  });

  const sets = Map.groupBy(
    expectations.filter(({ isBeside }) => !isBeside),
    ({ file }) => file,
  );
  const unmatched = [...sets.values()].flatMap((cases) => {
    const open = cases.filter((expected) => !runs.has(expected));
    // A set with a run among the inputs is there to say what is expected of it.
    if (open.length < cases.length) warnUnpairedCases(open, cases.length, problems);
    else for (const { id, pointer, file } of open) problems.of(file).warn('unpaired-case', pointer, unpairedText(id));
    return open.length < cases.length ? [] : open;
  });
  return {
    sessions: [...paired, ...unmatched.map((expected) => expected.session ?? unrecordedSession(expected))],
    problems: problems.list(),
  };
}

/** The session that is the run of a case, by the id of the case. Of several, the first of those that match best. */
export function runsOfCases(
  sessions: readonly Session[],
  expectations: readonly LocatedExpectation[],
): ReadonlyMap<string, Session> {
  const find = createMatcher(sessions, expectations);
  const matches = sessions.flatMap((session) => {
    const match = find(session);
    return match ? [{ session, ...match }] : [];
  });
  const runs = new Map<string, Session>();
  for (const isByText of [false, true]) {
    for (const { session, expected, byText } of matches) {
      if (byText === isByText && !runs.has(expected.id)) runs.set(expected.id, session);
    }
  }
  return runs;
}

function unpairedText(id: string): string {
  return `No session for case "${id}": its run is not among the inputs. Add the file of its run.`;
}

/** Maximum number of cases that a warning names. */
const MAX_NAMED_CASES = 3;

/** One warning for all cases of a set that are not part of the run. */
function warnUnpairedCases(open: readonly LocatedExpectation[], count: number, problems: ProblemsByFile): void {
  const [first] = open;
  if (!first) return;
  const names = open.map(({ id }) => `"${id}"`);
  const message = `${open.length} of ${count} cases have no run among the inputs and are left out: ${listSome(names, MAX_NAMED_CASES)}.`;
  problems.of(first.file).warn('unpaired-case', first.pointer, message);
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
  const expectationsByName = Map.groupBy(expectations, ({ file }) => pathWithoutExtension(file));
  const sessionsByName = Map.groupBy(sessions, ({ source }) => pathWithoutExtension(source.file));

  return (session) => {
    const name = pathWithoutExtension(session.source.file);
    const text = userTextsKey(session.turns);
    const sameName = expectationsByName.get(name) ?? [];
    const isOnly = sameName.length === 1 && sessionsByName.get(name)?.length === 1;
    const certain =
      byNameAndId.get(compositeKey(name, session.id)) ??
      byId.get(session.id) ??
      (isOnly ? sameName[0] : byNameAndText.get(compositeKey(name, text)));
    if (certain) return { expected: certain, byText: false };
    const same = byText.get(text);
    return same && { expected: same, byText: true };
  };
}

/** The first expectation for each key; those with a null key are unmatched out. */
function indexFirst(expectations: readonly LocatedExpectation[], key: (expected: LocatedExpectation) => string | null) {
  const first = new Map<string | null, LocatedExpectation>();
  for (const expected of expectations) {
    const value = key(expected);
    if (value !== null && !first.has(value)) first.set(value, expected);
  }
  return first;
}

function compositeKey(name: string, part: string | null): string | null {
  return part === null ? null : JSON.stringify([name, part]);
}

function pathWithoutExtension(file: string): string {
  return folderOf(file) + stemOf(file);
}

/** The user's texts in order, as one key; null when there is none. */
function userTextsKey(turns: readonly { readonly input: string | null }[]): string | null {
  const texts = turns.flatMap(({ input }) => input?.trim() ?? []);
  return texts.length > 0 ? JSON.stringify(texts) : null;
}

/** Matches turns by position, without turns that no user message started, such as the agent's greeting. */
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

/** The trace's own values win. */
function mergeReference(own: TurnReference | undefined, expected: TurnReference): TurnReference {
  return { ...expected, ...own };
}

/** A session for a case without a run. */
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
