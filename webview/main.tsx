import './load-translations.ts';
import { type ReactNode, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { connectHost } from './host.ts';

const element = document.getElementById('report');
if (element) {
  const { page, session = '', turn, scope } = element.dataset;
  const render = (app: ReactNode): void => createRoot(element).render(<StrictMode>{app}</StrictMode>);
  if (page === 'sessions') {
    void import('./overview/overview-app.tsx').then(({ openOverview }) => render(openOverview(scope ?? null)));
  } else if (page === 'runs') {
    void import('./runs/runs-app.tsx').then(({ openRuns }) => render(openRuns(scope ?? '')));
  } else {
    render(<App host={connectHost(session, turn === undefined ? null : Number(turn))} />);
  }
}
