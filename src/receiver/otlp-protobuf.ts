import { PbfReader, PbfWriter } from 'pbf';
import type { JsonObject } from '../core/json.ts';

/**
 * Requests of OTLP in protobuf as the same values that they have in OTLP's JSON: ids in hexadecimal, 64-bit integers as digits.
 * The fields are those of `opentelemetry-proto` 1.7; others are skipped, as protobuf demands.
 */

/** The body is no message of this kind. */
export class BrokenMessage extends Error {
  override readonly name = 'BrokenMessage';
}

type Scalar = 'string' | 'hex' | 'bytes' | 'fixed64' | 'fixed32' | 'int64' | 'integer' | 'bool' | 'double';

interface Field {
  readonly name: string;
  readonly type: Scalar | { readonly message: () => Message };
  readonly isRepeated?: true;
}

type Message = ReadonlyMap<number, Field>;

type FieldRow = readonly [number: number, name: string, type: Scalar | (() => Message), repeated?: 'repeated'];

function message(...rows: readonly FieldRow[]): Message {
  return new Map(
    rows.map(([number, name, type, repeated]) => [
      number,
      {
        name,
        type: typeof type === 'function' ? { message: type } : type,
        ...(repeated && { isRepeated: true as const }),
      },
    ]),
  );
}

const ANY_VALUE: Message = message(
  [1, 'stringValue', 'string'],
  [2, 'boolValue', 'bool'],
  [3, 'intValue', 'int64'],
  [4, 'doubleValue', 'double'],
  [5, 'arrayValue', () => ARRAY_VALUE],
  [6, 'kvlistValue', () => KEY_VALUE_LIST],
  [7, 'bytesValue', 'bytes'],
);
const ARRAY_VALUE = message([1, 'values', () => ANY_VALUE, 'repeated']);
const KEY_VALUE = message([1, 'key', 'string'], [2, 'value', () => ANY_VALUE]);
const KEY_VALUE_LIST = message([1, 'values', () => KEY_VALUE, 'repeated']);
const RESOURCE = message([1, 'attributes', () => KEY_VALUE, 'repeated'], [2, 'droppedAttributesCount', 'integer']);
const SCOPE = message(
  [1, 'name', 'string'],
  [2, 'version', 'string'],
  [3, 'attributes', () => KEY_VALUE, 'repeated'],
  [4, 'droppedAttributesCount', 'integer'],
);
const EVENT = message(
  [1, 'timeUnixNano', 'fixed64'],
  [2, 'name', 'string'],
  [3, 'attributes', () => KEY_VALUE, 'repeated'],
  [4, 'droppedAttributesCount', 'integer'],
);
const LINK = message(
  [1, 'traceId', 'hex'],
  [2, 'spanId', 'hex'],
  [3, 'traceState', 'string'],
  [4, 'attributes', () => KEY_VALUE, 'repeated'],
  [5, 'droppedAttributesCount', 'integer'],
  [6, 'flags', 'fixed32'],
);
const STATUS = message([2, 'message', 'string'], [3, 'code', 'integer']);
const SPAN = message(
  [1, 'traceId', 'hex'],
  [2, 'spanId', 'hex'],
  [3, 'traceState', 'string'],
  [4, 'parentSpanId', 'hex'],
  [5, 'name', 'string'],
  [6, 'kind', 'integer'],
  [7, 'startTimeUnixNano', 'fixed64'],
  [8, 'endTimeUnixNano', 'fixed64'],
  [9, 'attributes', () => KEY_VALUE, 'repeated'],
  [10, 'droppedAttributesCount', 'integer'],
  [11, 'events', () => EVENT, 'repeated'],
  [12, 'droppedEventsCount', 'integer'],
  [13, 'links', () => LINK, 'repeated'],
  [14, 'droppedLinksCount', 'integer'],
  [15, 'status', () => STATUS],
  [16, 'flags', 'fixed32'],
);
const LOG_RECORD = message(
  [1, 'timeUnixNano', 'fixed64'],
  [2, 'severityNumber', 'integer'],
  [3, 'severityText', 'string'],
  [5, 'body', () => ANY_VALUE],
  [6, 'attributes', () => KEY_VALUE, 'repeated'],
  [7, 'droppedAttributesCount', 'integer'],
  [8, 'flags', 'fixed32'],
  [9, 'traceId', 'hex'],
  [10, 'spanId', 'hex'],
  [11, 'observedTimeUnixNano', 'fixed64'],
  [12, 'eventName', 'string'],
);
const SCOPE_SPANS = message(
  [1, 'scope', () => SCOPE],
  [2, 'spans', () => SPAN, 'repeated'],
  [3, 'schemaUrl', 'string'],
);
const SCOPE_LOGS = message(
  [1, 'scope', () => SCOPE],
  [2, 'logRecords', () => LOG_RECORD, 'repeated'],
  [3, 'schemaUrl', 'string'],
);
const RESOURCE_SPANS = message(
  [1, 'resource', () => RESOURCE],
  [2, 'scopeSpans', () => SCOPE_SPANS, 'repeated'],
  [3, 'schemaUrl', 'string'],
);
const RESOURCE_LOGS = message(
  [1, 'resource', () => RESOURCE],
  [2, 'scopeLogs', () => SCOPE_LOGS, 'repeated'],
  [3, 'schemaUrl', 'string'],
);
const REQUESTS = {
  traces: message([1, 'resourceSpans', () => RESOURCE_SPANS, 'repeated']),
  logs: message([1, 'resourceLogs', () => RESOURCE_LOGS, 'repeated']),
} as const;

/** What is sent to a path. */
export type OtlpSignal = keyof typeof REQUESTS;

/** Deeper values than any instrumentation records; safe for recursion. */
const MAX_DEPTH = 100;

/** A value takes two bytes in protobuf and far more in memory. */
const MAX_FIELDS = 2_000_000;

/** @throws BrokenMessage */
export function decodeRequest(signal: OtlpSignal, bytes: Uint8Array): JsonObject {
  try {
    return new Decoder(bytes).read(REQUESTS[signal], bytes.length, 0);
  } catch (error) {
    if (error instanceof BrokenMessage) throw error;
    // Of the library: a number that is cut off at the end of the body, or that is too long.
    throw new BrokenMessage('A number is cut off or too long.', { cause: error });
  }
}

class Decoder {
  readonly #reader: PbfReader;
  #fields = 0;

  constructor(bytes: Uint8Array) {
    this.#reader = new PbfReader(bytes);
  }

  read(fields: Message, end: number, depth: number): JsonObject {
    if (depth > MAX_DEPTH) throw new BrokenMessage(`Values are nested more than ${MAX_DEPTH} deep.`);
    const reader = this.#reader;
    const value: Record<string, unknown> = {};
    for (let number = reader.nextField(end); number !== 0; number = reader.nextField(end)) {
      this.#fields += 1;
      if (this.#fields > MAX_FIELDS) throw new BrokenMessage(`There are more than ${MAX_FIELDS} values.`);
      const field = fields.get(number);
      if (!field) {
        if (![0, 1, 2, 5].includes(reader.type)) throw new BrokenMessage('A field has an unknown type.');
        reader.skip(reader.type);
      } else {
        const item = this.#value(field, end, depth);
        const list = value[field.name];
        if (!field.isRepeated) value[field.name] = item;
        else if (Array.isArray(list)) list.push(item);
        else value[field.name] = [item];
      }
      if (!(reader.pos <= end)) throw new BrokenMessage('A value is longer than what contains it.');
    }
    if (reader.pos !== end) throw new BrokenMessage('A field has no number.');
    return value;
  }

  #value({ name, type }: Field, end: number, depth: number): unknown {
    const reader = this.#reader;
    if (reader.type !== wireType(type)) throw new BrokenMessage(`${name} has the wrong type.`);
    if (typeof type === 'object') return this.read(type.message(), this.#innerEnd(end), depth + 1);
    switch (type) {
      case 'fixed64':
        return this.#fixed64().toString();
      case 'fixed32':
        return reader.readFixed32();
      case 'int64':
        return BigInt.asIntN(64, this.#varint()).toString();
      case 'integer':
        return Number(BigInt.asIntN(32, this.#varint()));
      case 'bool':
        return this.#varint() !== 0n;
      case 'double':
        return reader.readDouble();
      case 'string':
        return this.#bytes(end).toString('utf8');
      case 'hex':
        return this.#bytes(end).toString('hex');
      case 'bytes':
        return this.#bytes(end).toString('base64');
    }
  }

  #innerEnd(end: number): number {
    const inner = this.#reader.readVarint() + this.#reader.pos;
    if (!(inner <= end)) throw new BrokenMessage('A value is longer than what contains it.');
    return inner;
  }

  #bytes(end: number): Buffer {
    const inner = this.#innerEnd(end);
    const { buf, pos } = this.#reader;
    this.#reader.pos = inner;
    return Buffer.from(buf.buffer, buf.byteOffset + pos, inner - pos);
  }

  /** The library reads 64 bits as a number, which rounds a time in nanoseconds. */
  #fixed64(): bigint {
    const low = this.#reader.readFixed32();
    return (BigInt(this.#reader.readFixed32()) << 32n) | BigInt(low);
  }

  #varint(): bigint {
    const { buf } = this.#reader;
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = buf[this.#reader.pos];
      if (byte === undefined) throw new BrokenMessage('The body ends inside a value.');
      this.#reader.pos += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new BrokenMessage('A number has more than ten bytes.');
  }
}

function wireType(type: Field['type']): number {
  if (typeof type === 'object') return 2;
  if (type === 'fixed64' || type === 'double') return 1;
  if (type === 'fixed32') return 5;
  return type === 'string' || type === 'hex' || type === 'bytes' ? 2 : 0;
}

/** What was not taken of a request, and why. */
export interface PartialSuccess {
  readonly rejected: number;
  readonly reason: string;
}

/** `ExportTraceServiceResponse` or `ExportLogsServiceResponse`: both have the same fields. */
export function encodeResponse(partial: PartialSuccess | null): Uint8Array {
  const writer = new PbfWriter();
  if (partial) {
    writer.writeMessage(
      1,
      ({ rejected, reason }: PartialSuccess, pbf) => {
        pbf.writeVarintField(1, rejected);
        pbf.writeStringField(2, reason);
      },
      partial,
    );
  }
  return writer.finish();
}

/** `google.rpc.Status`, with which OTLP answers what it does not take. */
export function encodeStatus(code: number, text: string): Uint8Array {
  const writer = new PbfWriter();
  writer.writeVarintField(1, code);
  writer.writeStringField(2, text);
  return writer.finish();
}
