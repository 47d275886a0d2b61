/**
 * `node scripts/check-names.ts`: names that a stranger can search for. Fails on a word of the stop list in a file name or in an
 * exported identifier, and on two exported types with the same name.
 */
import { basename, join } from 'node:path';
import ts from 'typescript';
import { lineAt, parseFiles, type SourceText } from './source-files.ts';

export interface NameProblem {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/** Words that name no concept of the field: participles, clauses and private images. */
const STOP_WORDS: ReadonlySet<string> = new Set([
  ...['held', 'told', 'asked', 'wanted', 'said', 'given', 'gave', 'made', 'sought', 'kept', 'gone', 'seen', 'thrown'],
  ...['whoever', 'anybody', 'nobody', 'somebody', 'anew', 'again', 'alike', 'lately', 'besides', 'elsewhere'],
  ...['asker', 'answerer', 'teller', 'overhear', 'overhearing', 'hear', 'rehearsal', 'rehearse', 'whisper'],
  ...['deed', 'deeds', 'grounds', 'landing', 'misfit', 'mend', 'complaint', 'complaints', 'complain'],
  ...['edition', 'editions', 'wish', 'wishes', 'siblings', 'opener', 'remark', 'remarks', 'house', 'ours', 'anyone'],
  ...['unanswered', 'unspoken', 'judgement', 'judgements', 'judgment', 'fault', 'landed', 'wording'],
]);

/** Names that have a stop word and keep it, each with the reason. */
const ALLOWED_NAMES: Readonly<Record<string, string>> = {};

/** Names that several exported types share, each with the reason. */
const ALLOWED_DUPLICATES: Readonly<Record<string, string>> = {};

/** The words of `askedFor`, `AskedFor` and `asked-for`: `asked`, `for`. */
export function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1-$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1-$2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '');
}

/** Problems of file names and exported names. */
export function checkNames(files: readonly SourceText[]): NameProblem[] {
  const problems: NameProblem[] = [];
  const types = new Map<string, { file: string; line: number }[]>();
  for (const file of files) {
    const stopWord = stopWordIn(basename(file.path).replace(/\.[a-z.]+$/, ''));
    if (stopWord !== null) problems.push({ file: file.path, line: 1, message: `the file name has "${stopWord}"` });
    for (const { name, line, isType } of exportedNames(file)) {
      const word = stopWordIn(name);
      if (word !== null) problems.push({ file: file.path, line, message: `the exported name ${name} has "${word}"` });
      if (isType) types.set(name, [...(types.get(name) ?? []), { file: file.path, line }]);
    }
  }
  for (const [name, places] of types) {
    if (places.length < 2 || Object.hasOwn(ALLOWED_DUPLICATES, name)) continue;
    for (const { file, line } of places) {
      const others = places.filter((place) => place.file !== file).map((place) => place.file);
      problems.push({ file, line, message: `the type ${name} is also exported by ${others.join(', ')}` });
    }
  }
  return problems;
}

/** Unused entries of the allow lists. */
export function unusedAllowances(files: readonly SourceText[]): string[] {
  const names = new Set<string>();
  const counts = new Map<string, number>();
  for (const file of files) {
    names.add(basename(file.path).replace(/\.[a-z.]+$/, ''));
    for (const { name, isType } of exportedNames(file)) {
      names.add(name);
      if (isType) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return [
    ...Object.keys(ALLOWED_NAMES).filter((name) => !names.has(name)),
    ...Object.keys(ALLOWED_DUPLICATES).filter((name) => (counts.get(name) ?? 0) < 2),
  ];
}

function stopWordIn(name: string): string | null {
  if (Object.hasOwn(ALLOWED_NAMES, name)) return null;
  return wordsOf(name).find((word) => STOP_WORDS.has(word)) ?? null;
}

interface ExportedName {
  readonly name: string;
  readonly line: number;
  readonly isType: boolean;
}

/** Declarations that a file exports; what it re-exports belongs to another file. */
function exportedNames({ source, text }: SourceText): ExportedName[] {
  return source.statements.flatMap((statement): ExportedName[] => {
    if (!ts.canHaveModifiers(statement)) return [];
    if (!ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return [];
    const exported = (name: ts.Node | undefined, isType: boolean): ExportedName[] =>
      name && ts.isIdentifier(name) ? [{ name: name.text, line: lineAt(text, name.getStart()), isType }] : [];
    if (ts.isVariableStatement(statement)) {
      return statement.declarationList.declarations.flatMap(({ name }) => exported(name, false));
    }
    if (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement))
      return exported(statement.name, true);
    if (ts.isClassDeclaration(statement) || ts.isEnumDeclaration(statement)) return exported(statement.name, true);
    return ts.isFunctionDeclaration(statement) ? exported(statement.name, false) : [];
  });
}

if (import.meta.main) {
  const files = await parseFiles(join(import.meta.dirname, '..'), [
    'src/**/*.ts',
    'webview/**/*.{ts,tsx}',
    'scripts/**/*.{ts,mjs}',
  ]);
  const problems = checkNames(files);
  for (const { file, line, message } of problems) console.log(`${file}:${line}: ${message}`);
  const unused = unusedAllowances(files);
  if (unused.length > 0)
    console.log(`The allow list of scripts/check-names.ts has names that nothing uses: ${unused.join(', ')}`);
  if (problems.length + unused.length > 0) process.exitCode = 1;
}
