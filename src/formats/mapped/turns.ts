import { isObject } from '../../core/json.ts';
import type { Turn } from '../../core/session.ts';
import { UniqueIds, uniqueTurnId } from '../ids.ts';
import type { Problems } from '../problems.ts';
import { readCall } from './calls.ts';
import type { Mapping } from './mapping.ts';
import { type MappedValue, unwrapJsonText } from './path.ts';
import type { PathResolver } from './path-resolver.ts';

/** Reads the entries of a log that has one entry per turn. */
export function readTurns(
  places: Iterable<MappedValue>,
  mapping: NonNullable<Mapping['turns']>,
  resolver: PathResolver,
  problems: Problems,
): Turn[] {
  const ids = new UniqueIds();
  const { calls } = mapping;
  const turns: Turn[] = [];
  for (const place of places) {
    const { pointer } = place;
    const input = resolver.text('turns.input', mapping.input, place);
    const output = resolver.text('turns.output', mapping.output, place);
    const reference = resolver.text('turns.reference', mapping.reference, place);
    const called = calls ? resolver.entries('turns.calls.path', calls.path, place) : [];
    const isSilent = !input && !output && called.length === 0;
    if (isSilent && !isObject(unwrapJsonText(place).value)) {
      problems.warn('not-a-turn', pointer, 'Entry skipped: it is not an object, and nothing of a turn is in it.');
      continue;
    }
    if (isSilent) problems.warn('no-content', pointer, NO_CONTENT);
    turns.push({
      id: uniqueTurnId(ids, resolver.id('turns.id', mapping.id, place) ?? `t${turns.length + 1}`, pointer, problems),
      pointer,
      input: input?.text ?? null,
      inputPointer: input?.pointer,
      output: output?.text || null,
      outputPointer: output?.text ? output.pointer : undefined,
      startedAt: resolver.time('turns.startedAt', mapping.startedAt, place),
      endedAt: resolver.time('turns.endedAt', mapping.endedAt, place),
      steps: called.flatMap((entry) => (calls && readCall(entry, calls, 'turns.calls', resolver, problems)) ?? []),
      reference: reference ? { response: reference.text } : undefined,
      ...(isSilent ? { captured: false as const } : {}),
    });
  }
  return turns;
}

const NO_CONTENT =
  'No content was found in this turn: neither what was asked, nor an answer, nor a tool call. Check whether the log keeps it, and the paths of map.turns.';
