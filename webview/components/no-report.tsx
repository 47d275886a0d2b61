import { useState } from 'react';
import { reevaluate } from '../../src/protocol/panel.ts';
import type { Host } from '../host.ts';

/** There is nothing to show, and this is how to get it back. */
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
      <h1>The results of this session are gone</h1>
      <p>They were cleared, or the session has left its file.</p>
      <button type="button" className="primary" disabled={isBusy} onClick={evaluate}>
        {isBusy ? 'Evaluating …' : 'Evaluate Trace'}
      </button>
    </main>
  );
}
