/**
 * `node scripts/check-prose.ts`: plain English in everything that people read. Fails on a phrase of the list in a string, a
 * comment, a test title or a page of the documentation. `--count` prints how many there are by folder.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { glob } from 'tinyglobby';
import ts from 'typescript';
import { lineAt, parseFiles, type SourceText } from './source-files.ts';

export interface ProseProblem {
  readonly file: string;
  /** One-based. */
  readonly line: number;
  readonly phrase: string;
  /** What to write in its place. */
  readonly hint: string;
}

/** Regular expressions of phrases that plain technical English does without, with what to write in their place. */
const PHRASES: Readonly<Record<string, string>> = {
  'who(?:m|so)?ever': 'name the person or the program',
  'none is asked': '"no judge is configured"',
  'is asked of': '"asks for"',
  'leave to': '"consent to", "confirmation"',
  'mend(?:s|ed|ing)?': '"fix"',
  anew: '"again"',
  'that much as': 'say how much',
  'what (?:it|they) (?:came|comes|come) back with': '"its result"',
};

/** Phrases that only comments in the code may have. */
const PHRASES_OUTSIDE_COMMENTS: Readonly<Record<string, string>> = {
  'of which': 'a new sentence, or "whose"',
  'of whom': 'a new sentence, or "whose"',
  'held(?! (?:out|against))(?!-)': '"stored", "contains"',
};

const ALL_PHRASES: Readonly<Record<string, string>> = { ...PHRASES, ...PHRASES_OUTSIDE_COMMENTS };

function patternOf(phrases: Readonly<Record<string, string>>): RegExp {
  return new RegExp(`(?<![\\w-])(?:${Object.keys(phrases).join('|')})(?![\\w])`, 'giu');
}

const IN_TEXTS = patternOf(ALL_PHRASES);
const IN_COMMENTS = patternOf(PHRASES);

/** Pages and manifests beside the source code. */
const PAGES = ['docs/**/*.md', '*.md', 'package.nls.json'];

/**
 * Texts that stay as they are, each with the reason. Answers of judges are cached under a hash of the prompt, so a changed word
 * in a prompt would make every cached answer useless.
 */
const EXEMPT: readonly { readonly path: RegExp; readonly strings: 'all' | 'sent'; readonly reason: string }[] = [
  { path: /^src\/judge\/prompting\//, strings: 'all', reason: 'prompts: headings and labels are sent to the judge' },
  { path: /^src\/(metrics|engine|judge)\//, strings: 'sent', reason: 'prompts: questions are sent to the judge' },
  { path: /^src\/rules\//, strings: 'sent', reason: 'messages of findings are sent to the judge' },
];

/** Properties and calls whose texts are sent to a judge. */
const SENT_PROPERTIES: ReadonlySet<string> = new Set(['instructions', 'message', 'note']);
const SENT_CONSTANT = /^[A-Z_]*(?:INSTRUCTIONS|NOTE|REASON|CRITERIA)[A-Z_]*$/;

/** Phrases of the list in a text. @param offset of the text in its file. */
function findPhrases(file: string, whole: string, text: string, offset: number, pattern = IN_TEXTS): ProseProblem[] {
  return [...text.matchAll(pattern)].map((match) => ({
    file,
    line: lineAt(whole, offset + match.index),
    phrase: match[0],
    hint: hintFor(match[0]),
  }));
}

function hintFor(phrase: string): string {
  const entry = Object.entries(ALL_PHRASES).find(([pattern]) => new RegExp(`^(?:${pattern})$`, 'iu').test(phrase));
  return entry?.[1] ?? '';
}

/** Phrases of the list in strings, JSX texts and comments of source code. */
export function checkSource({ path, text, source }: SourceText): ProseProblem[] {
  const problems: ProseProblem[] = [];
  const exemption = EXEMPT.find((entry) => entry.path.test(path));
  const isTest = path.startsWith('test/');
  const visit = (node: ts.Node): void => {
    if (isText(node) && !isImport(node)) {
      const isExempt = exemption?.strings === 'all' || (exemption?.strings === 'sent' && isSent(node, path));
      if (!isExempt && (!isTest || isTestTitle(node))) {
        problems.push(...findPhrases(path, text, node.getText(source), node.getStart(source)));
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  for (const { pos, end } of commentsOf(source, text))
    problems.push(...findPhrases(path, text, text.slice(pos, end), pos, IN_COMMENTS));
  return problems.sort((a, b) => a.line - b.line);
}

/** Phrases of the list in a page; code in it is left out. */
export function checkPage(path: string, text: string): ProseProblem[] {
  const prose = text.replace(/```[\s\S]*?```|`[^`\n]*`/g, (code) => code.replace(/[^\n]/g, ' '));
  return findPhrases(path, text, prose, 0);
}

function isText(node: ts.Node): boolean {
  return (
    ts.isStringLiteralLike(node) ||
    ts.isTemplateHead(node) ||
    ts.isTemplateMiddleOrTemplateTail(node) ||
    ts.isJsxText(node)
  );
}

function isImport({ parent }: ts.Node): boolean {
  return (
    ts.isImportDeclaration(parent) ||
    ts.isExportDeclaration(parent) ||
    (ts.isCallExpression(parent) && parent.expression.kind === ts.SyntaxKind.ImportKeyword)
  );
}

function isSent(node: ts.Node, path: string): boolean {
  for (let at: ts.Node | undefined = node; at; at = at.parent) {
    if (ts.isPropertyAssignment(at) && ts.isIdentifier(at.name)) {
      if (SENT_PROPERTIES.has(at.name.text)) return true;
      // Rules put the reason of a finding into its message.
      if (at.name.text === 'reason' && path.startsWith('src/rules/')) return true;
    }
    if (ts.isVariableDeclaration(at) && ts.isIdentifier(at.name) && SENT_CONSTANT.test(at.name.text)) return true;
    if (!ts.isCallExpression(at) || !ts.isPropertyAccessExpression(at.expression)) continue;
    if (at.expression.name.text === 'describe') return true;
  }
  return false;
}

const TITLED: ReadonlySet<string> = new Set(['describe', 'it', 'test', 'suite']);

/** Whether a string is the title of a test or of a group of tests. */
function isTestTitle(node: ts.Node): boolean {
  const literal = ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node) ? node.parent : node;
  const call = literal.parent;
  if (!ts.isCallExpression(call) || call.arguments[0] !== literal) return false;
  let callee: ts.Node = call.expression;
  while (ts.isCallExpression(callee) || ts.isPropertyAccessExpression(callee)) callee = callee.expression;
  return ts.isIdentifier(callee) && TITLED.has(callee.text);
}

function commentsOf(source: ts.SourceFile, text: string): ts.CommentRange[] {
  const comments = new Map<number, ts.CommentRange>();
  const visit = (node: ts.Node): void => {
    if (ts.isJsxText(node)) return;
    for (const range of ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []) comments.set(range.pos, range);
    for (const range of ts.getTrailingCommentRanges(text, node.getEnd()) ?? []) comments.set(range.pos, range);
    for (const child of node.getChildren(source)) if (child.kind !== ts.SyntaxKind.JSDoc) visit(child);
  };
  visit(source);
  return [...comments.values()];
}

/** Every problem of the repository. */
export async function checkProse(root: string): Promise<ProseProblem[]> {
  const files = await parseFiles(root, [
    '{src,webview,scripts,test}/**/*.{ts,tsx,mjs}',
    '*.{mjs,cjs,ts}',
    '!scripts/check-prose.ts',
    '!scripts/check-names.ts',
    '!test/unit/scripts/check-prose.test.ts',
    '!test/fixtures',
    '!**/node_modules/**',
  ]);
  const pages = (await glob(PAGES, { cwd: root })).sort();
  const ofPages = pages.map(async (path) => checkPage(path, await readFile(join(root, path), 'utf8')));
  return [...files.flatMap(checkSource), ...(await Promise.all(ofPages)).flat()];
}

if (import.meta.main) {
  const [folder = ''] = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
  const problems = (await checkProse(join(import.meta.dirname, '..'))).filter(({ file }) => file.startsWith(folder));
  if (process.argv.includes('--count')) {
    const counts = Map.groupBy(problems, ({ file }) => file.split('/').slice(0, 3).join('/'));
    for (const [name, { length }] of [...counts].sort(([, a], [, b]) => b.length - a.length))
      console.log(`${length} ${name}`);
  } else {
    for (const { file, line, phrase, hint } of problems) console.log(`${file}:${line}: "${phrase}": write ${hint}`);
  }
  if (problems.length > 0) process.exitCode = 1;
}
