import './load-translations.ts';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { connectHost } from './host.ts';

const element = document.getElementById('report');
if (element) {
  const { session = '', turn } = element.dataset;
  createRoot(element).render(
    <StrictMode>
      <App host={connectHost(session, turn === undefined ? null : Number(turn))} />
    </StrictMode>,
  );
}
