import * as l10n from '@vscode/l10n';
import { useCallback, useEffect, useState } from 'react';
import { switchSession } from '../src/protocol/panel.ts';
import { LoadError } from './components/load-error.tsx';
import { NoReport } from './components/no-report.tsx';
import { Report } from './components/report.tsx';
import { useReport } from './hooks/use-report.ts';
import type { Host } from './host.ts';

/** The session that is shown, and the turn to open. */
interface ShownSession {
  readonly session: string;
  readonly turn: number | null;
  /** Whether the user picked it in the session switcher. */
  readonly isChosen: boolean;
}

/** The report of a session, or a message if there is none. */
export function App({ host }: Readonly<{ host: Host }>) {
  const [shown, setShown] = useState<ShownSession>({ ...host.initialState, isChosen: false });
  const onSwitch = useCallback(
    (session: string) => {
      setShown({ session, turn: null, isChosen: true });
      window.scrollTo(0, 0);
      void host.request(switchSession, { session }).catch(() => {});
    },
    [host],
  );
  useEffect(
    () =>
      host.onEvent((event) => {
        if (event.event !== 'select') return;
        const { session, turn } = event;
        setShown((known) => {
          if (known.session !== session) return { session, turn, isChosen: false };
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
  return <SessionReportView key={shown.session} host={host} shown={shown} onSwitch={onSwitch} />;
}

type SessionReportViewProps = Readonly<{ host: Host; shown: ShownSession; onSwitch: (session: string) => void }>;

function SessionReportView({ host, shown: { session, turn, isChosen }, onSwitch }: SessionReportViewProps) {
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
      return (
        <Report
          host={host}
          session={session}
          initialTurn={turn}
          header={state.header}
          onSwitch={onSwitch}
          isChosen={isChosen}
        />
      );
  }
}
