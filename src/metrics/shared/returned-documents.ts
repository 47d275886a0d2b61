import { isObject, type JsonObject, parseJson } from '../../core/json.ts';
import { trimEnd } from '../../core/text/trim-end.ts';

/** The ids and URLs of one document; empty if it has none. */
export type DocumentNames = readonly string[];

/** How much of a result is read. */
const MAX_DOCUMENTS = 2000;
const MAX_VALUES = 20_000;
const MAX_TEXT = 500_000;

/** Keys of ids and URLs in lower case, without `_` and `-`; the first ones identify a document best. */
const NAME_KEYS = [
  'id',
  'docid',
  'documentid',
  'chunkid',
  'passageid',
  'articleid',
  'pageid',
  'fileid',
  'url',
  'uri',
  'link',
  'href',
  'permalink',
  'source',
  'sourceurl',
];

/** Keys of lists that consist of ids or URLs alone. */
const NAME_LIST = /(^|_)(ids?|urls?|uris?|links|sources|documents|docs|results|matches)$/i;

interface PendingValue {
  readonly value: unknown;
  /** Of the value, or of the list it is in. */
  readonly key: string;
  readonly inList: boolean;
}

/**
 * The documents that the result of a tool call lists: objects with an id or a URL, lists of ids or URLs, and URLs in a text.
 * Null if the result is no list of documents.
 */
export function returnedDocuments(result: unknown): readonly DocumentNames[] | null {
  const documents: DocumentNames[] = [];
  const pending: PendingValue[] = [{ value: result, key: 'results', inList: false }];
  let hasList = false;
  for (let read = 0; pending.length > 0 && read < MAX_VALUES && documents.length < MAX_DOCUMENTS; read += 1) {
    const next = pending.pop();
    if (!next) break;
    const value = unwrapJson(next.value);
    if (Array.isArray(value)) {
      hasList ||= value.length === 0;
      for (const item of value.slice(0, MAX_DOCUMENTS).toReversed())
        pending.push({ value: item, key: next.key, inList: true });
    } else if (isObject(value)) {
      const names = documentNames(value);
      if (names.length > 0 && !hasDocuments(value)) documents.push(names);
      else
        for (const [key, inner] of Object.entries(value).toReversed())
          pending.push({ value: inner, key, inList: false });
    } else if (typeof value === 'string') {
      const urls = urlsIn(value);
      if (urls.length > 0) documents.push(...urls.map((url) => [url]));
      else if (next.inList && NAME_LIST.test(next.key) && isName(value)) documents.push([value]);
    }
  }
  return documents.length > 0 || hasList ? documents : null;
}

/** Whether an object is the envelope of a list of documents, such as a response with an id of its own. */
function hasDocuments(value: JsonObject): boolean {
  return Object.values(value).some(
    (inner) => Array.isArray(inner) && inner.some((item) => isObject(item) && documentNames(item).length > 0),
  );
}

/** Of the object itself, else of its metadata, as LangChain's documents have them. */
function documentNames(value: JsonObject): DocumentNames {
  const names = namesIn(value);
  return names.length === 0 && isObject(value.metadata) ? namesIn(value.metadata) : names;
}

function namesIn(value: JsonObject): string[] {
  const byKey = new Map(Object.entries(value).map(([key, inner]) => [key.toLowerCase().replace(/[_-]/g, ''), inner]));
  return NAME_KEYS.flatMap((key) => {
    const name = byKey.get(key);
    if (typeof name === 'number') return [String(name)];
    return typeof name === 'string' && isName(name) ? [normalizeName(name)] : [];
  });
}

/** An id or a URL has no spaces. */
function isName(text: string): boolean {
  return text.length > 0 && text.length <= 2000 && !/\s/.test(text);
}

function urlsIn(text: string): string[] {
  const urls = text.slice(0, MAX_TEXT).match(/https?:\/\/[^\s<>"'`)\]}]+/g) ?? [];
  return urls.slice(0, MAX_DOCUMENTS).map((url) => normalizeName(trimEnd(url, /[.,;:!?]/)));
}

/** URLs are compared without their fragment and a slash at the end. */
export function normalizeName(name: string): string {
  if (!/^https?:\/\//i.test(name)) return name;
  const url = URL.parse(name);
  if (!url) return name;
  url.hash = '';
  return url.href.replace(/\/$/, '');
}

function unwrapJson(value: unknown): unknown {
  if (typeof value !== 'string' || value.length > MAX_TEXT || !/^\s{0,9}[[{]/.test(value)) return value;
  const parsed = parseJson(value);
  return typeof parsed === 'object' && parsed !== null ? parsed : value;
}
