import * as l10n from '@vscode/l10n';
import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { Icon } from './icon.tsx';

type DialogProps = Readonly<{ title: string; onClose: () => void; children: ReactNode }>;

/** Something over the page. The browser keeps the focus in it, closes it with Escape, and gives the focus back. */
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
          <Icon of="close" />
        </button>
      </header>
      {children}
    </dialog>
  );
}
