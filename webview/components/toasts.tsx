import * as l10n from '@vscode/l10n';
import { useEffect } from 'react';
import { Icon } from './icon.tsx';

type ToastsProps = Readonly<{
  /** What was done; empty: nothing that is to be said. */
  said: string;
  /** What could not be done, and why; null: nothing. */
  refused: string | null;
  onSaid: () => void;
  onRefused: () => void;
}>;

/** What was done is there to be read for so long, in milliseconds. */
const TOAST_MS = 4000;

/** What came of what a person did, over the page: nothing moves for it. */
export function Toasts({ said, refused, onSaid, onRefused }: ToastsProps) {
  useEffect(() => {
    if (said === '') return;
    const timer = setTimeout(onSaid, TOAST_MS);
    return () => clearTimeout(timer);
  }, [said, onSaid]);
  return (
    <div className="notices">
      <p role="status">{said === '' ? null : <span className="notice">{said}</span>}</p>
      {refused === null ? null : (
        <div className="notice">
          <p role="alert">{refused}</p>
          <button
            type="button"
            className="action"
            aria-label={l10n.t('Close')}
            title={l10n.t('Close')}
            onClick={onRefused}
          >
            <Icon of="close" />
          </button>
        </div>
      )}
    </div>
  );
}
