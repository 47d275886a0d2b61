import type { FileRow, SessionRow } from '../protocol/messages.ts';
import type { OpenQuestion } from '../protocol/questions.ts';
import type { OutlineRow, ResultsOutline } from '../protocol/results-outline.ts';
import { moreNodes, type ResultNode, type ResultNodeOf } from './result-nodes.ts';
import type { ViewSettings } from './view-settings.ts';

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

const OUTCOMES = ['failed', 'undecided', 'problems', 'not-run', 'clean', 'succeeded'] as const;

/** The rows above all others: what evaluations wait for. */
export function questionNodes(questions: readonly OpenQuestion[]): ResultNode[] {
  return questions.map((question) => ({ type: 'question', id: `question ${question.id}`, question }));
}

/** The top-level rows. */
export function rootNodes(
  { total, rows, headlines, lookalikes }: ResultsOutline,
  grouping: ViewSettings['grouping'],
  look: TreeOptions,
): ResultNode[] {
  const hidden = moreNodes(ROOT_LIST, total - rows.length);
  const others = lookalikeNodes(lookalikes, total === 0);
  const broken = unreadableNodes(rows.map(({ file }) => file).filter(isUnreadable));
  const readable = rows.filter(({ file }) => !isUnreadable(file));
  if (grouping === 'file') return [...readable.map((row) => fileNode(row, look)), ...hidden, ...broken, ...others];
  const files = readable.map(({ file }) => file);
  return [
    ...OUTCOMES.flatMap((kind) => outcomeNodes(kind, headlines)),
    ...files.filter(isNew).map(newNode),
    ...hidden,
    ...unreadableNodes([
      ...files.filter(({ problems }) => problems.length > 0),
      ...broken.flatMap(({ files }) => files),
    ]),
    ...others,
  ];
}

/** Sessions that are evaluated for the first time are listed among the undecided ones. */
function outcomeNodes(kind: (typeof OUTCOMES)[number], headlines: ResultsOutline['headlines']): ResultNode[] {
  const sessions = headlines[kind] + (kind === 'undecided' ? headlines.pending : 0);
  return sessions === 0 ? [] : [{ type: 'outcome', id: `outcome ${kind}`, kind, sessions }];
}

function unreadableNodes(files: readonly FileRow[]): ResultNodeOf<'unreadable'>[] {
  return files.length === 0 ? [] : [{ type: 'unreadable', id: 'unreadable', files }];
}

/** A file with one session stands for that session. */
function fileNode({ file, session }: OutlineRow, look: TreeOptions): ResultNode {
  if (isNew(file)) return newNode(file);
  if (session && file.problems.length === 0) return sessionNode(session, look, 'file');
  const { uri } = file;
  return { type: 'file', id: `file ${uri}`, row: file, isOpen: isOpen(look), isTooLarge: look.isTooLarge(uri) };
}

export function sessionNode(row: SessionRow, look: TreeOptions, place: ResultNodeOf<'session'>['place']): ResultNode {
  const isTooLarge = look.isTooLarge(row.location.uri);
  return { type: 'session', id: `session ${row.key}`, row, place, isOpen: isOpen(look), isTooLarge };
}

export function problemNodes({ uri, problems }: FileRow): ResultNode[] {
  return problems.map((row, at) => ({ type: 'problem', id: `problem ${uri} ${at}`, row }));
}

/** With two ids, since VS Code keeps a row as it was: this one is expanded only while there is nothing else. */
function lookalikeNodes(files: number, isAlone: boolean): ResultNodeOf<'lookalikes'>[] {
  return files === 0 ? [] : [{ type: 'lookalikes', id: isAlone ? 'found' : 'lookalikes', files, isAlone }];
}

export function newNode(row: FileRow): ResultNode {
  return { type: 'new', id: `new ${row.uri}`, row };
}

function isNew({ state }: FileRow): boolean {
  return state === 'new';
}

function isUnreadable({ sessions, problems }: FileRow): boolean {
  return sessions === 0 && problems.length > 0;
}

function isOpen({ sessions }: TreeOptions): boolean {
  return sessions <= MAX_EXPANDED;
}
