import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw, type ZlibOptions } from 'node:zlib';
import { getString } from '../core/json.ts';
import { ModelError } from './model-error.ts';

const MB = 1024 * 1024;
/** The longest response of a model that is read, in bytes, before and after decompression. */
export const MAX_RESPONSE_BYTES = 64 * MB;

/** Layers of compression: servers use one, and a proxy may add another. */
const MAX_LAYERS = 2;

type Decompress = (bytes: Buffer, options: ZlibOptions) => Promise<Buffer>;

const inflateWrapped = promisify<Buffer, ZlibOptions, Buffer>(inflate);
const inflateBare = promisify<Buffer, ZlibOptions, Buffer>(inflateRaw);

/** By the name in `Content-Encoding`. Servers compress unasked, so all that they commonly use is understood. */
const DECOMPRESS: ReadonlyMap<string, Decompress> = new Map([
  ['gzip', promisify<Buffer, ZlibOptions, Buffer>(gunzip)],
  ['x-gzip', promisify<Buffer, ZlibOptions, Buffer>(gunzip)],
  // The standard wraps the data in zlib's format, and some servers do not: the first byte tells.
  ['deflate', (bytes, options) => (((bytes[0] ?? 0) & 0x0f) === 8 ? inflateWrapped : inflateBare)(bytes, options)],
  ['br', promisify<Buffer, ZlibOptions, Buffer>(brotliDecompress)],
]);

/**
 * Reads a response as text: decompressed, and decoded by its byte order mark or its charset.
 *
 * @param host for messages.
 * @throws ModelError if it is too long or its compression is broken or unknown.
 */
export async function readBody(response: IncomingMessage, host: string, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += chunk.length;
    if (size > maxBytes) throw tooLong(host, maxBytes);
    chunks.push(chunk);
  }
  const bytes = await decompress(Buffer.concat(chunks), response.headers, { host, maxBytes });
  return decoderFor(bytes, response.headers).decode(bytes);
}

function tooLong(host: string, maxBytes: number): ModelError {
  return new ModelError('no_answer', `${host} sent more than ${maxBytes / MB} MB, which is not an answer.`);
}

async function decompress(
  compressed: Buffer,
  headers: IncomingHttpHeaders,
  { host, maxBytes }: { readonly host: string; readonly maxBytes: number },
): Promise<Buffer> {
  const encodings = (headers['content-encoding'] ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity');
  let bytes = compressed;
  // A response without a body has none to decompress, whatever its header says. The last encoding was applied last.
  for (const encoding of bytes.length === 0 ? [] : encodings.reverse()) {
    const layer = encodings.length > MAX_LAYERS ? undefined : DECOMPRESS.get(encoding);
    if (!layer) {
      const names = encodings.length > MAX_LAYERS ? `${encodings.length} encodings` : `the encoding "${encoding}"`;
      throw new ModelError('no_answer', `${host} sent a response in ${names}, which cannot be read.`);
    }
    bytes = await layer(bytes, { maxOutputLength: maxBytes }).catch((cause: unknown) => {
      throw getString(cause, 'code') === 'ERR_BUFFER_TOO_LARGE'
        ? tooLong(host, maxBytes)
        : new ModelError(
            'no_answer',
            `${host} sent a compressed response (${encoding}) that is truncated or damaged.`,
            {
              cause,
            },
          );
    });
  }
  return bytes;
}

/** JSON is UTF-8. A byte order mark or a charset says otherwise, and a charset that nobody knows says nothing. */
function decoderFor(bytes: Buffer, headers: IncomingHttpHeaders): InstanceType<typeof TextDecoder> {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le');
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be');
  const isMarkedUtf8 = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const charset = /;\s*charset\s*=\s*"?([\w.:-]{1,40})/i.exec(headers['content-type'] ?? '')?.[1];
  if (isMarkedUtf8 || charset === undefined) return new TextDecoder();
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}
