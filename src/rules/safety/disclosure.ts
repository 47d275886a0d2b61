import type { Pointer, Session } from '../../core/session.ts';
import type { FindingLevel } from '../../core/severity.ts';
import { joinWithAnd, limitList } from '../../core/text/lists.ts';
import type { PatternMatch } from '../../core/text-pattern.ts';
import type { RuleFinding } from '../rule.ts';
import type { RuleView } from '../rule-view.ts';
import { stringsIn } from '../shared/json-strings.ts';
import { codeSpan, turnLabel } from '../shared/message-format.ts';
import { nameWords } from '../shared/tool-effect.ts';

/** For how many values the origin is searched in the whole session. */
const MAX_VALUES = 20;
const MAX_LISTED = 3;
/** How many characters of a value a message may repeat. */
const MAX_SHOWN_CHARACTERS = 4;

/** The first words of tools that create keys, passwords or cards on request. */
const CREATION_VERBS: ReadonlySet<string> = new Set([
  'create',
  'generate',
  'issue',
  'provision',
  'regenerate',
  'reset',
  'rotate',
]);

/** A sensitive value that an answer is the first to show, and that no user had given. */
interface Disclosure extends ShownValue {
  /** Where the agent got it from; null if the trace does not show it. */
  readonly origin: ValueOrigin | null;
}

interface ValueOrigin {
  /** ``returned by `get_user` in turn 2``. */
  readonly description: string;
  /** Returned by a tool that creates such values, so it was probably made for the user. */
  readonly isCreated: boolean;
  readonly turn: number;
  readonly pointer?: Pointer;
}

interface ShownValue {
  readonly turn: number;
  /** Of the answer. */
  readonly pointer: Pointer;
  readonly kind: string;
  readonly value: string;
  /** The normalized value, so that "4929 1234" and "4929-1234" are equal. */
  readonly normalized: string;
}

/**
 * Creates findings for the first answers that show values no user had given: one per turn and severity. Messages
 * repeat only the first characters of a value.
 */
export function disclosureFindings(
  view: RuleView,
  find: (answer: string) => readonly PatternMatch[],
  severityOf: (disclosure: Disclosure) => FindingLevel,
): RuleFinding[] {
  const values = firstShownValues(view.session, find);
  if (values.length === 0) return [];
  const groups = Map.groupBy(
    withoutUserKnown(view, values),
    (disclosure) => `${disclosure.turn} ${severityOf(disclosure)}`,
  );
  return [...groups.values()].flatMap(([first, ...others]) =>
    first ? toFinding(view, [first, ...others], severityOf(first)) : [],
  );
}

/**
 * The text after "The answer shows": ``a GitHub token (`ghp_…`, 40 characters, returned by `read_file` in turn 1)``.
 */
function describeDisclosure({ kind, value, origin }: Disclosure): string {
  const article = /^(?:[AEIO]|npm)/.test(kind) ? 'an' : 'a';
  const from = origin ? `, ${origin.description}` : '';
  return `${article} ${kind} (${codeSpan(`${value.slice(0, Math.min(MAX_SHOWN_CHARACTERS, value.length >> 2))}…`)}, ${value.length} characters${from})`;
}

function toFinding(
  view: RuleView,
  disclosures: readonly [Disclosure, ...Disclosure[]],
  severity: FindingLevel,
): RuleFinding {
  const [{ turn, pointer }] = disclosures;
  const origins = new Set(disclosures.flatMap(({ origin }) => origin ?? []));
  const unknown = origins.size === 0 ? ' Nothing in the trace tells where it came from.' : '';
  return {
    turn,
    severity,
    message: `The answer shows ${joinWithAnd(limitList(disclosures, MAX_LISTED, describeDisclosure))}.${unknown}`,
    evidence: [
      view.evidence(turn, pointer, 'the answer that shows it'),
      ...[...origins].flatMap((origin) =>
        origin.pointer === undefined ? [] : view.evidence(origin.turn, origin.pointer, 'the source of the value'),
      ),
    ],
  };
}

function firstShownValues({ turns }: Session, find: (answer: string) => readonly PatternMatch[]): ShownValue[] {
  const values = new Map<string, ShownValue>();
  for (const [turn, { output, outputPointer, pointer }] of turns.entries()) {
    if (output === null) continue;
    for (const { kind, start, end } of find(output)) {
      const value = output.slice(start, end);
      const normalized = lettersAndDigits(value);
      if (!values.has(normalized))
        values.set(normalized, { turn, pointer: outputPointer ?? pointer, kind, value, normalized });
      if (values.size === MAX_VALUES) return [...values.values()];
    }
  }
  return [...values.values()];
}

/** Removes values that a user had given, and finds the origin of the others, in one pass over the session. */
function withoutUserKnown(view: RuleView, values: readonly ShownValue[]): Disclosure[] {
  const givenByUser = new Set<ShownValue>();
  const origins = new Map<ShownValue, ValueOrigin>();
  for (const { turn, content, origin } of priorContents(view)) {
    for (const text of stringsIn(content)) {
      const normalized = lettersAndDigits(text);
      for (const value of values) {
        if (turn > value.turn || !normalized.includes(value.normalized)) continue;
        if (!origin) givenByUser.add(value);
        else if (!origins.has(value)) origins.set(value, origin);
      }
    }
  }
  return values
    .filter((value) => !givenByUser.has(value))
    .map((value) => ({ ...value, origin: origins.get(value) ?? null }));
}

/** Content that the agent had seen before an answer; `origin` is null for content from the user. */
interface PriorContent {
  readonly turn: number;
  readonly content: unknown;
  readonly origin: ValueOrigin | null;
}

function* priorContents({ session }: RuleView): Generator<PriorContent> {
  yield { turn: 0, content: session.goal, origin: null };
  const instructions = { description: 'which stands in its instructions', isCreated: false, turn: 0 };
  yield { turn: 0, content: [session.system, session.knowledge], origin: instructions };
  for (const [turn, { input, steps }] of session.turns.entries()) {
    yield { turn, content: input, origin: null };
    for (const step of steps) {
      if (step.type === 'tool') {
        const content = [step.result, step.error];
        const pointer = step.resultPointer ?? step.pointer;
        const made = CREATION_VERBS.has(nameWords(step.name)[0] ?? '');
        const text = `returned by ${codeSpan(step.name)} in ${turnLabel(turn)}`;
        yield {
          turn,
          content,
          origin: step.requestedBy === 'user' ? null : { description: text, isCreated: made, turn, pointer },
        };
      } else if (step.type === 'retrieval') {
        const text = `read in a document in ${turnLabel(turn)}`;
        yield {
          turn,
          content: step.documents,
          origin: { description: text, isCreated: false, turn, pointer: step.pointer },
        };
      }
    }
  }
}

function lettersAndDigits(text: string): string {
  // Line breaks in JSON inside a text are escaped.
  return text.replace(/(?:\\[nrt]|[^A-Za-z0-9])+/g, '').toLowerCase();
}
