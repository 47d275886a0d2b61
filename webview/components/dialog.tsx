import * as l10n from '@vscode/l10n';
import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { Icon } from './icon.tsx';

type DialogProps = Readonly<{ title: string; onClose: () => void; children: ReactNode }>;

/** A modal dialog. The browser traps the focus, closes it on Escape and restores the focus. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const { current } = dialog;
    current?.showModal();
    return () => current?.close();
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose}>
      <header className="title">
        <h2 id={id}>{title}</h2>
        <button
          type="button"
          className="action"
          aria-label={l10n.t('Close')}
          title={l10n.t('Close')}
          onClick={() => dialog.current?.close()}
        >
          <Icon name="close" />
        </button>
      </header>
      {children}
    </dialog>
  );
}
