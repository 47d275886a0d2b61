import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Document } from '../../../src/core/document.ts';
import { isObject } from '../../../src/core/json.ts';
import { pointerTokens } from '../../../src/core/pointer.ts';
import type { Session, ToolStep, Turn } from '../../../src/core/session.ts';
import { agentToolCalls } from '../../../src/core/session.ts';
import { readInspectAi } from '../../../src/formats/benchmarks/inspect-ai.ts';
import { readTauBench } from '../../../src/formats/benchmarks/tau-bench.ts';
import { readTau2Bench } from '../../../src/formats/benchmarks/tau2-bench.ts';
import { readToolBench } from '../../../src/formats/benchmarks/toolbench.ts';
import { readTrail } from '../../../src/formats/benchmarks/trail.ts';
import { readWhoAndWhen } from '../../../src/formats/benchmarks/who-and-when.ts';
import type { Format, ReadResult } from '../../../src/formats/format.ts';
import { detect } from '../../../src/formats/index.ts';

const FIXTURES = join(import.meta.dirname, '..', '..', 'fixtures', 'formats');

export function fixture(name: string): Document {
  return documentAt(join(FIXTURES, name), name);
}

/** A file as the reader of files hands it over: JSON, or one value per line. */
export function documentAt(path: string, file = basename(path)): Document {
  const text = readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  const whole = parsed(text);
  if (whole !== undefined) return { file, value: whole, lines: false };
  return { file, value: text.split(/\r?\n/).map(parsed), lines: true };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function json(value: unknown, file = 'some.json'): Document {
  return { file, value, lines: false };
}

export function jsonLines(values: readonly unknown[], file = 'some.jsonl'): Document {
  return { file, value: values, lines: true };
}

/** Reads a document as the format that it is detected as. */
export function read(document: Document): ReadResult {
  const detection = detect(document);
  if (!detection) throw new Error(`No format fits ${document.file}.`);
  return readAs(detection.format, document);
}

/** The readers that formats load on demand, so that a test can read without waiting. */
const READERS: ReadonlyMap<string, (document: Document) => ReadResult> = new Map([
  ['inspect-ai', readInspectAi],
  ['tau-bench', readTauBench],
  ['tau2-bench', readTau2Bench],
  ['toolbench', readToolBench],
  ['trail', readTrail],
  ['who-and-when', readWhoAndWhen],
]);

/** Reads a document as a given format. */
export function readAs(format: Format, document: Document): ReadResult {
  const result = (READERS.get(format.name) ?? format.read)(document);
  if (result instanceof Promise) throw new Error(`The reader of ${format.name} is loaded on demand.`);
  return result;
}

export function onlySession(reading: ReadResult): Session {
  const [session] = reading.sessions;
  if (!session || reading.sessions.length !== 1) throw new Error(`There are ${reading.sessions.length} sessions.`);
  return session;
}

export function turnAt(session: Session | undefined, index: number): Turn {
  const turn = session?.turns[index];
  if (!turn) throw new Error(`There is no turn ${index}.`);
  return turn;
}

export function callAt(turn: Turn, index: number): ToolStep {
  const call = agentToolCalls(turn)[index];
  if (!call) throw new Error(`There is no call ${index}.`);
  return call;
}

export function codes(reading: ReadResult): string[] {
  return reading.problems.map(({ severity, code }) => `${severity} ${code}`);
}

/** What a pointer leads to; throws where it leads nowhere. */
export function resolve(document: unknown, pointer: string): unknown {
  let value = document;
  for (const token of pointerTokens(pointer)) {
    const inside = Array.isArray(value) ? Object.hasOwn(value, token) : isObject(value) && Object.hasOwn(value, token);
    if (!inside) throw new Error(`${pointer} leads nowhere.`);
    value = Reflect.get(Object(value), token);
  }
  return value;
}

/** Every pointer that a reading carries. */
export function pointersOf(reading: ReadResult): string[] {
  const pointers: string[] = reading.problems.flatMap(({ pointer }) => pointer ?? []);
  for (const session of reading.sessions) {
    pointers.push(session.source.pointer);
    if (session.outcome?.pointer !== undefined) pointers.push(session.outcome.pointer);
    for (const turn of session.turns) collect(turn, pointers);
  }
  for (const expectation of reading.expectations ?? []) {
    pointers.push(expectation.pointer, ...expectation.turns.map(({ pointer }) => pointer));
  }
  return pointers;
}

function collect(turn: Turn, pointers: string[]): void {
  for (const pointer of [turn.pointer, turn.inputPointer, turn.outputPointer])
    if (pointer !== undefined) pointers.push(pointer);
  for (const step of turn.steps) {
    pointers.push(step.pointer);
    if (step.type === 'tool' && step.resultPointer !== undefined) pointers.push(step.resultPointer);
    if (step.type === 'agent') for (const inner of step.turns) collect(inner, pointers);
  }
}
