import type { FileProblemRow, FileRow, SessionProblemRow, SessionRow } from '../protocol/messages.ts';
import type { OpenQuestion } from '../protocol/questions.ts';

type HeadlineKind = SessionRow['headline']['kind'];

/** A row of the Results view. Its id is unique and stable. */
export type ResultNode = { readonly id: string } & (
  | { readonly type: 'file'; readonly row: FileRow; readonly isOpen: boolean; readonly isTooLarge: boolean }
  | { readonly type: 'new'; readonly row: FileRow }
  | { readonly type: 'outcome'; readonly kind: HeadlineKind; readonly sessions: number }
  | {
      readonly type: 'session';
      readonly row: SessionRow;
      /** `file`: it stands for its file, which has no other; `inFile`: below the row of its file; `listed`: among sessions of other files. */
      readonly place: 'file' | 'inFile' | 'listed';
      readonly isOpen: boolean;
      readonly isTooLarge: boolean;
    }
  | { readonly type: 'failure'; readonly row: SessionProblemRow; readonly session: string }
  | { readonly type: 'problem'; readonly row: FileProblemRow }
  /** Files of which nothing could be read. */
  | { readonly type: 'unreadable'; readonly files: readonly FileRow[] }
  /** Files that look like traces by their content. */
  | { readonly type: 'lookalikes'; readonly files: number; readonly isAlone: boolean }
  /** What an evaluation waits for. */
  | { readonly type: 'question'; readonly question: OpenQuestion }
  | { readonly type: 'more'; readonly list: string; readonly hidden: number }
);

export type ResultNodeOf<Type extends ResultNode['type']> = Extract<ResultNode, { readonly type: Type }>;

/** The file of a row; null for rows of several files. */
export function nodeUri(node: ResultNode): string | null {
  switch (node.type) {
    case 'file':
    case 'new':
      return node.row.uri;
    case 'session':
    case 'failure':
    case 'problem':
      return node.row.location.uri;
    default:
      return null;
  }
}

/** The "show more" row of a list with hidden rows. */
export function moreNodes(list: string, hidden: number): ResultNode[] {
  return hidden > 0 ? [{ type: 'more', id: `more ${list}`, list, hidden }] : [];
}

/** The rows of a tree. The editor identifies rows by object, so a row stays the same object when its values change. */
export class NodeRegistry<Node extends { readonly id: string }> {
  readonly #byId = new Map<string, Node>();
  readonly #given = new WeakSet<object>();

  /** @returns the rows as stable objects, and which of them changed. */
  reconcile(rows: readonly Node[]): { readonly nodes: Node[]; readonly changed: Node[] } {
    const changed: Node[] = [];
    const nodes = rows.map((row) => {
      const known = this.#byId.get(row.id);
      if (!known) return this.#add(row);
      if (JSON.stringify(known) === JSON.stringify(row)) return known;
      Object.assign(known, row);
      changed.push(known);
      return known;
    });
    return { nodes, changed };
  }

  get(id: string): Node | undefined {
    return this.#byId.get(id);
  }

  /** Whether a command argument is a row of this view. */
  isNode(value: unknown): value is Node {
    return typeof value === 'object' && value !== null && this.#given.has(value);
  }

  clear(): void {
    this.#byId.clear();
  }

  #add(row: Node): Node {
    this.#byId.set(row.id, row);
    this.#given.add(row);
    return row;
  }
}
