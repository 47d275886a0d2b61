import * as l10n from '@vscode/l10n';
import { Dialog } from './dialog.tsx';

const KEYS = [
  ['j', l10n.t('next turn')],
  ['k', l10n.t('previous turn')],
  ['n', l10n.t('next problem')],
  ['p', l10n.t('previous problem')],
  ['Enter', l10n.t('open the JSON at the evidence')],
  ['f', l10n.t('filter')],
  ['/', l10n.t('find')],
  ['Esc', l10n.t('back to the turn')],
  ['?', l10n.t('show this list')],
] as const;

/** The list of keyboard shortcuts. */
export function KeysHelp({ onClose }: Readonly<{ onClose: () => void }>) {
  return (
    <Dialog title={l10n.t('Keyboard Shortcuts')} onClose={onClose}>
      <dl className="keys">
        {KEYS.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
