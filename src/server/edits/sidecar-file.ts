import { basename, dirname, join } from 'node:path';
import * as l10n from '@vscode/l10n';
import { get } from '../../core/json.ts';
import type { Problem } from '../../core/problem.ts';
import type { Session, Suppression } from '../../core/session.ts';
import { isConfigurationFile, isSidecar } from '../../core/trace-file-names.ts';
import { decode } from '../../input/decode.ts';
import type { FileSystem } from '../../input/file-system.ts';
import { TextLocator } from '../../input/locator.ts';
import { parseWithComments } from '../../input/parse-file.ts';
import { readSidecar } from '../../input/read-file.ts';
import { applySidecar, sidecarNames } from '../../input/sidecar.ts';
import { isSameRule } from '../../rules/index.ts';
import { refuseEdit } from '../disk/file-change.ts';

/** The sidecar of a trace, or the path for a new one; or why the existing one cannot be read. */
export async function findSidecar(
  files: FileSystem,
  trace: string,
): Promise<{ readonly path: string; readonly text: string | null } | { readonly error: string }> {
  const names = sidecarNames(trace);
  const free: string[] = [];
  for (const path of names) {
    if ((await files.stat(path)) === null) free.push(path);
    const bytes = await readSidecar(path, files);
    if (!bytes) continue;
    const { document, problems } = parseWithComments(path, bytes);
    const decoded = decode(bytes);
    const [problem] = problems;
    if (!document || !('text' in decoded))
      return refuseEdit(problem?.message ?? l10n.t('It is not valid JSON.'), {
        file: path,
        line: problem?.line ?? null,
      });
    // A trace in Turnwise's own format may have such a name.
    if (get(document.value, 'turnwise') === undefined) return { path, text: decoded.text };
  }
  // The documentation uses the shortest name, the last one; but it may belong to other traces too.
  const [longest] = free;
  const shortest = free.at(-1);
  if (longest === undefined || shortest === undefined)
    return refuseEdit(l10n.t('all names for its sidecar are taken: {0}.', names.join(', ')));
  return { path: (await isSharedName(files, trace, shortest)) ? longest : shortest, text: null };
}

async function isSharedName(files: FileSystem, trace: string, sidecar: string): Promise<boolean> {
  const folder = dirname(trace);
  const entries = await files.list(folder);
  return entries.some(({ name, kind }) => {
    if (kind !== 'file' || name === basename(trace) || isSidecar(name) || isConfigurationFile(name)) return false;
    return /\.(?:json|jsonl|ndjson|traj|eval)$/i.test(name) && sidecarNames(join(folder, name)).includes(sidecar);
  });
}

/** Why a sidecar would be ignored. */
export function sidecarError(sessions: readonly Session[], path: string, text: string): Problem | null {
  return applySidecarText(sessions, path, text).problems.find(({ severity }) => severity === 'error') ?? null;
}

/** The turns in which a sidecar suppresses a finding for this reason, as `session turn` indexes. */
export function suppressedTurns(
  sessions: readonly Session[],
  path: string,
  text: string,
  { rule, reason }: Suppression,
): ReadonlySet<string> {
  const accepts = (suppression: Suppression) => isSameRule(suppression.rule, rule) && suppression.reason === reason;
  return new Set(
    applySidecarText(sessions, path, text).sessions.flatMap(({ turns }, session) =>
      turns.flatMap(({ suppressions = [] }, turn) => (suppressions.some(accepts) ? [`${session} ${turn}`] : [])),
    ),
  );
}

function applySidecarText(sessions: readonly Session[], path: string, text: string) {
  const { document, text: plain, problems } = parseWithComments(path, new TextEncoder().encode(text));
  if (!document || plain === null) return { sessions: [], problems };
  const locator = new TextLocator();
  locator.addText(document, plain);
  const applied = applySidecar(sessions, document.value, path);
  return { sessions: applied.sessions, problems: locator.withLines(applied.problems) };
}
