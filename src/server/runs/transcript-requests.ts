import { basename, resolve } from 'node:path';
import * as l10n from '@vscode/l10n';
import { toTarget } from '../../panel/targets.ts';
import { limitName, limitSentence } from '../../panel/values.ts';
import { sessionKey } from '../../protocol/panel.ts';
import type { ComparedSide, ComparedTranscripts, RunRow, TranscriptSide } from '../../protocol/runs.ts';
import type { RunListing } from '../../runs/run-store.ts';
import type { ServerContext } from '../context.ts';
import type { RunQuestions } from './run-answers.ts';
import type { RunHistory } from './run-history.ts';
import { traceUri } from './run-rows.ts';
import type { PairedSide, SideSource } from './transcript-pairs.ts';

interface TranscriptParts extends Pick<ServerContext, 'results' | 'settings'> {
  readonly history: RunHistory;
  readonly toRows: (runs: readonly RunListing[]) => Promise<RunRow[]>;
  readonly ask: (
    name: 'transcripts',
    params: RunQuestions['transcripts']['params'],
  ) => Promise<RunQuestions['transcripts']['result']>;
}

interface PairRequest {
  readonly left: ComparedSide;
  readonly right: ComparedSide;
  readonly offset: number;
  readonly limit: number;
}

/** Two transcripts side by side, of runs or of current results. */
export async function answerTranscripts(
  { left, right, offset, limit }: PairRequest,
  parts: TranscriptParts,
): Promise<ComparedTranscripts> {
  const [one, other] = await Promise.all([toPaired(left, parts), toPaired(right, parts)]);
  const isTrusted = parts.settings().trusted;
  const found = await parts.ask('transcripts', { left: one, right: other, offset, limit, isTrusted });
  return {
    left: await toSide(left, found.left, parts),
    right: await toSide(right, found.right, parts),
    ...(found.aligned ?? { total: 0, divergence: null, actions: 0, wordings: 0, changed: [], rows: [] }),
  };
}

async function toPaired(side: ComparedSide, { results, history }: TranscriptParts): Promise<SideSource> {
  if (side.of === 'run') {
    return { of: 'run', run: await history.reference(side.run), session: side.session, file: side.file };
  }
  const view = results.session(side.key);
  if (!view) throw new Error(l10n.t('There are no results of this session any more. Evaluate its file again.'));
  const { files, detail } = view;
  const versions = results.versionsOf(view);
  const hashes = new Map(
    Array.from(versions.values()).flatMap(({ path, stamp }) => (stamp ? [[path, stamp.hash] as const] : [])),
  );
  return { of: 'results', session: { files, detail: { report: { source: detail.report.source } } }, hashes };
}

async function toSide(
  side: ComparedSide,
  { row, manifest, pointer, missing }: PairedSide,
  { results, history, toRows }: TranscriptParts,
): Promise<TranscriptSide> {
  if (side.of === 'results') {
    const view = results.session(side.key);
    return {
      title: limitName(view?.row.title ?? side.key),
      run: null,
      headline: view?.row.headline ?? UNKNOWN,
      target: view && pointer !== null ? toTarget(view.file, pointer) : null,
      line: view ? view.row.location.range.start.line + 1 : null,
      key: side.key,
      missing,
    };
  }
  const listing = await history.find(side.run);
  const project = manifest?.project ?? '';
  const key = row && sessionKey(traceUri(row, project), row.id);
  const { task } = row ?? { task: null };
  return {
    title: limitName(task ? [task.id, task.trial].flatMap((part) => part ?? []).join(' · ') : basename(side.file)),
    run: listing ? ((await toRows([listing]))[0] ?? null) : null,
    headline: row ? { ...row.headline, text: limitSentence(row.headline.text) } : UNKNOWN,
    target: row && pointer !== null ? toTarget(resolve(project, row.file), pointer) : null,
    line: row?.line ?? null,
    key: key !== null && results.session(key) ? key : null,
    missing,
  };
}

const UNKNOWN = { kind: 'undecided', text: '', turn: null } as const;
