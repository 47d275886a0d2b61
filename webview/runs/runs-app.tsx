import { type ReactNode, useEffect, useState } from 'react';
import * as z from 'zod/mini';
import { runsPanelState, runsScope } from '../../src/protocol/runs.ts';
import { connect, type RunsHost } from '../host.ts';
import { ComparisonPage } from './comparison-page.tsx';
import { LabelsPage } from './labels-page.tsx';
import { TranscriptsPage } from './transcripts-page.tsx';
import { TrendPage } from './trend-page.tsx';

/** @param scope what the page shows, as JSON. @throws Error where it is nothing that this version knows. */
export function openRuns(scope: string): ReactNode {
  const opened = z.parse(runsScope, JSON.parse(scope));
  const host: RunsHost = connect((saved) => {
    const { success, data } = z.safeParse(runsPanelState, saved);
    return success && JSON.stringify(data.scope) === JSON.stringify(opened) ? data : { scope: opened };
  });
  return <RunsApp host={host} />;
}

/** What changed between recorded runs and over them, and the labels of their judged results. */
function RunsApp({ host }: Readonly<{ host: RunsHost }>) {
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
    case 'labels':
      return <LabelsPage {...page} scope={scope} />;
  }
}
