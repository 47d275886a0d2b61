import { useState } from 'react';
import { evaluateAgain } from '../../src/protocol/panel.ts';
import type { Host } from '../host.ts';

/** There is nothing to show, and this is how to get it back. */
export function Gone({ host, session }: Readonly<{ host: Host; session: string }>) {
  const [isBusy, setBusy] = useState(false);
  const evaluate = (): void => {
    setBusy(true);
    void host
      .ask(evaluateAgain, { session })
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
