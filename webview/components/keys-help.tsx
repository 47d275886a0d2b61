import * as l10n from '@vscode/l10n';
import { useActions } from '../hooks/use-actions.ts';
import { Dialog } from './dialog.tsx';

const MOVES = [
  ['j', l10n.t('next turn')],
  ['k', l10n.t('previous turn')],
  ['n', l10n.t('next problem')],
  ['p', l10n.t('previous problem')],
] as const;

const OTHERS = [
  ['f', l10n.t('filter')],
  ['/', l10n.t('find')],
  ['Esc', l10n.t('back to the turn')],
  ['?', l10n.t('show this list')],
] as const;

/** The list of keyboard shortcuts. */
export function KeysHelp({ onClose }: Readonly<{ onClose: () => void }>) {
  const { host } = useActions();
  const isEditor = host.surface === 'editor';
  const enter = isEditor ? l10n.t('open the JSON at the evidence') : l10n.t('copy the location of the turn');
  return (
    <Dialog title={l10n.t('Keyboard Shortcuts')} onClose={onClose}>
      <dl className="keys">
        {[...MOVES, ['Enter', enter] as const, ...OTHERS].map(([key, what]) => (
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
