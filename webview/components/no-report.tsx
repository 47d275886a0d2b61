import * as l10n from '@vscode/l10n';
import { useState } from 'react';
import { reevaluate } from '../../src/protocol/panel.ts';
import type { Host } from '../host.ts';

/** Shown if the session has no results, with a button to evaluate it. */
export function NoReport({ host, session }: Readonly<{ host: Host; session: string }>) {
  const [isBusy, setBusy] = useState(false);
  const evaluate = (): void => {
    setBusy(true);
    void host
      .request(reevaluate, { session })
      .catch(() => {})
      .finally(() => setBusy(false));
  };
  return (
    <main className="empty">
      <h1>{l10n.t('No results for this session')}</h1>
      <p>{l10n.t('They were cleared, or the session was removed from its file.')}</p>
      <button type="button" className="primary" disabled={isBusy} onClick={evaluate}>
        {isBusy ? l10n.t('Evaluating…') : l10n.t('Evaluate Trace')}
      </button>
    </main>
  );
}
