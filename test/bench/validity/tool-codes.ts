import { readFileSync } from 'node:fs';
import type { Finding } from '../../../src/core/finding.ts';
import { get, getArray, getNumber } from '../../../src/core/json.ts';
import type { Pointer } from '../../../src/core/session.ts';
import { collectFindings } from '../../../src/rules/index.ts';
import { read } from './labelled-sessions.ts';
import { findingPointers } from './step-labels.ts';

/** What the codes of ToolBench say of a call. The others are results, answers and giving up. */
export const FAULTS: Readonly<Record<number, string>> = {
  1: 'no such function',
  5: 'timeout',
  11: 'error of the API',
  12: 'error of the API',
};

/** A tree of tried calls, with the code that ToolBench gave each. */
export interface CodedTree {
  readonly findings: readonly Finding[];
  /** By the pointer of the call's arguments. */
  readonly codes: ReadonlyMap<Pointer, number>;
}

export async function toolBenchTrees(): Promise<CodedTree[]> {
  return ((await read('toolbench')) ?? []).map((session) => {
    const codes = codesIn(JSON.parse(readFileSync(session.source.file, 'utf8')));
    return { findings: collectFindings(session), codes };
  });
}

function codesIn(document: unknown): Map<Pointer, number> {
  const codes = new Map<Pointer, number>();
  const waiting = [{ node: get(get(document, 'tree'), 'tree'), pointer: '/tree/tree' }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { node, pointer } = next;
    const code = getNumber(node, 'observation_code');
    if (get(node, 'node_type') === 'Action Input' && code !== undefined) codes.set(pointer, code);
    for (const [index, inner] of (getArray(node, 'children') ?? []).entries()) {
      waiting.push({ node: inner, pointer: `${pointer}/children/${index}` });
    }
  }
  return codes;
}

/** The codes of the calls that some findings name, each call once. */
export function codesNamed({ codes }: CodedTree, findings: readonly Finding[]): number[] {
  const calls = new Set(findings.flatMap(findingPointers).map((place) => callAt(place, codes)));
  return [...calls].flatMap((call) => (call === null ? [] : (codes.get(call) ?? [])));
}

/** A call is requested in one node and answered in its first child. */
function callAt(place: Pointer, codes: ReadonlyMap<Pointer, number>): Pointer | null {
  const node = place.replace(/\/(observation|description)$/, '');
  return [node, `${node}/children/0`].find((call) => codes.has(call)) ?? null;
}
