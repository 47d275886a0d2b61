import { writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { TextEdit, WorkspaceEdit } from 'vscode-languageserver/node';
import type { Problem } from '../../core/problem.ts';
import { describeSystemError } from '../../input/system-error.ts';
import type { EditOutcome } from '../../protocol/finding-edits.ts';
import type { FilePosition } from '../../protocol/messages.ts';

/** A file as it is to be. */
export interface FileChange {
  readonly path: string;
  /** Its text now; null where there is no such file yet. */
  readonly before: string | null;
  readonly after: string;
}

/** A change that can be made, or a sentence that says why none can. */
export type EditPlan = { readonly change: FileChange } | { readonly refused: string };

/** A sentence of why, which begins in lower case where it names no place: `refund.turnwise.json:3: JSON has no comments.` */
export function refuseEdit(why: string, at?: Pick<Problem, 'file' | 'line'>): { readonly refused: string } {
  const place = at ? `${basename(at.file)}${at.line === null ? '' : `:${at.line}`}: ` : '';
  return { refused: `Nothing was written: ${place}${why}` };
}

export async function applyPlan(plan: EditPlan): Promise<EditOutcome> {
  if ('refused' in plan) return plan;
  const { path, before, after } = plan.change;
  try {
    // One that has appeared in the meantime is somebody's.
    await writeFile(path, after, { flag: before === null ? 'wx' : 'w' });
    return { written: path };
  } catch (error) {
    return refuseEdit(`it cannot be written: ${describeSystemError(error)}.`, { file: path, line: null });
  }
}

/** @param createsFiles whether the editor makes files on request; others make those that they are told to edit. */
export function toWorkspaceEdit({ path, before, after }: FileChange, createsFiles: boolean): WorkspaceEdit {
  const uri = pathToFileURL(path).href;
  const edit = minimalTextEdit(before ?? '', after);
  if (!createsFiles) return { changes: { [uri]: [edit] } };
  const edits = { textDocument: { uri, version: null }, edits: [edit] };
  const creation = { kind: 'create', uri, options: { ignoreIfExists: true } } as const;
  return { documentChanges: before === null ? [creation, edits] : [edits] };
}

/** The lines that differ. */
export function minimalTextEdit(before: string, after: string): TextEdit {
  const [old, now] = [splitLines(before), splitLines(after)];
  let same = 0;
  while (same < old.length && same < now.length && old[same] === now[same]) same += 1;
  let sameEnd = 0;
  while (sameEnd < Math.min(old.length, now.length) - same && old.at(-1 - sameEnd) === now.at(-1 - sameEnd))
    sameEnd += 1;
  const range = { start: lineStart(old, same), end: lineStart(old, old.length - sameEnd) };
  return { range, newText: now.slice(same, now.length - sameEnd).join('') };
}

/** Each with its line break. */
function splitLines(text: string): string[] {
  return text.match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g) ?? [];
}

/** Where a line begins; behind the last one, the end of the text. */
function lineStart(lines: readonly string[], line: number): FilePosition {
  const last = lines[line - 1];
  if (last === undefined || /[\r\n]$/.test(last)) return { line, character: 0 };
  return { line: line - 1, character: last.length };
}
