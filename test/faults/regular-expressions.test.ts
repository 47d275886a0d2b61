import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { superlinearText } from '../support/regex-growth.ts';
import { composedRegexes, type SourceRegex, sourceRegexes } from '../support/source-regexes.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** Expressions that may take quadratic time on a text that they never see. */
const EXCEPTIONS: ReadonlyMap<string, string> = new Map([
  [
    /'([^'\\]*(?:\\.[^'\\]*)*)'|"([^"\\]*(?:\\.[^"\\]*)*)"/.source,
    'formats/spans/python-literal.ts: sticky, and reading stops where a text has no end',
  ],
]);

/** Files that compose expressions when they are called, and why those are linear. */
const COMPOSED_PER_CALL: Readonly<Record<string, string>> = {
  'src/config/key-locations.ts': 'an escaped key',
  'src/formats/mapped/task-mapper.ts': 'patterns of the user: see taskPatternProblem',
  'src/formats/mapped/task-pattern.ts': 'only tries whether a pattern compiles',
  'src/llm/server-error.ts': 'an escaped key',
  'src/metrics/shared/verdict-label.ts': 'an escaped key, and a value of bounded length',
  'src/report-model/transcript/citation-finder.ts': 'escaped words with blanks between them',
  'src/report-model/turn-search.ts': 'an escaped text',
  'src/rules/structure/schema-reader.ts': 'only tries whether a pattern compiles; see isBoundedPattern',
};

const { literals, composing } = sourceRegexes('src', 'webview');
/** Forms are matched only behind their prefixes, as `tokens.ts` composes them. */
const complete = literals.filter(({ location }) => !location.startsWith('src/core/secrets/token-forms.ts'));

function slow(regexes: readonly SourceRegex[]): string[] {
  const unique = new Map(regexes.map((entry) => [String(entry.regex), entry]));
  return [...unique.values()].flatMap(({ location, regex }) => {
    if (EXCEPTIONS.has(regex.source)) return [];
    const text = superlinearText(regex);
    return text === null ? [] : [`${location} ${regex}: ${text}`];
  });
}

describe('no regular expression takes more than linear time', () => {
  it('as a literal in the code', { timeout: 600_000 }, () => {
    expect(complete.length).toBeGreaterThan(500);
    expect(slow(complete)).toEqual([]);
  });

  it('composed of parts', { timeout: 600_000 }, async () => {
    const constant = composing.filter((file) => file.startsWith('src/') && COMPOSED_PER_CALL[file] === undefined);
    const composed = await composedRegexes(async () => {
      for (const file of constant) await import(pathToFileURL(join(ROOT, file)).href);
    });
    const files = new Set(composed.map(({ location }) => location));
    expect(constant.filter((file) => !files.has(file))).toEqual([]);
    expect(slow(composed)).toEqual([]);
  });

  it.each([
    /\s+$/,
    /^\s*(?:a)?\s*b/,
    /^(a+)+$/,
    /^(?:(?:bye|goodbye|good ?bye)\b[\W_]*)+$/i,
    /<a>[\s\S]*?<\/a>/,
    /\bI will\b.*\bcall\b/i,
    /\d(?=\d*y)/,
    /^(.+) \((a|-> ?(.+))\)$/,
    /a(?:b|c)*?d[^e]*e/g,
    /\p{Lu}+\p{L}*!/u,
    /\d+,/y,
  ])('is found where there is one: %s', (regex) => {
    expect(superlinearText(regex)).not.toBeNull();
  });

  it.each([
    /^\s*(?:a\s*)?b/,
    /"[^"]*"/g,
    /(?:\w{1,30} ){0,2}x/,
    /\?[^\w?]*$/,
    /^(?:a|b|cd)+$/,
    /\b(?:one|two)\b[^.]{0,80}\bthree\b/i,
    /(?<=a\s{0,9})b/,
  ])('is not reported where there is none: %s', (regex) => {
    expect(superlinearText(regex)).toBeNull();
  });
});

it('keeps every exception that it lists in use', () => {
  const sources = new Set(literals.map(({ regex }) => regex.source));
  expect([...EXCEPTIONS.keys()].filter((source) => !sources.has(source))).toEqual([]);
  expect(Object.keys(COMPOSED_PER_CALL).filter((file) => !composing.includes(file))).toEqual([]);
});
