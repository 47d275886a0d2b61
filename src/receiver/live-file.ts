import { createHash } from 'node:crypto';

/** Ends every name of a file of a session, so that no other file of the folder is ever deleted. */
const SUFFIX = '.otlp.jsonl';
const FILE = /^[A-Za-z0-9][\w.-]{0,60}-[0-9a-f]{12}\.otlp\.jsonl$/;

export function isLiveFile(name: string): boolean {
  return FILE.test(name);
}

/** Ids are hostile text: what is left of one names its file for people, and a hash tells it from others. */
export function fileOf(id: string): string {
  const readable = id.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[._-]+/, '');
  const hash = createHash('sha256').update(id).digest('hex').slice(0, 12);
  return `${readable.slice(0, 60) || 'session'}-${hash}${SUFFIX}`;
}
