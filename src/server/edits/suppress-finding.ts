import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as l10n from '@vscode/l10n';
import type { FindingArgument } from '../../protocol/finding-edits.ts';
import { findRule } from '../../rules/index.ts';
import type { ServerContext } from '../context.ts';
import { type EditPlan, refuseEdit } from '../disk/file-change.ts';
import { refuseUnreadable, type TurnSource } from './plan-sidecar-edit.ts';

/** Plans to suppress a finding in the sidecar beside its trace. Never rejects. */
export async function planSuppression(
  { results, planSidecarEdit }: Pick<ServerContext, 'results' | 'planSidecarEdit'>,
  finding: FindingArgument,
  reason: string,
): Promise<EditPlan> {
  const { rule, uri } = finding;
  if (!findRule(rule))
    return refuseEdit(l10n.t('there is no rule "{0}". Only findings of rules can be suppressed.', rule));
  const turn = findTurn(results, finding);
  if (!turn)
    return refuseEdit(
      l10n.t('this finding is no longer in the results. Evaluate {0} and try again.', basename(fileURLToPath(uri))),
    );
  try {
    return await planSidecarEdit({ turn, add: { type: 'suppression', suppression: { rule, reason } } });
  } catch (error) {
    return refuseUnreadable(turn.file, error);
  }
}

function findTurn(
  results: ServerContext['results'],
  { uri, session: key, turn: index }: FindingArgument,
): TurnSource | null {
  const there = results.sessionsIn(fileURLToPath(uri));
  const session = key === undefined ? (there.length === 1 ? there[0] : undefined) : results.session(key);
  const turn = session?.detail.report.turns.find((candidate) => candidate.index === index);
  if (!session || !turn) return null;
  const file = turn.file ?? session.file;
  const { format } = session.detail.report.source;
  return { file, pointer: turn.pointer, format, hash: results.versionsOf(session).get(file)?.stamp?.hash ?? null };
}
