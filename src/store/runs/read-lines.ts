/** A longer line is no line of a record, and is skipped. */
const MAX_LINE_BYTES = 256 * 2 ** 20;

const NEWLINE = 10;

/**
 * The lines of a stream, without their ends; the last one may be written in part. Damaged compressed data ends them, since it
 * takes nothing from what precedes it.
 *
 * @throws the system's error, except where there is no file
 */
export async function* readLines(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of stream) {
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
        const rest = chunk.subarray(start, end);
        if (bytes + rest.length <= MAX_LINE_BYTES) yield parts.length === 0 ? rest : Buffer.concat([...parts, rest]);
        parts = [];
        bytes = 0;
        start = end + 1;
      }
      bytes += chunk.length - start;
      if (bytes <= MAX_LINE_BYTES) parts.push(chunk.subarray(start));
      else parts = [];
    }
    if (bytes > 0 && bytes <= MAX_LINE_BYTES) yield Buffer.concat(parts);
  } catch (error) {
    if (error instanceof Error && 'syscall' in error && 'code' in error && error.code !== 'ENOENT') throw error;
  }
}
