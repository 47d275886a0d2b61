import * as l10n from '@vscode/l10n';
import { useEffect, useState } from 'react';
import { LoadError } from './components/load-error.tsx';
import { NoReport } from './components/no-report.tsx';
import { Report } from './components/report.tsx';
import { useReport } from './hooks/use-report.ts';
import type { Host } from './host.ts';

/** The session that is shown, and the turn to open. */
interface ShownSession {
  readonly session: string;
  /** Null: the first problem. */
  readonly turn: number | null;
}

/** The report of a session, or a message if there is none. */
export function App({ host }: Readonly<{ host: Host }>) {
  const [shown, setShown] = useState<ShownSession>(host.initialState);
  useEffect(
    () =>
      host.onEvent((event) => {
        if (event.event !== 'select') return;
        const { session, turn } = event;
        setShown((known) => {
          if (known.session !== session) return { session, turn };
          // Of a report that is still loading, this is the turn to open.
          return { ...known, turn: turn ?? known.turn };
        });
      }),
    [host],
  );
  useEffect(() => {
    // The context of VS Code's context menu; turns add their own.
    document.body.dataset.vscodeContext = JSON.stringify({ session: shown.session });
  }, [shown.session]);
  return <SessionReportView key={shown.session} host={host} shown={shown} />;
}

type SessionReportViewProps = Readonly<{ host: Host; shown: ShownSession }>;

function SessionReportView({ host, shown: { session, turn } }: SessionReportViewProps) {
  const state = useReport(host, session);
  switch (state.type) {
    case 'loading':
      return (
        <main>
          <p role="status">{l10n.t('Loading report…')}</p>
        </main>
      );
    case 'gone':
      return <NoReport host={host} session={session} />;
    case 'failed':
      return <LoadError message={state.message} onRetry={state.retry} />;
    case 'shown':
      return <Report host={host} session={session} initialTurn={turn} header={state.header} />;
  }
}
