import type * as vscode from 'vscode';

/** Whether a document may be a trace by its language or name. */
export function isTrace({ languageId, uri }: vscode.TextDocument): boolean {
  return languageId.startsWith('json') || /\.(jsonl|ndjson|traj)$/.test(uri.path);
}

/** A document filter of the language client, for files on disk. */
export type TraceFilter = { readonly scheme: 'file' } & ({ readonly language: string } | { readonly pattern: string });

/** The documents that the server annotates or watches. */
export function traceSelector(traces: readonly string[]): TraceFilter[] {
  return [
    { scheme: 'file', language: 'json' },
    { scheme: 'file', language: 'jsonl' },
    { scheme: 'file', pattern: '**/*.{json,jsonl,ndjson,traj}' },
    ...globFilters(traces.filter((glob) => !/\.(json|jsonl|ndjson|traj)$/.test(glob))),
  ];
}

/** Documents that are traces by their names. */
export function globFilters(traces: readonly string[]): TraceFilter[] {
  return traces.map((glob) => ({ scheme: 'file', pattern: anyFolderGlob(glob) }));
}

/** Prefixes a glob so that it matches in any folder. */
export function anyFolderGlob(glob: string): string {
  return glob.startsWith('/') || glob.startsWith('**/') ? glob : `**/${glob}`;
}
