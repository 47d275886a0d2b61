import { fileURLToPath } from 'node:url';
import * as l10n from '@vscode/l10n';
import { createMutex, type Mutex } from '../../core/async/mutex.ts';
import { sidecarNames } from '../../input/sidecar.ts';
import {
  type EditOutcome,
  type FindingArgument,
  type RuleArgument,
  type RuleSeverity,
  setSeverity,
  suppress,
} from '../../protocol/finding-edits.ts';
import { saveFeedback } from '../../protocol/panel.ts';
import { onRequest } from '../../protocol/rpc.ts';
import type { Feature, ServerContext } from '../context.ts';
import { applyPlan, type EditPlan, refuseEdit } from '../disk/file-change.ts';
import { openFolders } from '../disk/open-folders.ts';
import { writeFeedback } from './feedback.ts';
import { planRuleSeverity } from './set-rule-severity.ts';
import { planSuppression } from './suppress-finding.ts';

/**
 * Writes suppressions, feedback and rule severities. Results stay as they are until their files are evaluated again.
 */
export const edits: Feature = (context) => {
  const { connection } = context;
  const plans = new EditPlanner({ ...context, folders: () => openFolders(connection) });
  const mutexes = new Map<string, Mutex>();
  /** An edit is based on what was read before: one edit of a file at a time. @param written the file, or its trace. */
  const inTurn = (written: string, plan: () => Promise<EditPlan>): Promise<EditOutcome> => {
    const mutex = mutexes.get(written) ?? createMutex();
    mutexes.set(written, mutex);
    return mutex(async () => applyPlan(await plan()));
  };
  onRequest(connection, suppress, ({ reason, ...finding }) =>
    inTurn(sidecarOf(fileURLToPath(finding.uri)), () => plans.planSuppression(finding, reason)),
  );
  onRequest(connection, saveFeedback, (params) =>
    writeFeedback(context, params, (file, plan) =>
      inTurn(sidecarOf(file), async () => plans.refuseUntrusted() ?? plan()),
    ),
  );
  onRequest(connection, setSeverity, ({ level, ...rule }) =>
    inTurn('configuration', () => plans.planSeverity(rule, level)),
  );
  return {};
};

/** Traces that can share a sidecar share its shortest name. */
function sidecarOf(trace: string): string {
  return sidecarNames(trace).at(-1) ?? trace;
}

interface EditPlannerOptions extends Pick<ServerContext, 'results' | 'planSidecarEdit' | 'settings'> {
  /** Paths of the folders that are open in the editor. */
  readonly folders: () => Promise<readonly string[]>;
}

/** Plans edits where the folder is trusted. */
export class EditPlanner {
  readonly #parts: EditPlannerOptions;

  constructor(parts: EditPlannerOptions) {
    this.#parts = parts;
  }

  async planSuppression(finding: FindingArgument, reason: string): Promise<EditPlan> {
    return this.refuseUntrusted() ?? planSuppression(this.#parts, finding, reason);
  }

  async planSeverity(rule: RuleArgument, level: RuleSeverity): Promise<EditPlan> {
    return this.refuseUntrusted() ?? planRuleSeverity(rule, level, await this.#parts.folders());
  }

  refuseUntrusted(): EditPlan | null {
    return this.#parts.settings().trusted
      ? null
      : refuseEdit(l10n.t('this folder is not trusted. Trust it and try again.'));
  }
}
