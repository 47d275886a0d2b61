import { limitList } from '../../core/text/lists.ts';
import { closestName } from '../../rules/shared/closest-name.ts';
import { codeSpan, formatArguments, formatValue } from '../../rules/shared/message-format.ts';
import { argumentSimilarity, type CallAlignment, type CallSignature } from './call-matching.ts';

/** One line of an alignment: positions from zero, null where a side has no such call, and expected against actual. */
export interface AlignedCall {
  readonly match: 'same' | 'moved' | 'arguments' | 'missing' | 'unexpected';
  readonly expected: number | null;
  readonly actual: number | null;
  readonly reason: string;
}

/** An alignment in words: the expected calls in their order, then the unexpected ones in theirs. */
export function describeAlignment(
  { matches, unexpected }: CallAlignment,
  expected: readonly CallSignature[],
  actual: readonly CallSignature[],
): AlignedCall[] {
  const spare = unexpected.flatMap((index) => actual[index] ?? []);
  const lines = expected.map((call, index): AlignedCall => {
    const match = matches[index];
    const made = match && actual[match.actual];
    if (!match || !made) {
      const reason = `Expected as call ${index + 1}: ${describeCall(call)}; it was not made.${suggestTool(call.name, spare)}`;
      return { match: 'missing', expected: index, actual: null, reason };
    }
    return {
      match: match.kind,
      expected: index,
      actual: match.actual,
      reason: describeMatch(match, call, made, index),
    };
  });
  const extra = unexpected.flatMap((index): AlignedCall[] => {
    const made = actual[index];
    if (!made) return [];
    return [
      {
        match: 'unexpected',
        expected: null,
        actual: index,
        reason: `Call ${index + 1}, not expected: ${describeCall(made)}.`,
      },
    ];
  });
  return [...lines, ...extra];
}

function describeMatch(
  { kind, actual }: NonNullable<CallAlignment['matches'][number]>,
  call: CallSignature,
  made: CallSignature,
  index: number,
) {
  switch (kind) {
    case 'same':
      return `Call ${actual + 1} is as expected: ${describeCall(made)}.`;
    case 'moved':
      return `Expected as call ${index + 1}: ${describeCall(call)}; it came as call ${actual + 1}.`;
    case 'arguments':
      return `Call ${actual + 1}, ${codeSpan(call.name)}: ${describeDifferences(call.arguments, made.arguments)}.`;
  }
}

const MAX_DIFFERENCES = 3;

/** `expected city "Paris", actual "London"; unit "C" was not expected`. */
function describeDifferences(expected: CallSignature['arguments'], actual: CallSignature['arguments']): string {
  if (typeof expected === 'string' || typeof actual === 'string') {
    return `expected ${formatArguments(expected)}, actual ${formatArguments(actual)}`;
  }
  const differences = [...new Set([...Object.keys(expected), ...Object.keys(actual)])].flatMap((key) => {
    if (!Object.hasOwn(actual, key)) return `expected ${codeSpan(key)} ${formatValue(expected[key])}, actual none`;
    if (!Object.hasOwn(expected, key)) return `${codeSpan(key)} ${formatValue(actual[key])} was not expected`;
    if (argumentSimilarity(expected[key], actual[key]) === 1) return [];
    return `expected ${codeSpan(key)} ${formatValue(expected[key])}, actual ${formatValue(actual[key])}`;
  });
  return limitList(differences, MAX_DIFFERENCES).join('; ');
}

/** `get_weather with city "Paris"`. */
function describeCall(call: CallSignature): string {
  return `${codeSpan(call.name)} ${formatArguments(call.arguments)}`;
}

/** Suggests an unexpected call with a similar name, as a sentence after a space; empty if there is none. */
export function suggestTool(name: string, unexpected: readonly Pick<CallSignature, 'name'>[]): string {
  const near = closestName(name, [...new Set(unexpected.map((call) => call.name))]);
  return near === null ? '' : ` Did you mean ${codeSpan(near)}?`;
}

const MAX_SENTENCES = 3;

/** The first few sentences, and the number of others. */
export function firstSentences(sentences: readonly string[]): string {
  const more = sentences.length - MAX_SENTENCES;
  return [...sentences.slice(0, MAX_SENTENCES), ...(more > 0 ? [`And ${more} more.`] : [])].join(' ');
}
