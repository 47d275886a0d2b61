import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FORMATS } from '../../../../src/formats/index.ts';
import type { FileRange } from '../../../../src/protocol/messages.ts';
import { buildFileView } from '../../../../src/server/results/file-view.ts';
import { FORMAT_LOCATIONS } from '../../../support/format-locations.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { resolve } from '../../formats/read-fixture.ts';
import { type EvaluatedSamples, evaluateSamples } from './evaluate-samples.ts';

const FIXTURES = join(import.meta.dirname, '../../../fixtures/formats');

/** What a place is to hold, whatever the format writes around it. */
const HOLDS: Readonly<Record<string, RegExp>> = {
  'state-change': /refund_order/,
  'amount-stated': /\$42\.50/,
  'unknown-tool': /cancel_order/,
};

describe('locations', () => {
  it.each(FORMAT_LOCATIONS)('of %s (%s) match the text', async (file, format, turns, places) => {
    const samples = await evaluateSamples(FIXTURES, file);
    const text = await readFile(join(FIXTURES, file), 'utf8');
    const { sessions } = viewed(samples);
    expect(new Set(sessions.map(({ results }) => results.detail.report.source.format))).toEqual(new Set([format]));
    expect(sessions.flatMap((session) => session.turns.map(({ range }) => range.start.line + 1))).toEqual(turns);
    for (const [rule, place] of Object.entries(places)) {
      const { failures = [], observations = [] } = sessions[0]?.results ?? {};
      const range = [...failures, ...observations].find(
        (each) => each.rule === rule && each.location.uri === samples.uri,
      )?.location.range;
      expect(range && shown(range)).toBe(place);
      expect(range && textAt(text, range)).toMatch(HOLDS[rule] ?? /./);
    }
  });

  it('are resolved for every format', () => {
    expect(FORMAT_LOCATIONS.map(([, format]) => format).sort()).toEqual(FORMATS.map(({ name }) => name).sort());
  });
});

describe.each(FORMAT_LOCATIONS.map(([file]) => file))('the places of %s', (file) => {
  const isLines = file.endsWith('.jsonl');
  const variants: (readonly [what: string, change: (text: string) => string])[] = [
    ['with Windows line breaks', (text) => text.replaceAll(/\r?\n/g, '\r\n')],
    ['with emoji before them', (text) => text.replaceAll('A-1001', 'A-😀1001')],
  ];
  if (!isLines) {
    variants.push(
      ['indented with tabs', (text) => JSON.stringify(JSON.parse(text), null, '\t')],
      ['on one line, with emoji', (text) => JSON.stringify(JSON.parse(text)).replaceAll('A-1001', 'A-😀1001')],
    );
  }

  it.each(variants)('cover what their pointers lead to %s', async (_what, change) => {
    const text = change(await readFile(join(FIXTURES, file), 'utf8'));
    await using folder = await temporaryFolder({ [file]: text });
    const samples = await evaluateSamples(folder.path, file);
    const document = isLines ? text.split(/\r?\n/).map((line) => line && JSON.parse(line)) : JSON.parse(text);
    const places = placesOf(samples, join(folder.path, file));
    const before = placesOf(await evaluateSamples(FIXTURES, file), join(FIXTURES, file));
    expect(places.map(({ pointer }) => pointer)).toEqual(before.map(({ pointer }) => pointer));
    for (const { pointer, range } of places) {
      expect(JSON.parse(textAt(text, range))).toEqual(resolve(document, pointer));
    }
    const lengths = text.split(/\r\n|\n/).map(({ length }) => length);
    for (const { range, lineEnd } of viewed(samples).sessions.flatMap(({ turns }) => turns)) {
      const { line } = range.start;
      expect(lineEnd.start).toEqual({ line, character: lengths[line] });
    }
  });
});

function viewed({ uri, results }: EvaluatedSamples) {
  const view = buildFileView(uri, results);
  if (!view) throw new Error(`Nothing is held of ${basename(uri)}.`);
  return view;
}

/** All that is shown somewhere, with what its place is to hold. */
function placesOf(samples: EvaluatedSamples, path: string): { readonly pointer: string; readonly range: FileRange }[] {
  const turns = viewed(samples).sessions.flatMap(({ results, turns }) =>
    turns.map(({ summary: facts, range }) => {
      const pointer = results.detail.report.turns.find(({ index }) => index === facts.index)?.pointer ?? '';
      return { pointer, range };
    }),
  );
  const findings = viewed(samples).sessions.flatMap(({ results }) => [...results.failures, ...results.observations]);
  const proven = findings
    .filter(({ location }) => location.uri === samples.uri)
    .map(({ pointer, location }) => ({ pointer, range: location.range }));
  if (turns.length === 0) throw new Error(`There are no turns in ${path}.`);
  return [...turns, ...proven];
}

function textAt(text: string, { start, end }: FileRange): string {
  const lines = text.split(/(?<=\r\n|\n|\r(?!\n))/);
  const offset = ({ line, character }: FileRange['start']) => lines.slice(0, line).join('').length + character;
  return text.slice(offset(start), offset(end));
}

function shown({ start, end }: FileRange): string {
  return `${start.line + 1}:${start.character + 1}-${end.line + 1}:${end.character + 1}`;
}
