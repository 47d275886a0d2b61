import './load-translations.ts';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { connectHost, connectOverview } from './host.ts';
import { OverviewApp } from './overview/overview-app.tsx';

const element = document.getElementById('report');
if (element) {
  const { page, session = '', turn, scope } = element.dataset;
  createRoot(element).render(
    <StrictMode>
      {page === 'sessions' ? (
        <OverviewApp host={connectOverview(scope ?? null)} />
      ) : (
        <App host={connectHost(session, turn === undefined ? null : Number(turn))} />
      )}
    </StrictMode>,
  );
}
