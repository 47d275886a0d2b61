import * as z from 'zod';
import { get } from '../core/json.ts';
import { childPointer } from '../core/pointer.ts';
import type { Pointer, Tool } from '../core/session.ts';
import { Problems } from '../formats/problems.ts';
import { toolsOf } from '../formats/tools.ts';
import { BINARY, decode } from './decode.ts';
import { TextLocator } from './locator.ts';
import { parseFile, toProblem } from './parse-file.ts';
import { type ParsedValue, parseLenient } from './parse-lenient.ts';

/** Values of `--context`, for traces without them. */
export interface SuppliedContext {
  readonly goal?: string;
  readonly system?: string;
  readonly knowledge?: readonly string[];
}

/** Parses a `--tools` file: a list of tools in the form of OpenAI, Anthropic, MCP or Turnwise, or an object with `tools`. */
export function parseTools(file: string, bytes: Uint8Array): ParsedValue<readonly Tool[]> {
  return readJson(file, bytes, (value) => {
    const problemList = new Problems(file);
    const inner = get(value, 'tools');
    const pointer = inner === undefined ? '' : '/tools';
    const entries = inner ?? value;
    const tools = Array.isArray(entries) ? readToolCatalogue(entries, pointer, problemList) : null;
    if (!tools) {
      problemList.error(
        'no-tools',
        pointer,
        'This is not a list of tools. Write a list of tools, or an object with "tools".',
      );
    }
    return { value: tools, problems: problemList.list() };
  });
}

/** Parses a `--context` file: JSON with `goal`, `system` (or `policy`) and `knowledge`; or the policy as Markdown or text. */
export function parseContext(file: string, bytes: Uint8Array): ParsedValue<SuppliedContext> {
  if (/\.(?:md|markdown|txt)$/i.test(file)) return parsePolicy(file, bytes);
  return readJson(file, bytes, (value) => {
    const { value: parsed, problems } = parseLenient(contextSchema, value, file);
    if (!parsed) return { value: null, problems };
    const { policy, knowledge, ...rest } = parsed;
    const texts = typeof knowledge === 'string' ? [knowledge] : knowledge;
    const system = rest.system ?? policy;
    return { value: { ...rest, ...(system && { system }), ...(texts && { knowledge: texts }) }, problems };
  });
}

const contextSchema = z.strictObject({
  goal: z.string().optional(),
  system: z.string().optional(),
  policy: z.string().optional(),
  knowledge: z.union([z.string(), z.array(z.string())]).optional(),
});

/** Reads tools of any known shape. Other entries are skipped with a warning each. */
export function readToolCatalogue(
  entries: readonly unknown[],
  pointer: Pointer,
  problemList: Problems,
): readonly Tool[] {
  return entries.flatMap((entry, index) => {
    const [tool] = toolsOf([entry]) ?? [];
    if (tool) return tool;
    const message = `Skipped tool ${index + 1}: it has no name. Add a "name".`;
    problemList.warn('tool-without-name', childPointer(pointer, index), message);
    return [];
  });
}

function parsePolicy(file: string, bytes: Uint8Array): ParsedValue<SuppliedContext> {
  const decoded = decode(bytes);
  if ('text' in decoded) return { value: { system: decoded.text }, problems: [] };
  return { value: null, problems: [toProblem(file, 'issue' in decoded ? decoded.issue : BINARY)] };
}

function readJson<Value>(
  file: string,
  bytes: Uint8Array,
  read: (value: unknown) => ParsedValue<Value>,
): ParsedValue<Value> {
  const { document, text, problems } = parseFile(file, bytes);
  if (!document) return { value: null, problems };
  const locator = new TextLocator();
  if (text !== null) locator.addText(document, text);
  const parsed = read(document.value);
  return { value: parsed.value, problems: locator.withLines([...problems, ...parsed.problems]) };
}
