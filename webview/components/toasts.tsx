import * as l10n from '@vscode/l10n';
import { useEffect } from 'react';
import type { Announcement } from '../hooks/use-report-actions.ts';
import { Icon } from './icon.tsx';

type ToastsProps = Readonly<{
  /** A success message. */
  announcement: Announcement | null;
  /** An error message; null: none. */
  error: string | null;
  onAnnounced: () => void;
  onDismissError: () => void;
}>;

/** How long a success message stays, in milliseconds. */
const TOAST_MS = 4000;

/** Results of user actions, in an overlay that does not move the page. */
export function Toasts({ announcement, error, onAnnounced, onDismissError }: ToastsProps) {
  useEffect(() => {
    if (announcement === null) return;
    const timer = setTimeout(onAnnounced, TOAST_MS);
    return () => clearTimeout(timer);
  }, [announcement, onAnnounced]);
  return (
    <div className="notices">
      <p role="status">
        {announcement === null ? null : (
          <span className={announcement.isVisible ? 'notice' : 'hidden'}>{announcement.text}</span>
        )}
      </p>
      {error === null ? null : (
        <div className="notice">
          <p role="alert">{error}</p>
          <button
            type="button"
            className="action"
            aria-label={l10n.t('Close')}
            title={l10n.t('Close')}
            onClick={onDismissError}
          >
            <Icon name="close" />
          </button>
        </div>
      )}
    </div>
  );
}
