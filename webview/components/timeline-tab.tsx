import * as l10n from '@vscode/l10n';
import { lazy, Suspense, useState } from 'react';
import { messageOf } from '../hooks/use-report.ts';

/** Loaded when the tab is opened first. */
const Timeline = lazy(() =>
  import('./timeline.tsx').then(
    (module) => ({ default: module.Timeline }),
    (error: unknown) => ({ default: () => <p role="alert">{messageOf(error)}</p> }),
  ),
);

type TimelineTabProps = Readonly<{ revision: number; turns: number; isShown: boolean }>;

/** The turns and steps of a session over time. @param isShown whether the tab is open. */
export function TimelineTab(props: TimelineTabProps) {
  // A list that is rendered hidden does not know which of its rows are visible.
  const [wasShown, setWasShown] = useState(props.isShown);
  if (props.isShown && !wasShown) setWasShown(true);
  if (!wasShown) return null;
  return (
    <Suspense fallback={<p className="quiet">{l10n.t('Loading timeline…')}</p>}>
      <Timeline {...props} />
    </Suspense>
  );
}
