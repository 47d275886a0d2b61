import { useId, useRef } from 'react';
import { Icon } from './icon.tsx';

type MenuProps = Readonly<{ label: string; actions: readonly { readonly name: string; readonly act: () => void }[] }>;

/** Further actions, behind three dots. The browser opens it, closes it with Escape, and gives the focus back. */
export function Menu({ label, actions }: MenuProps) {
  const id = useId();
  const list = useRef<HTMLUListElement>(null);
  return (
    <>
      <button type="button" className="action menu-button" aria-label={label} title={label} popoverTarget={id}>
        <Icon of="more" />
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
