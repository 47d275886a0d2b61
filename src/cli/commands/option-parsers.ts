import { InvalidArgumentError } from 'commander';

export function wholeNumberFrom(minimum: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (text.trim() !== '' && Number.isSafeInteger(number) && number >= minimum) return number;
    throw new InvalidArgumentError(`Must be a whole number, ${minimum} or more.`);
  };
}

/** 0: any free one. */
export function portNumber(text: string): number {
  const number = Number(text);
  if (text.trim() !== '' && Number.isSafeInteger(number) && number >= 0 && number <= 65_535) return number;
  throw new InvalidArgumentError('Must be a port, 0 to 65535.');
}

export function parseShare(text: string): number {
  const number = Number(text);
  if (text.trim() !== '' && number >= 0 && number <= 1) return number;
  throw new InvalidArgumentError('Must be a number from 0 to 1.');
}

/** Each part is read by one process. */
const MAX_SHARDS = 1000;

/** Of `2/8`. */
export function parseShard(text: string): { readonly index: number; readonly of: number } {
  const [, index = 0, of = 0] = (/^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? []).map(Number);
  if (index >= 1 && index <= of && of <= MAX_SHARDS) return { index, of };
  throw new InvalidArgumentError(`Must be a number and how many there are, such as 2/8; at most ${MAX_SHARDS}.`);
}

export function parseNames(text: string, before: readonly string[] = []): string[] {
  const values = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (values.length === 0) throw new InvalidArgumentError('Must be names of metrics, separated by commas.');
  return [...before, ...values];
}

/** For an option that can be repeated. */
export function collect(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}
