import { useEffect, useState } from 'react';
import type { RunsHost } from '../host.ts';
import { ComparisonPage } from './comparison-page.tsx';
import { TranscriptsPage } from './transcripts-page.tsx';
import { TrendPage } from './trend-page.tsx';

/** What changed between recorded runs, and over them. */
export function RunsApp({ host }: Readonly<{ host: RunsHost }>) {
  const [revision, setRevision] = useState(0);
  useEffect(
    () =>
      host.onEvent(({ event }) => {
        if (event === 'changed') setRevision((before) => before + 1);
      }),
    [host],
  );
  const { scope } = host.initialState;
  const page = { host, revision, onRetry: () => setRevision((before) => before + 1) };
  switch (scope.show) {
    case 'comparison':
      return <ComparisonPage {...page} scope={scope} />;
    case 'transcripts':
      return <TranscriptsPage {...page} left={scope.left} right={scope.right} onBack={null} />;
    case 'trend':
      return <TrendPage {...page} scope={scope} />;
  }
}
