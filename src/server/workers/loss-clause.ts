import * as l10n from '@vscode/l10n';
import type { WorkerLoss } from '../../workers/worker-loss.ts';

/** What happened to a worker, as the clause of a sentence in the user's language. */
export function lossClause(loss: WorkerLoss): string {
  switch (loss.kind) {
    case 'silent':
      return l10n.t('it took more than {0} s without progress', loss.seconds);
    case 'memory':
      return l10n.t('it needs more memory than there is');
    case 'ended':
      return l10n.t('it ended unexpectedly');
    case 'stopped':
      return l10n.t('it was stopped');
    case 'failed':
      return l10n.t('Turnwise failed on it ({0})', loss.reason);
  }
}
