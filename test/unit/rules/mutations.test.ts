import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { get, getArray, isObject, type JsonObject } from '../../../src/core/json.ts';
import { availableTools, type Session, type Tool, type ToolStep } from '../../../src/core/session.ts';
import { toolsOf } from '../../../src/formats/tools.ts';
import { load } from '../../../src/input/load.ts';
import { nodeFileSystem } from '../../../src/input/node-file-system.ts';
import { createRuleView, type IndexedCall } from '../../../src/rules/rule-view.ts';
import { argumentsBreakSchema } from '../../../src/rules/structure/arguments-break-schema.ts';
import { argumentsNotJson } from '../../../src/rules/structure/arguments-not-json.ts';
import { brokenToolSchema } from '../../../src/rules/structure/broken-tool-schema.ts';
import { unknownTool } from '../../../src/rules/structure/unknown-tool.ts';
import { sharedData, sharedTraceFolders } from '../../support/shared-data.ts';

const RULES = [unknownTool, argumentsNotJson, argumentsBreakSchema, brokenToolSchema];
const REPOSITORY = join(import.meta.dirname, '..', '..', '..');

/** Rules and places of what is found in a session. */
function findingsIn(session: Session): string[] {
  const view = createRuleView(session);
  return RULES.flatMap((rule) =>
    rule.check(view, undefined).map(({ evidence }) => `${rule.id} ${evidence[0]?.pointer}`),
  );
}

/** A call of a tool of its catalogue whose arguments fit the schema. */
interface Original {
  readonly session: Session;
  readonly call: IndexedCall;
  readonly tool: Tool;
  readonly args: JsonObject;
}

function originalsIn(sessions: readonly Session[]): Original[] {
  return sessions.flatMap((session) => {
    const spoiltAlready = new Set(findingsIn(session).map((item) => item.split(' ')[1]));
    return createRuleView(session).calls.flatMap((call) => {
      const { tool, step } = call;
      return tool && isObject(tool.inputSchema) && isObject(step.arguments) && !spoiltAlready.has(step.pointer)
        ? { session, call, tool, args: step.arguments }
        : [];
    });
  });
}

/** The call alone in its turn, with something changed. */
function mutant({ session, call: { step, turn } }: Original, change: Partial<ToolStep>): Session {
  const one = session.turns[turn];
  if (!one) throw new Error('A call is in no turn.');
  const tools = availableTools(session, one);
  return { ...session, ...(tools && { tools }), turns: [{ ...one, steps: [{ ...step, ...change }] }] };
}

/** Every value that differs in one place from one that fits: with something missing, or of another type. */
function* spoilt(schema: unknown, value: unknown): Generator<{ kind: 'dropped' | 'retyped'; value: unknown }> {
  const other = ofOtherType(get(schema, 'type'), value);
  if (other !== undefined) yield { kind: 'retyped', value: other };
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) {
      for (const { kind, value: bad } of spoilt(get(schema, 'items'), item)) yield { kind, value: value.with(at, bad) };
    }
  } else if (isObject(value)) {
    for (const name of getArray(schema, 'required') ?? []) {
      const byDefault = get(get(get(schema, 'properties'), String(name)), 'default');
      if (typeof name !== 'string' || !Object.hasOwn(value, name) || byDefault !== undefined) continue;
      const { [name]: _, ...rest } = value;
      yield { kind: 'dropped', value: rest };
    }
    for (const [name, inner] of Object.entries(value)) {
      for (const { kind, value: bad } of spoilt(get(get(schema, 'properties'), name), inner)) {
        yield { kind, value: { ...value, [name]: bad } };
      }
    }
  }
}

function ofOtherType(type: unknown, value: unknown): unknown {
  if (typeof type !== 'string' || value === null) return undefined;
  return type.toLowerCase() === 'string' ? 42 : 'something else';
}

interface Tally {
  readonly originals: number;
  readonly mutants: Record<'renamed' | 'dropped' | 'retyped' | 'broken off', number>;
  /** What was not found, which there should be none of. */
  readonly survivors: readonly string[];
}

function mutate(originals: readonly Original[]): Tally {
  const mutants = { renamed: 0, dropped: 0, retyped: 0, 'broken off': 0 };
  const survivors: string[] = [];
  const expectFound = (kind: keyof typeof mutants, rule: string, original: Original, change: Partial<ToolStep>) => {
    mutants[kind] += 1;
    const { pointer } = original.call.step;
    if (findingsIn(mutant(original, change)).join() !== `${rule} ${pointer}`) {
      survivors.push(`${kind} ${original.session.source.file} ${pointer} ${JSON.stringify(change)}`);
    }
  };
  for (const original of originals) {
    const { tool, call, args } = original;
    expectFound('renamed', 'unknown-tool', original, { name: `${call.step.name}_renamed` });
    expectFound('broken off', 'arguments-not-json', original, { arguments: `${JSON.stringify(args).slice(0, -1)}, "` });
    for (const { kind, value } of spoilt(tool.inputSchema, args)) {
      if (isObject(value)) expectFound(kind, 'arguments-break-schema', original, { arguments: value });
    }
  }
  return { originals: originals.length, mutants, survivors };
}

async function sessionsOf(paths: readonly string[], tools?: readonly Tool[]): Promise<readonly Session[]> {
  const { sessions } = await load(paths, nodeFileSystem, {
    signal: new AbortController().signal,
    ...(tools && { tools }),
  });
  return sessions;
}

describe('calls with one injected error', () => {
  it('are all reported, and their originals are not, in the samples and in SDK output', async () => {
    const folders = ['samples', 'test/fixtures/sdk-generated'].map((folder) => sessionsOf([join(REPOSITORY, folder)]));
    const sessions = (await Promise.all(folders)).flat();
    // These are there to be found.
    expect(sessions.flatMap(findingsIn)).toEqual([
      'unknown-tool /messages/2/tool_calls/0',
      'arguments-break-schema /messages/6/tool_calls/0',
      'unknown-tool /data/7',
      'unknown-tool /resourceSpans/0/scopeSpans/0/spans/6/attributes/16/value',
      'unknown-tool /resourceSpans/0/scopeSpans/0/spans/34/attributes/3/value',
    ]);
    expect(mutate(originalsIn(sessions))).toEqual({
      originals: 23,
      mutants: { renamed: 23, dropped: 37, retyped: 38, 'broken off': 23 },
      survivors: [],
    });
  });

  const data = sharedData('.');
  // Runs where the labelled public data lie beside the repository.
  it.skipIf(!data)(
    'are all reported, and their originals are not, in the labelled public data',
    { timeout: 120_000 },
    async () => {
      const catalogue = await readFile(join(data ?? '', 'tau-bench/airline-tools.json'), 'utf8');
      const airline = await sessionsOf([join(data ?? '', 'tau-bench')], toolsOf(JSON.parse(catalogue)));
      expect(airline.flatMap(findingsIn)).toEqual([]);
      expect(mutate(originalsIn(airline))).toEqual({
        originals: 621,
        mutants: { renamed: 621, dropped: 2516, retyped: 2974, 'broken off': 621 },
        survivors: [],
      });

      const others = (await sessionsOf(sharedTraceFolders() ?? [])).filter(
        ({ source }) => !source.file.includes('/edge/'),
      );
      // An API's answer says that what is missing is wrong: "request invalid, data error. status_code=400".
      expect(others.flatMap(findingsIn).filter((item) => !item.startsWith('unknown-tool'))).toEqual([
        `arguments-break-schema /tree/tree${'/children/1/children/0/children/0'.repeat(2)}/children/0/children/0`,
      ]);
      expect(mutate(originalsIn(others))).toEqual({
        originals: 245,
        mutants: { renamed: 245, dropped: 446, retyped: 528, 'broken off': 245 },
        survivors: [],
      });
    },
  );
});
