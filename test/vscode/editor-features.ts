import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import * as vscode from 'vscode';
import { withTimeout } from '../support/vscode/timeout.ts';
import { extension, file } from './extension.ts';

/** What an editor shows of Turnwise inside a file, asked for as the editor asks. Lines and columns are counted from one. */

/** Looks until it sees what is expected. @returns what it saw. */
export async function until<Seen>(
  what: string,
  look: () => Promise<Seen> | Seen,
  isExpected: (seen: Seen) => boolean,
): Promise<Seen> {
  let last: Seen | undefined;
  const looking = new AbortController();
  const seen = (async () => {
    while (!looking.signal.aborted) {
      last = await look();
      if (isExpected(last)) return last;
      await setTimeout(25);
    }
    throw new Error('Nobody waits any more.');
  })();
  seen.catch(() => {});
  try {
    return await withTimeout(15_000, what, seen);
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error} Seen last: ${JSON.stringify(last)}`);
  } finally {
    looking.abort();
  }
}

export interface Lens {
  readonly line: number;
  readonly column: number;
  readonly title: string;
  readonly command: vscode.Command;
}

export async function lenses(uri: vscode.Uri): Promise<Lens[]> {
  await vscode.workspace.openTextDocument(uri);
  const all = await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', uri, 1000);
  return all.map(({ range: { start }, command }) => {
    assert.ok(command, 'A lens has no command.');
    return { line: start.line + 1, column: start.character + 1, title: command.title, command };
  });
}

/** The command, with arguments, that a click on a lens executes. */
export function boundCommand({ title, command, arguments: args }: vscode.Command): vscode.Command {
  assert.equal(args, undefined);
  const [, name = '', json = ''] = /^_(\S+) (.*)$/s.exec(command) ?? [];
  return { title, command: name, arguments: JSON.parse(json) };
}

/** `line: title` */
export async function lensLines(uri: vscode.Uri): Promise<string[]> {
  return (await lenses(uri)).map(({ line, title }) => `${line}: ${title}`);
}

/** Does what a click on a lens does. */
export async function press({ command }: Lens): Promise<void> {
  await vscode.commands.executeCommand(command.command, ...(command.arguments ?? []));
}

/** `line:column text` */
export async function hints(uri: vscode.Uri): Promise<string[]> {
  const document = await vscode.workspace.openTextDocument(uri);
  const all = new vscode.Range(0, 0, document.lineCount, 0);
  const hints = await vscode.commands.executeCommand<vscode.InlayHint[]>('vscode.executeInlayHintProvider', uri, all);
  return hints.map(({ position, label }) => {
    assert.ok(typeof label === 'string');
    return `${position.line + 1}:${position.character + 1} ${label}`;
  });
}

/** What a person sees who points there: Markdown, and what it may do. VS Code's own hovers of keys, and empty ones, are left out. */
export async function hoverAt(uri: vscode.Uri, line: number, column: number): Promise<vscode.MarkdownString[]> {
  await vscode.workspace.openTextDocument(uri);
  const at = new vscode.Position(line - 1, column - 1);
  const hovers = await vscode.commands.executeCommand<vscode.Hover[]>('vscode.executeHoverProvider', uri, at);
  const descriptions = await schemaDescriptions();
  return hovers
    .flatMap(({ contents }) => contents)
    .map((content) => {
      assert.ok(content instanceof vscode.MarkdownString, 'A hover is plain text.');
      return content;
    })
    .filter(({ value }) => value !== '' && !descriptions.has(value.replace(/\\(.)/g, '$1')));
}

/** What VS Code shows of keys in session files, by the schema that the extension brings. */
async function schemaDescriptions(): Promise<ReadonlySet<unknown>> {
  const found = new Set<unknown>();
  const schema = await readFile(join(extension().extensionPath, 'dist', 'turnwise.session.schema.json'), 'utf8');
  JSON.parse(schema, (key, value) => {
    if (key === 'description' || key === 'title') found.add(value);
    return value;
  });
  return found;
}

export async function hoverText(uri: vscode.Uri, line: number, column: number): Promise<string> {
  return (await hoverAt(uri, line, column)).map(({ value }) => value).join('\n');
}

/** Links of Markdown to places: the words, and the file, line and column that they lead to. */
export function linksOf(markdown: string): { words: string; uri: vscode.Uri; line: number; column: number }[] {
  const links = markdown.matchAll(/\[((?:[^\\\]]|\\.)*)\]\(([^)\s]*)#L(\d+),(\d+)\)/g);
  return Array.from(links, ([, words = '', address = '', line, column]) => {
    return { words, uri: vscode.Uri.parse(address, true), line: Number(line), column: Number(column) };
  });
}

/** The lines and columns of a range. */
export function formatRange({ start, end }: vscode.Range): string {
  return `${start.line + 1}:${start.character + 1}-${end.line + 1}:${end.character + 1}`;
}

/** The JSON that stands there in the text that the editor has. */
export async function valueAt(uri: vscode.Uri, range: vscode.Range): Promise<unknown> {
  const document = await vscode.workspace.openTextDocument(uri);
  return JSON.parse(document.getText(range));
}

/** A code comes with a link, where its rule has a page. */
export function codeOf({ code }: vscode.Diagnostic): string {
  return String(typeof code === 'object' ? code.value : code);
}

/** Writes a file of the folder. */
export async function write(name: string, content: string | Uint8Array): Promise<vscode.Uri> {
  const uri = file(name);
  await vscode.workspace.fs.createDirectory(vscode.Uri.joinPath(uri, '..'));
  await writeFile(uri.fsPath, content);
  return uri;
}

/** Evaluates without the view. */
export async function evaluate(uri: vscode.Uri): Promise<void> {
  await vscode.commands.executeCommand('turnwise.evaluate', uri.toString());
}

export async function setSetting(name: string, value: unknown): Promise<void> {
  const { Workspace } = vscode.ConfigurationTarget;
  await vscode.workspace.getConfiguration('turnwise').update(name, value, Workspace);
}
