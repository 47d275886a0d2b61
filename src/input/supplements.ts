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

/** What `--context` gives to traces that carry none. */
export interface SuppliedContext {
  readonly goal?: string;
  readonly system?: string;
  readonly knowledge?: readonly string[];
}

/** A file of `--tools`: a list of tools as OpenAI, Anthropic, MCP or Turnwise write them, or an object with `tools`. */
export function parseTools(file: string, bytes: Uint8Array): ParsedValue<readonly Tool[]> {
  return readJson(file, bytes, (value) => {
    const told = new Problems(file);
    const inner = get(value, 'tools');
    const pointer = inner === undefined ? '' : '/tools';
    const entries = inner ?? value;
    const tools = Array.isArray(entries) ? readToolCatalogue(entries, pointer, told) : null;
    if (!tools) {
      told.error('no-tools', pointer, 'This is no list of tools. Write a list of tools, or an object with "tools".');
    }
    return { value: tools, problems: told.list() };
  });
}

/** A file of `--context`: JSON with `goal`, `system` (or `policy`) and `knowledge`; or Markdown or text, the policy. */
export function parseContext(file: string, bytes: Uint8Array): ParsedValue<SuppliedContext> {
  if (/\.(?:md|markdown|txt)$/i.test(file)) return parsePolicy(file, bytes);
  return readJson(file, bytes, (value) => {
    const { value: found, problems } = parseLenient(contextSchema, value, file);
    if (!found) return { value: null, problems };
    const { policy, knowledge, ...rest } = found;
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

/** Tools of any known shape. Entries that are none are left out with a warning each. */
export function readToolCatalogue(entries: readonly unknown[], pointer: Pointer, told: Problems): readonly Tool[] {
  return entries.flatMap((entry, index) => {
    const [tool] = toolsOf([entry]) ?? [];
    if (tool) return tool;
    const message = `Entry ${index + 1} of the tools has no name and is left out. Give it a "name".`;
    told.warn('tool-without-name', childPointer(pointer, index), message);
    return [];
  });
}

function parsePolicy(file: string, bytes: Uint8Array): ParsedValue<SuppliedContext> {
  const decoded = decode(bytes);
  if ('text' in decoded) return { value: { system: decoded.text }, problems: [] };
  return { value: null, problems: [toProblem(file, 'complaint' in decoded ? decoded.complaint : BINARY)] };
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
  const found = read(document.value);
  return { value: found.value, problems: locator.withLines([...problems, ...found.problems]) };
}
