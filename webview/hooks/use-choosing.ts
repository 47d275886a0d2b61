import { useRef } from 'react';

/**
 * Handlers of an item that marks its evidence when it is chosen: by keyboard as it gets the focus, by mouse at the end of a click.
 * What unfolds above while a mouse button is down would move the item away, and the click would be lost.
 */
export function useChoosing(choose: () => unknown) {
  const isPressed = useRef(false);
  return {
    onMouseDown: () => {
      isPressed.current = true;
      // The focus comes before any timer.
      setTimeout(() => {
        isPressed.current = false;
      });
    },
    onFocus: () => {
      if (!isPressed.current) choose();
    },
    onClick: choose,
  };
}
