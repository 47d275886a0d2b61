import * as z from 'zod/mini';
import { sessionSchema } from '../core/schemas/session.ts';
import { sessionOutcomeSchema } from '../core/schemas/session-outcome.ts';
import type { Pointer, Session, Turn } from '../core/session.ts';
import type { SessionOutcome } from '../core/session-outcome.ts';

const rangeSchema = z.object({ line: z.number(), column: z.number(), endLine: z.number(), endColumn: z.number() });

export type QueuedRange = z.infer<typeof rangeSchema>;

/** Where the values of a session stand, by file and pointer: its files are on another machine. */
export type SessionRanges = ReadonlyMap<string, ReadonlyMap<Pointer, QueuedRange>>;

export interface QueuedSession {
  readonly session: Session;
  readonly ranges: SessionRanges;
}

const contentSchema = z.object({
  session: sessionSchema,
  ranges: z.record(z.string(), z.record(z.string(), rangeSchema)),
});

export function encodeSession({ session, ranges }: QueuedSession): string {
  const byFile = Object.fromEntries(Array.from(ranges, ([file, ofFile]) => [file, Object.fromEntries(ofFile)]));
  return JSON.stringify({ session, ranges: byFile });
}

/** @throws ZodError for a row that another program wrote */
export function decodeSession(text: string): QueuedSession {
  const { session, ranges } = parseAs(contentSchema, text);
  const byFile = Object.entries(ranges).map(([file, ofFile]) => [file, new Map(Object.entries(ofFile))] as const);
  return { session, ranges: new Map(byFile) };
}

/** What a worker found about a session. */
export interface QueuedOutcome {
  readonly outcome: SessionOutcome;
  /** The versions that its judges reported, by `provider/model`. */
  readonly versions: Readonly<Record<string, readonly string[]>>;
}

const outcomeSchema = z.object({
  outcome: sessionOutcomeSchema,
  versions: z.record(z.string(), z.array(z.string())),
});

export function encodeOutcome(outcome: QueuedOutcome): string {
  return JSON.stringify(outcome);
}

/** @throws ZodError for a row that another program wrote */
export function decodeOutcome(text: string): QueuedOutcome {
  return parseAs(outcomeSchema, text);
}

/** The value itself and not its copy by the schema: reports show the keys in the order in which they were computed. */
function parseAs<Schema extends z.core.$ZodType>(schema: Schema, text: string): z.output<Schema> {
  const value: unknown = JSON.parse(text);
  assertValid(schema, value);
  return value;
}

function assertValid<Schema extends z.core.$ZodType>(
  schema: Schema,
  value: unknown,
): asserts value is z.output<Schema> {
  z.parse(schema, value);
}

/** Visits all pointers that a session has, with the file that each is in. */
export function visitPointers(session: Session, add: (file: string, pointer: Pointer) => void): void {
  const { source, goalPointer, systemPointer, knowledgePointer, finalStatePointer, outcome, ending } = session;
  const addAll = (file: string, ...pointers: readonly (Pointer | undefined)[]) => {
    for (const pointer of pointers) if (pointer !== undefined) add(file, pointer);
  };
  addAll(source.file, source.pointer, goalPointer, systemPointer, knowledgePointer, finalStatePointer);
  addAll(source.file, outcome?.pointer, ending?.pointer);
  const addTurns = (turns: readonly Turn[], sessionFile: string) => {
    for (const turn of turns) {
      const file = turn.file ?? sessionFile;
      addAll(file, turn.pointer, turn.inputPointer, turn.outputPointer);
      for (const step of turn.steps) {
        addAll(file, step.pointer, step.type === 'tool' ? step.resultPointer : undefined);
        if (step.type === 'agent') addTurns(step.turns, file);
      }
    }
  };
  addTurns(session.turns, source.file);
}

/** The ranges of a session's own pointers, of all that were found in its files. */
export function rangesOf(session: Session, found: SessionRanges): SessionRanges {
  const own = new Map<string, Map<Pointer, QueuedRange>>();
  visitPointers(session, (file, pointer) => {
    const range = found.get(file)?.get(pointer);
    if (!range) return;
    const { line, column, endLine, endColumn } = range;
    const ofFile = own.get(file) ?? new Map<Pointer, QueuedRange>();
    own.set(file, ofFile.set(pointer, { line, column, endLine, endColumn }));
  });
  return own;
}

/** Finds values by their own range, else by that of the nearest value around them that a session points to. */
export function lookUpRange(ranges: SessionRanges, file: string, pointer: Pointer): QueuedRange | null {
  const ofFile = ranges.get(file);
  for (let around = pointer; ofFile; around = around.slice(0, around.lastIndexOf('/'))) {
    const range = ofFile.get(around);
    if (range) return range;
    if (around === '') return null;
  }
  return null;
}
