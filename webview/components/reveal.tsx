import * as l10n from '@vscode/l10n';
import type { ReactNode } from 'react';
import type { JsonTarget } from '../../src/protocol/report-values.ts';
import { useActions } from '../hooks/use-actions.ts';

type RevealButtonProps = Readonly<{
  target: JsonTarget;
  className?: string;
  id?: string;
  /** The full text, if the label may be truncated. */
  whole?: string;
  /** Called after a mouse click. */
  onPress?: () => void;
  children: ReactNode;
}>;

/** Shows a value in the JSON, or copies where it is in an HTML report. A mouse click keeps the focus in the report; a key press moves it to the editor. */
export function RevealButton({ target, className = '', id, whole, onPress, children }: RevealButtonProps) {
  const { host, reveal } = useActions();
  const action = host.surface === 'editor' ? l10n.t('Show in JSON') : l10n.t('Copy Location');
  return (
    <button
      type="button"
      id={id}
      className={`reveal ${className}`}
      title={whole === undefined ? action : `${whole}\n${action}`}
      onClick={({ detail }) => {
        reveal(target, detail === 0);
        if (detail > 0) onPress?.();
      }}
    >
      {children}
    </button>
  );
}
