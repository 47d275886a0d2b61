import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as l10n from '@vscode/l10n';
import type { TextEdit, WorkspaceEdit } from 'vscode-languageserver/node';
import type { Problem } from '../../core/problem.ts';
import { describeSystemError } from '../../input/system-error.ts';
import { writeFile } from '../../output/write-file.ts';
import type { EditOutcome } from '../../protocol/finding-edits.ts';
import type { FilePosition } from '../../protocol/messages.ts';

/** A file with its new content. */
export interface FileChange {
  readonly path: string;
  /** Its current text; null where the file does not exist yet. */
  readonly before: string | null;
  readonly after: string;
}

/** A change to make, or a sentence that says why it cannot be made. */
export type EditPlan = { readonly change: FileChange } | { readonly error: string };

/** A reason, in lower case where no file precedes it: `refund.turnwise.json:3: JSON has no comments.` */
export function refuseEdit(why: string, at?: Pick<Problem, 'file' | 'line'>): { readonly error: string } {
  const prefix = at ? `${basename(at.file)}${at.line === null ? '' : `:${at.line}`}: ` : '';
  return { error: l10n.t('Nothing was written: {0}', prefix + why) };
}

export async function applyPlan(plan: EditPlan): Promise<EditOutcome> {
  if ('error' in plan) return plan;
  const { path, before, after } = plan.change;
  try {
    // Never overwrites a file that was created in the meantime.
    await writeFile(path, after, { isNew: before === null });
    return { written: path };
  } catch (error) {
    return refuseEdit(l10n.t('it cannot be written: {0}.', describeSystemError(error)), { file: path, line: null });
  }
}

/** @param createsFiles whether the editor creates files on request; others create a file when they edit it. */
export function toWorkspaceEdit({ path, before, after }: FileChange, createsFiles: boolean): WorkspaceEdit {
  const uri = pathToFileURL(path).href;
  const edit = minimalTextEdit(before ?? '', after);
  if (!createsFiles) return { changes: { [uri]: [edit] } };
  const edits = { textDocument: { uri, version: null }, edits: [edit] };
  const creation = { kind: 'create', uri, options: { ignoreIfExists: true } } as const;
  return { documentChanges: before === null ? [creation, edits] : [edits] };
}

/** The lines that differ, as one edit. */
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

/** Lines with their line breaks. */
function splitLines(text: string): string[] {
  return text.match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g) ?? [];
}

/** Where a line begins; after the last line, the end of the text. */
function lineStart(lines: readonly string[], line: number): FilePosition {
  const last = lines[line - 1];
  if (last === undefined || /[\r\n]$/.test(last)) return { line, character: 0 };
  return { line: line - 1, character: last.length };
}
