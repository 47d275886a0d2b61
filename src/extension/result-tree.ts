import type { FileRow, SessionRow } from '../protocol/messages.ts';
import type { OutlineRow, ResultsOutline } from '../protocol/results-outline.ts';
import { moreNodes, type ResultNode } from './result-nodes.ts';

/** How sessions are grouped. */
export type Grouping = 'file' | 'verdict';

/** Facts about the whole tree that its rows depend on. */
export interface TreeOptions {
  /** The number of all sessions. */
  readonly sessions: number;
  /** Whether a file is too large for extensions. */
  isTooLarge(uri: string): boolean;
}

/** The id of the top-level list; other lists have the id of their parent row. */
export const ROOT_LIST = '';

/** Up to this many sessions are expanded. */
const MAX_EXPANDED = 3;

const VERDICTS = ['failed', 'undecided', 'passed'] as const;

/** The top-level rows. */
export function rootNodes(
  { total, rows, verdicts }: ResultsOutline,
  grouping: Grouping,
  look: TreeOptions,
): ResultNode[] {
  const hidden = moreNodes(ROOT_LIST, total - rows.length);
  if (grouping === 'file') return [...rows.flatMap((row) => fileNodes(row, look)), ...hidden];
  const files = rows.map(({ file }) => file);
  return [
    ...files.flatMap(problemNodes),
    ...VERDICTS.flatMap((verdict) => verdictNodes(verdict, verdicts)),
    ...files.filter(isNew).map(newNode),
    ...hidden,
  ];
}

/** Sessions without a verdict count as undecided. */
function verdictNodes(verdict: (typeof VERDICTS)[number], verdicts: ResultsOutline['verdicts']): ResultNode[] {
  const sessions = verdicts[verdict] + (verdict === 'undecided' ? verdicts.pending : 0);
  return sessions === 0 ? [] : [{ type: 'verdict', id: `verdict ${verdict}`, verdict, sessions }];
}

/** A file with one session is shown as that session, an unreadable file as its problems. */
function fileNodes({ file, session }: OutlineRow, look: TreeOptions): ResultNode[] {
  if (isNew(file)) return [newNode(file)];
  if (session && file.problems.length === 0) return [sessionNode(session, look, true)];
  if (file.sessions === 0 && file.problems.length > 0) return problemNodes(file);
  const { uri } = file;
  return [{ type: 'file', id: `file ${uri}`, row: file, isOpen: isOpen(look), isTooLarge: look.isTooLarge(uri) }];
}

export function sessionNode(row: SessionRow, look: TreeOptions, isAlone: boolean): ResultNode {
  const isTooLarge = look.isTooLarge(row.location.uri);
  return { type: 'session', id: `session ${row.key}`, row, isAlone, isOpen: isOpen(look), isTooLarge };
}

export function problemNodes({ uri, problems }: FileRow): ResultNode[] {
  return problems.map((row, at) => ({ type: 'problem', id: `problem ${uri} ${at}`, row }));
}

function newNode(row: FileRow): ResultNode {
  return { type: 'new', id: `new ${row.uri}`, row };
}

function isNew({ state }: FileRow): boolean {
  return state === 'new';
}

function isOpen({ sessions }: TreeOptions): boolean {
  return sessions <= MAX_EXPANDED;
}
