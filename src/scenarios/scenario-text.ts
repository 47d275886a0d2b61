import { sanitizeLine } from '../core/sanitize.ts';
import { scanJson } from '../core/scan-json.ts';
import { truncate } from '../core/text/truncate.ts';
import { baseName } from '../input/paths.ts';
import type { ScenarioDraft } from './scenario-from-session.ts';

/** A scenario as text, and where a person has to complete it. */
export interface ScenarioText {
  readonly text: string;
  /** Zero-based line of the first blank; null where there is none. */
  readonly blankLine: number | null;
}

/** Longer scenarios are not written: an editor does not open them. */
const MAX_LENGTH = 10_000_000;
const MAX_COMMENT = 300;

/** Stands only in comments: in values it is written as an escape. */
const MARK = '\u0001';

/** Writes a scenario as YAML. @throws Error where it is too long. */
export async function writeScenarioText({
  from,
  hasFinalState,
  turns,
  ...scenario
}: ScenarioDraft): Promise<ScenarioText> {
  const { Document } = await import('../config/yaml.ts');
  const plain = turns.map(({ found: _, ...turn }) => turn);
  const { mocks, ...head } = scenario;
  const document = new Document(
    { ...head, turns: plain, ...(mocks ? { mocks } : {}) },
    { aliasDuplicateObjects: false },
  );
  document.commentBefore = comment([...origin(from), ...(hasFinalState ? [NO_STATE] : [])]);
  for (const [index, { found, assertions }] of turns.entries()) {
    if (!found) continue;
    const path = ['turns', index, ...(assertions ? ['assertions'] : [])];
    const node = document.getIn(path, true);
    const lines = [
      `${MARK}TODO: what should have happened? Write it as "toolCalls" or "answer".`,
      'Found in this turn:',
    ];
    const blank = comment([...lines, ...found.map((text) => `- ${text}`)]);
    if (isCommentable(node)) node[assertions ? 'commentBefore' : 'comment'] = blank;
  }
  const options = { lineWidth: 0, doubleQuotedMinMultiLineLength: MAX_LENGTH } as const;
  const written = document.toString(options);
  // Texts with many brackets look deeply nested, unless they are quoted.
  const marked =
    scanJson(written).tooDeepAt === null
      ? written
      : document.toString({ ...options, blockQuote: false, defaultStringType: 'QUOTE_DOUBLE' });
  if (marked.length > MAX_LENGTH) {
    throw new Error(
      `The scenario would have more than ${MAX_LENGTH / 1_000_000} MB: the results of tools are too long.`,
    );
  }
  const at = marked.indexOf(MARK);
  return {
    text: marked.replaceAll(MARK, ''),
    blankLine: at < 0 ? null : marked.slice(0, at).split('\n').length - 1,
  };
}

const NO_STATE =
  'The final state of the trace is not checked: mocks that are data have none. A scenario in code can, with "mocks.state" and "finalState".';

function origin({ id, source }: ScenarioDraft['from']): string[] {
  const file = baseName(source.file);
  return [
    `Made from session ${id} of ${file}.`,
    `An agent with "type: replay", this file and this session gives the recorded answers again.`,
  ];
}

/** Lines of a comment: text of the trace has no line breaks in it. */
function comment(lines: readonly string[]): string {
  return lines
    .map((line) => {
      const isMarked = line.startsWith(MARK);
      return ` ${isMarked ? MARK : ''}${truncate(sanitizeLine(line), MAX_COMMENT)}`;
    })
    .join('\n');
}

function isCommentable(node: unknown): node is { commentBefore?: string; comment?: string } {
  return typeof node === 'object' && node !== null;
}
