import './load-translations.ts';
import { type ReactNode, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { connectHost, connectOverview, connectRuns } from './host.ts';

const element = document.getElementById('report');
if (element) {
  const { page, session = '', turn, scope } = element.dataset;
  const render = (app: ReactNode): void => createRoot(element).render(<StrictMode>{app}</StrictMode>);
  if (page === 'sessions') {
    void import('./overview/overview-app.tsx').then(({ OverviewApp }) =>
      render(<OverviewApp host={connectOverview(scope ?? null)} />),
    );
  } else if (page === 'runs') {
    void import('./runs/runs-app.tsx').then(({ RunsApp }) => render(<RunsApp host={connectRuns(scope ?? '')} />));
  } else {
    render(<App host={connectHost(session, turn === undefined ? null : Number(turn))} />);
  }
}
