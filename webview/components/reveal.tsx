import * as l10n from '@vscode/l10n';
import type { ReactNode } from 'react';
import type { JsonTarget } from '../../src/protocol/report-values.ts';
import { useActions } from '../hooks/use-actions.ts';

type RevealButtonProps = Readonly<{
  target: JsonTarget;
  className?: string;
  id?: string;
  /** The whole of what may be cut off. */
  whole?: string;
  /** When the mouse has pressed it. */
  onPress?: () => void;
  children: ReactNode;
}>;

/** Leads to the JSON. The mouse leaves the focus here, so that one can go on reading; the keyboard goes there. */
export function RevealButton({ target, className = '', id, whole, onPress, children }: RevealButtonProps) {
  const { reveal } = useActions();
  return (
    <button
      type="button"
      id={id}
      className={`reveal ${className}`}
      title={whole === undefined ? l10n.t('Show in JSON') : `${whole}\n${l10n.t('Show in JSON')}`}
      onClick={({ detail }) => {
        reveal(target, detail === 0);
        if (detail > 0) onPress?.();
      }}
    >
      {children}
    </button>
  );
}
