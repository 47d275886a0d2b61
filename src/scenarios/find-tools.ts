/** Where a tool is defined in a text, in UTF-16 units. */
export interface ToolPlace {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

const WORD = /[\p{L}_$][\p{L}\p{N}_$]*(?:[-.][\p{L}_$][\p{L}\p{N}_$]*)*/gu;

/**
 * Finds where tools are defined in code or data of any language, by their names: `def cancel_order(`, `name: 'cancel_order'`,
 * `cancel_order: (args) =>`. The clearest place of each counts; a mere mention is none. Linear in the length of the text.
 *
 * @param isScenarioFile there, `name` names a scenario or an expected call, and mocks are keys.
 */
export function findTools(text: string, names: Iterable<string>, isScenarioFile: boolean): readonly ToolPlace[] {
  const wanted = new Set(names);
  const definitions = isScenarioFile ? [isKey] : [isFunction, isNamed, isConstant, isKey];
  const best = new Map<string, ToolPlace & { readonly rank: number }>();
  for (const { 0: name, index: start } of text.matchAll(WORD)) {
    if (!wanted.has(name)) continue;
    const end = start + name.length;
    const rank = definitions.findIndex((isDefinition) => isDefinition(text, start, end));
    const other = best.get(name);
    if (rank >= 0 && (!other || rank < other.rank)) best.set(name, { name, start, end, rank });
  }
  return Array.from(best.values(), ({ name, start, end }) => ({ name, start, end })).sort((a, b) => a.start - b.start);
}

/** How far before and after a name its context is read, in UTF-16 units. */
const CONTEXT = 40;

type Definition = (text: string, start: number, end: number) => boolean;

const textBefore = (text: string, start: number) => text.slice(Math.max(0, start - CONTEXT), start);
const textAfter = (text: string, end: number) => text.slice(end, end + CONTEXT);

/** `function f(`, `def f(`, `fn f(`, `func f(`. */
const isFunction: Definition = (text, start) =>
  /\b(?:function|def|fn|func|fun)[ \t]{1,4}$/.test(textBefore(text, start));

/** `name: 'f'`, `"name": "f"`, `name="f"`. */
const isNamed: Definition = (text, start) => /\bname["']?[ \t]{0,4}[:=][ \t]{0,4}["'`]?$/.test(textBefore(text, start));

const isConstant: Definition = (text, start) => /\b(?:const|let|var|val)[ \t]{1,4}$/.test(textBefore(text, start));

/** `f: (args) =>`, `'f': …`, `async f(args) {`. */
const isKey: Definition = (text, start, end) => {
  const after = textAfter(text, end);
  if (/^["'`]?[ \t]{0,4}:(?!:)/.test(after)) return true;
  return /^[ \t]{0,4}\(/.test(after) && /(?:^|[\n{,])[ \t]{0,30}(?:async[ \t]{1,4})?$/.test(textBefore(text, start));
};
