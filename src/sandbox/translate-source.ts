import { stripTypeScriptTypes } from 'node:module';
import { extname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compileFunction } from 'node:vm';
import { errorMessage } from '../core/error-message.ts';
import { get } from '../core/json.ts';
import { codeTokens, findDecorator, moduleNames, removeUnusedImports } from './module-syntax.ts';
import { SourceError, UnsupportedSyntaxError } from './source-errors.ts';

/** A module as Node can run it. */
export interface TranslatedSource {
  readonly format: 'module' | 'commonjs';
  readonly code: string;
}

export function isTypeScript(file: string): boolean {
  return /\.[cm]?tsx?$/.test(file);
}

/**
 * Makes JavaScript of a module of the user, with what belongs to CommonJS in each. Lines stay, or are those of a source map.
 *
 * @throws SourceError or UnsupportedSyntaxError
 */
export function translateSource(file: string, text: string): TranslatedSource {
  const source = text.replace(/^\uFEFF/, '').replace(/^#!/, '//');
  const code = isTypeScript(file) ? removeUnusedImports(removeTypes(file, source)) : source;
  const decorator = code.includes('@') ? findDecorator(codeTokens(code)) : null;
  if (decorator !== null) throw new UnsupportedSyntaxError('a decorator', file, locationOf(file, code, decorator));
  return isCommonJs(file, code) ? { format: 'commonjs', code } : { format: 'module', code: withNames(code) };
}

/** What is wrong in code that Node refused without saying where. */
export function findSyntaxError(file: string, source: string): SourceError | null {
  try {
    stripTypeScriptTypes(source);
    return null;
  } catch (error) {
    const found = sourceError(file, error);
    return found instanceof SourceError ? found : null;
  }
}

function removeTypes(file: string, source: string): string {
  const sourceUrl = pathToFileURL(file).href;
  try {
    return stripTypeScriptTypes(source, { sourceUrl });
  } catch (error) {
    if (get(error, 'code') !== 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') throw sourceError(file, error);
    return transformTypes(file, source, error);
  }
}

/** What is not types only, such as an enum, becomes other lines. Some versions of Node cannot do that. */
function transformTypes(file: string, source: string, unsupported: unknown): string {
  try {
    const code = stripTypeScriptTypes(source, {
      mode: 'transform',
      sourceMap: true,
      sourceUrl: pathToFileURL(file).href,
    });
    process.setSourceMapsEnabled(true);
    return code;
  } catch (error) {
    if (get(error, 'code') !== 'ERR_INVALID_ARG_VALUE') throw sourceError(file, error);
    const what = `code that Node.js ${process.versions.node} does not run (${firstLine(errorMessage(unsupported))})`;
    throw new UnsupportedSyntaxError(what, file, locationInStack(file, unsupported));
  }
}

function sourceError(file: string, error: unknown): unknown {
  if (get(error, 'code') === 'ERR_NO_TYPESCRIPT') {
    return new UnsupportedSyntaxError(`types, and this Node.js ${process.versions.node} has no TypeScript`, file, null);
  }
  const location = locationInStack(file, error);
  return location ? new SourceError(firstLine(errorMessage(error)), location) : error;
}

/** Before the error's name, Node writes `FILE:LINE`, the code up to that line, and a caret below. */
function locationInStack(file: string, error: unknown) {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const match = /^.*:(\d+)\n(?:.*\n)*?( *)\^+\n/.exec(stack);
  return match && { file, line: Number(match[1]), column: (match[2]?.length ?? 0) + 1 };
}

function locationOf(file: string, code: string, offset: number) {
  const before = code.slice(0, offset).split('\n');
  return { file, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0] ?? '';
}

/** What can be compiled as CommonJS is, whatever its package says: such a file exports nothing as a module. */
function isCommonJs(file: string, code: string): boolean {
  if (extname(file).startsWith('.m')) return false;
  try {
    compileFunction(code, ['exports', 'require', 'module', '__filename', '__dirname']);
    return true;
  } catch {
    return false;
  }
}

/** What modules written for a compiler expect, beside what Node gives them. */
const NAMES = {
  __filename: 'import.meta.filename',
  __dirname: 'import.meta.dirname',
  require: 'process.getBuiltinModule("node:module").createRequire(import.meta.url)',
};

/** Declares names in the first line where a module uses them, and does not declare them itself. */
function withNames(code: string): string {
  const mentioned = Object.entries(NAMES).filter(([name]) => code.includes(name));
  const { used, declared } = moduleNames(mentioned.length > 0 ? code : '');
  const declarations = mentioned
    .filter(([name]) => used.has(name) && !declared.has(name))
    .map(([name, value]) => `const ${name} = ${value};`);
  if (code.includes('import.meta.env')) declarations.push('import.meta.env ??= process.env;');
  return declarations.join(' ') + code;
}
