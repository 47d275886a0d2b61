import { crc32 } from 'node:zlib';
import { BASE62, randomText } from './random-text.ts';

/** Six characters of base 62, as an independent implementation of CRC-32 has them. */
function checksumOf(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let i = 0; i < 6; i += 1) {
    digits = BASE62.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

/** A valid token of GitHub that was never issued. */
export function githubToken(seed: number): string {
  const body = randomText(seed, 30, BASE62);
  return `ghp_${body}${checksumOf(body)}`;
}
