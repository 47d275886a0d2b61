import { Dialog } from './dialog.tsx';

const KEYS = [
  ['j', 'next turn'],
  ['k', 'previous turn'],
  ['n', 'next failure'],
  ['p', 'previous failure'],
  ['Enter', 'open the JSON, at the evidence'],
  ['f', 'filter'],
  ['/', 'find'],
  ['Esc', 'back: to the turn, then to the file'],
  ['?', 'this list'],
] as const;

/** What the keyboard does. */
export function KeysHelp({ onClose }: Readonly<{ onClose: () => void }>) {
  return (
    <Dialog title="Keys" onClose={onClose}>
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
