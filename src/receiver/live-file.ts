import { createHash } from 'node:crypto';

/** Ends every name of a file of a session, so that no other file of the folder is ever deleted. */
const SUFFIX = '.otlp.jsonl';
const FILE = /^[A-Za-z0-9][\w.-]{0,60}-[0-9a-f]{12}\.otlp\.jsonl$/;

export function isLiveFile(name: string): boolean {
  return FILE.test(name);
}

/** Letters, digits, and what separates them in ids. */
const ID = /^[\w.:/-]{1,40}$/;
const SEPARATORS = /[_.:/-]+/;

/** What ids begin with. */
const KINDS: ReadonlySet<string> = new Set(
  'call case chat conv conversation order request run session task thread ticket trace user'.split(' '),
);

/** A number, also with two letters before it, or a part of a UUID. */
const PART_OF_ID = /^(?:[a-z]|[a-z]{0,2}\d+|(?=[a-f]*\d)[0-9a-f]+)$/i;

/**
 * Ids are text of a trace, and the name of a file is read where nothing marks it as such: by people, and by coding agents. It has what
 * can say nothing, such as `conv-42`; a hash tells it from others.
 */
export function fileOf(id: string): string {
  const parts = ID.test(id) ? id.split(SEPARATORS) : [];
  const isPlain = parts.every((part, index) => PART_OF_ID.test(part) || (index === 0 && KINDS.has(part)));
  const hash = createHash('sha256').update(id).digest('hex').slice(0, 12);
  return `${isPlain && parts.length > 0 ? parts.join('-') : 'session'}-${hash}${SUFFIX}`;
}
