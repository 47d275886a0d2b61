import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseJson } from '../../src/core/json.ts';

export interface TextOfFile {
  readonly file: string;
  readonly text: string;
}

/** The text of every file in a folder, and every text in its JSON as a reader of traces has it. */
export function* textsIn(folder: string): Generator<TextOfFile> {
  const names = statSync(folder).isFile() ? [''] : readdirSync(folder, { recursive: true, encoding: 'utf8' });
  for (const name of names) {
    const file = join(folder, name);
    if (!statSync(file).isFile() || /\.(?:eval|png|gif|svg|zip)$/.test(file)) continue;
    const text = readFileSync(file, 'utf8');
    yield { file, text };
    for (const document of file.endsWith('.jsonl') ? text.split('\n') : [text]) {
      for (const part of textsOf(parseJson(document))) yield { file, text: part };
    }
  }
}

function* textsOf(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null) for (const item of Object.values(value)) yield* textsOf(item);
}
