import * as vscode from 'vscode';
import type { FileLocation, FileRange } from '../protocol/messages.ts';

export function toRange({ start, end }: FileRange): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}

export function toLocation({ uri, range }: FileLocation): vscode.Location {
  return new vscode.Location(vscode.Uri.parse(uri), toRange(range));
}

/** A URI of the server in the form in which the editor writes it. */
export function normalizeUri(uri: string): string {
  return vscode.Uri.parse(uri).toString();
}
