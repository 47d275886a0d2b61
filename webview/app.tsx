import { useCallback, useEffect, useState } from 'react';
import { switchTo } from '../src/protocol/panel.ts';
import { Failed } from './components/failed.tsx';
import { Gone } from './components/gone.tsx';
import { Report } from './components/report.tsx';
import { useReport } from './hooks/use-report.ts';
import type { Host } from './host.ts';

/** Which session of the file is shown, and the turn to begin at. */
interface Shown {
  readonly session: string;
  readonly turn: number | null;
  /** The person has chosen it, among the sessions of the file. */
  readonly isChosen: boolean;
}

/** The report of a session, or why there is none. */
export function App({ host }: Readonly<{ host: Host }>) {
  const [shown, setShown] = useState<Shown>({ ...host.opened, isChosen: false });
  const onSwitch = useCallback(
    (session: string) => {
      setShown({ session, turn: null, isChosen: true });
      window.scrollTo(0, 0);
      void host.ask(switchTo, { session }).catch(() => {});
    },
    [host],
  );
  useEffect(
    () =>
      host.onEvent((event) => {
        if (event.event !== 'select') return;
        const { session, turn } = event;
        setShown((known) => (known.session === session ? known : { session, turn, isChosen: false }));
      }),
    [host],
  );
  useEffect(() => {
    // What a right-click anywhere is about, for the editor's menu; turns say more.
    document.body.dataset.vscodeContext = JSON.stringify({ session: shown.session });
  }, [shown.session]);
  return <OneSession key={shown.session} host={host} shown={shown} onSwitch={onSwitch} />;
}

type OneSessionProps = Readonly<{ host: Host; shown: Shown; onSwitch: (session: string) => void }>;

function OneSession({ host, shown: { session, turn, isChosen }, onSwitch }: OneSessionProps) {
  const state = useReport(host, session);
  switch (state.type) {
    case 'loading':
      return (
        <main>
          <p role="status">Loading the report …</p>
        </main>
      );
    case 'gone':
      return <Gone host={host} session={session} />;
    case 'failed':
      return <Failed message={state.message} onRetry={state.retry} />;
    case 'shown':
      return (
        <Report
          host={host}
          session={session}
          opened={turn}
          header={state.header}
          onSwitch={onSwitch}
          isChosen={isChosen}
        />
      );
  }
}
