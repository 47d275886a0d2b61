import { useId, useRef } from 'react';
import { Icon } from './icon.tsx';

type MenuProps = Readonly<{ label: string; actions: readonly { readonly name: string; readonly act: () => void }[] }>;

/** A menu of further actions. The browser opens the popover, closes it on Escape and restores the focus. */
export function Menu({ label, actions }: MenuProps) {
  const id = useId();
  const list = useRef<HTMLUListElement>(null);
  return (
    <>
      <button type="button" className="action menu-button" aria-label={label} title={label} popoverTarget={id}>
        <Icon name="more" />
      </button>
      <ul ref={list} id={id} popover="auto" className="menu">
        {actions.map(({ name, act }) => (
          <li key={name}>
            <button
              type="button"
              onClick={() => {
                list.current?.hidePopover();
                act();
              }}
            >
              {name}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
