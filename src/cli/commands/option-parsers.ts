import { InvalidArgumentError } from 'commander';

export function wholeNumberFrom(minimum: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (text.trim() !== '' && Number.isSafeInteger(number) && number >= minimum) return number;
    throw new InvalidArgumentError(`Must be a whole number, ${minimum} or more.`);
  };
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
