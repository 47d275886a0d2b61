import type * as vscode from 'vscode';

/** Whether a document may be a trace, by its language and name. */
export function isTrace({ languageId, uri }: vscode.TextDocument): boolean {
  return languageId.startsWith('json') || /\.(jsonl|ndjson|traj)$/.test(uri.path);
}

/** Documents on disk of a language, or with a name like this. */
export type TraceFilter = { readonly scheme: 'file' } & ({ readonly language: string } | { readonly pattern: string });

/** Documents that the server may have something to show in, or to hear of. */
export function traceSelector(traces: readonly string[]): TraceFilter[] {
  return [
    { scheme: 'file', language: 'json' },
    { scheme: 'file', language: 'jsonl' },
    { scheme: 'file', pattern: '**/*.{json,jsonl,ndjson,traj}' },
    ...globFilters(traces.filter((glob) => !/\.(json|jsonl|ndjson|traj)$/.test(glob))),
  ];
}

/** Documents that are traces by their names alone. */
export function globFilters(traces: readonly string[]): TraceFilter[] {
  return traces.map((glob) => ({ scheme: 'file', pattern: anyFolderGlob(glob) }));
}

/** Globs are relative to a folder that may be anywhere. */
export function anyFolderGlob(glob: string): string {
  return glob.startsWith('/') || glob.startsWith('**/') ? glob : `**/${glob}`;
}
