import * as z from 'zod';
import { get, parseJson } from '../core/json.ts';

/** A table of numbers, read where it stands in the bytes of its file. */
export interface Tensor {
  /** Rows first. */
  readonly shape: readonly number[];
  /** @param index of the number, counted row by row; the caller keeps it within the shape. */
  readonly at: (index: number) => number;
}

interface NumberType {
  readonly bytes: number;
  readonly read: (view: DataView, offset: number) => number;
}

/** The types that model2vec writes, by their names in the format. */
const NUMBER_TYPES: ReadonlyMap<string, NumberType> = new Map<string, NumberType>([
  ['F64', { bytes: 8, read: (view, offset) => view.getFloat64(offset, true) }],
  ['F32', { bytes: 4, read: (view, offset) => view.getFloat32(offset, true) }],
  ['F16', { bytes: 2, read: readHalf }],
  ['I8', { bytes: 1, read: (view, offset) => view.getInt8(offset) }],
  ['I32', { bytes: 4, read: (view, offset) => view.getInt32(offset, true) }],
  ['I64', { bytes: 8, read: (view, offset) => Number(view.getBigInt64(offset, true)) }],
]);

const size = z.int().min(0);
const tensorEntry = z.looseObject({
  dtype: z.string(),
  shape: z.array(size),
  data_offsets: z.tuple([size, size]),
});

/** Bytes before the header: its length. */
const LENGTH_BYTES = 8;

/**
 * Opens a file in the safetensors format: the length of the header as a 64-bit number, the header as JSON, and the numbers.
 * A tensor is checked against the header and the file when it is looked up.
 *
 * @returns looks up a tensor by its name; null if there is none.
 * @throws Error whose message is a clause about the file
 */
export function openSafetensors(bytes: Uint8Array): (name: string) => Tensor | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const headerLength = bytes.length < LENGTH_BYTES ? 0n : view.getBigUint64(0, true);
  if (headerLength === 0n || headerLength > BigInt(bytes.length - LENGTH_BYTES)) {
    throw new Error('is no safetensors file, or was cut off');
  }
  const start = LENGTH_BYTES + Number(headerLength);
  const header = parseJson(new TextDecoder().decode(bytes.subarray(LENGTH_BYTES, start)));
  if (header === undefined) throw new Error('is no safetensors file: its header is not JSON');

  return (name) => {
    const written = get(header, name);
    if (written === undefined) return null;
    const entry = tensorEntry.safeParse(written).data;
    if (!entry) throw new Error(`has a damaged header: the entry "${name}" is malformed`);
    const type = NUMBER_TYPES.get(entry.dtype);
    if (!type) {
      const known = [...NUMBER_TYPES.keys()].join(', ');
      throw new Error(
        `has "${name}" as numbers of the type ${JSON.stringify(entry.dtype)}; it must be one of ${known}`,
      );
    }
    const [from, to] = entry.data_offsets;
    const length = entry.shape.reduce((product, dimension) => product * dimension, 1) * type.bytes;
    if (to - from !== length || to > bytes.length - start) {
      throw new Error(`is damaged or was cut off: "${name}" does not have the length that the header says`);
    }
    return { shape: entry.shape, at: (index) => type.read(view, start + from + index * type.bytes) };
  };
}

/** IEEE 754 half precision. `DataView.getFloat16` is missing in Node 22. */
function readHalf(view: DataView, offset: number): number {
  const bits = view.getUint16(offset, true);
  const sign = bits >> 15 === 0 ? 1 : -1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
