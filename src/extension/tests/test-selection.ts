import type * as vscode from 'vscode';
import type { TestTree } from './test-tree.ts';

/** Scenarios to run. Without `names`: all of the file. */
export interface SelectedFile {
  readonly uri: string;
  readonly names?: readonly string[];
}

/** The items of a request, or a part of them. */
export type RunScope = Pick<vscode.TestRunRequest, 'include' | 'exclude'>;

/** The scenarios that a request is about. An attempt stands for its scenario, all of whose attempts are made again. */
export function selectScenarios(
  tree: Pick<TestTree, 'uris' | 'subject' | 'scenarios'>,
  { include, exclude }: RunScope,
): readonly SelectedFile[] {
  const selected = new Map<string, Set<string> | 'all'>();
  if (!include) for (const uri of tree.uris) selected.set(uri, 'all');
  for (const item of include ?? []) {
    const subject = tree.subject(item);
    if (!subject) continue;
    const names = selected.get(subject.uri);
    if (subject.kind === 'file') selected.set(subject.uri, 'all');
    else if (names !== 'all') selected.set(subject.uri, (names ?? new Set()).add(subject.name));
  }
  for (const item of exclude ?? []) {
    const subject = tree.subject(item);
    if (subject?.kind === 'file') selected.delete(subject.uri);
    if (subject?.kind !== 'scenario') continue;
    const names = selected.get(subject.uri);
    const left = names === 'all' ? new Set(tree.scenarios(subject.uri).keys()) : names;
    left?.delete(subject.name);
    if (left) selected.set(subject.uri, left);
  }
  return [...selected].flatMap(([uri, names]) => {
    if (names === 'all') return [{ uri }];
    return names.size === 0 ? [] : [{ uri, names: [...names] }];
  });
}
