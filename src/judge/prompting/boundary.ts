import { createHmac } from 'node:crypto';

/** Of a marker: 64 bits, which nobody can guess. */
const HEX_DIGITS = 16;

/**
 * The marker of Turnwise's own lines in the prompts of a session: the same in every run of an installation, so that answers can
 * be cached, and unknown to the author of the trace. It is drawn again while it occurs in the session.
 */
export function sessionBoundary(session: { readonly id: string }, key: Uint8Array): string {
  for (let draw = 0; ; draw += 1) {
    const marker = drawMarker(session.id, key, draw);
    if (!containsText(marker, session)) return marker;
  }
}

/** The HMAC-SHA256 of the session's id and the number of the draw, shortened to hexadecimal digits. */
export function drawMarker(id: string, key: Uint8Array, draw: number): string {
  return createHmac('sha256', key).update(`${draw}\n${id}`).digest('hex').slice(0, HEX_DIGITS);
}

/** Whether a value of any depth contains a text: in strings, in keys, or in a number as JSON writes it. */
export function containsText(text: string, value: unknown): boolean {
  const pending = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next === 'string' || typeof next === 'number') {
      if (String(next).includes(text)) return true;
    } else if (Array.isArray(next)) {
      for (const item of next) pending.push(item);
    } else if (typeof next === 'object' && next !== null) {
      for (const [key, inner] of Object.entries(next)) pending.push(key, inner);
    }
  }
  return false;
}
