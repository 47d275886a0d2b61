import { useSyncExternalStore } from 'react';
import type { Host } from '../host.ts';

/** Whether the panel is kept open for its session. */
export function usePinned(host: Host): boolean {
  return useSyncExternalStore(host.onEvent, () => host.isPinned());
}
