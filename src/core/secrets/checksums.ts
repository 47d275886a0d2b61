import { isObject, parseJson } from '../json.ts';
import { hasSequence } from './value-checks.ts';

/** Its first part is a JSON object with the signature algorithm; its second part is not that of an example. */
export function isWebToken(value: string): boolean {
  const [head = '', claims = ''] = value.split('.', 2).map(decodeBase64);
  const header = parseJson(head);
  return isObject(header) && typeof header.alg === 'string' && !/example/i.test(claims) && !hasSequence(claims);
}

/** Decodes Base64 of either alphabet; empty if it is invalid. */
export function decodeBase64(part: string): string {
  try {
    return atob(part.replaceAll('-', '+').replaceAll('_', '/'));
  } catch {
    return '';
  }
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * The last six characters of a GitHub token are the CRC-32 of the thirty before them, in base 62.
 * Source: "Behind GitHub's new authentication token formats", the GitHub blog, 2021-04-05.
 */
export function hasGithubChecksum(value: string): boolean {
  let rest = crc32(value.slice(4, -6));
  let checksum = '';
  for (let i = 0; i < 6; i += 1) {
    checksum = BASE62.charAt(rest % 62) + checksum;
    rest = Math.floor(rest / 62);
  }
  return value.endsWith(checksum);
}

/** Of ASCII text: ISO 3309, as zlib computes it. */
function crc32(text: string): number {
  let crc = 0xffffffff;
  for (let i = 0; i < text.length; i += 1) {
    crc ^= text.charCodeAt(i);
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}
