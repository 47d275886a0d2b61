import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from '../../../src/core/finding.ts';
import type { Session } from '../../../src/core/session.ts';
import { collectFindings } from '../../../src/rules/index.ts';
import { sharedData } from '../../support/shared-data.ts';
import { read } from './labelled-sessions.ts';

/** Folders of runs on which no rule was written. Each says in a table how its sessions ended. */
const LABELLED_FOLDERS = [
  'agentdojo-drift',
  'agentrx-retail-86',
  'mini-swe-100',
  'tau2-airline-models',
  'tau2-retail-models',
  'tau2-spanish',
  'tau2-telecom-models',
] as const;

/** Whether a file of the public data is in one of them. */
export function isInLabelledFolder(file: string): boolean {
  return LABELLED_FOLDERS.some((folder) => file.includes(`/${folder}/`));
}

/** A row of `LABELS.csv`. A session with labels of two kinds has two rows. */
export interface LabelRow {
  readonly file: string;
  readonly session: string;
  readonly domain: string;
  readonly task: string;
  readonly model: string;
  readonly label: string;
  /** `reward`, `utility`, `resolved (…)` or `attack (…)`. */
  readonly kind: string;
}

export interface SetSession {
  /** The agent and the domain: sessions are compared within a set. */
  readonly set: string;
  readonly domain: string;
  readonly agent: string;
  /** Its number in the benchmark; the same for all agents of a folder. */
  readonly task: string;
  /** The file, relative to the folder of the public data. */
  readonly file: string;
  readonly session: Session;
  readonly failed: boolean;
  /** What became of an injected instruction; null where nobody attacks. */
  readonly attack: 'none' | 'resisted' | 'success' | null;
  readonly findings: readonly Finding[];
}

/** All labelled sessions, with what the rules find in them; null where the data is not there. */
export async function labelledSets(): Promise<readonly SetSession[] | null> {
  const sessions: SetSession[] = [];
  for (const folder of LABELLED_FOLDERS) {
    const table = sharedData(join(folder, 'LABELS.csv'));
    if (table === null) return null;
    const rows = parseLabels(readFileSync(table, 'utf8'));
    for (const [file, ofFile] of Map.groupBy(rows, (row) => row.file)) {
      const read = await readById(join(folder, file));
      for (const [id, labels] of Map.groupBy(ofFile, (row) => row.session)) {
        const session = read.get(id);
        if (session) sessions.push(labelled(session, join(folder, file), labels));
      }
    }
  }
  return sessions;
}

async function readById(file: string): Promise<ReadonlyMap<string, Session>> {
  const sessions = (await read(file)) ?? [];
  return new Map(sessions.map((session) => [session.id, session]));
}

function labelled(session: Session, file: string, labels: readonly LabelRow[]): SetSession {
  const [first] = labels;
  const { domain = '', model: agent = '', task = '' } = first ?? {};
  const attack = labels.find(({ kind }) => kind.startsWith('attack'))?.label;
  const outcome = labels.find(({ kind }) => !kind.startsWith('attack'))?.label ?? '';
  return {
    set: `${agent}, ${domain}`,
    domain,
    agent,
    task,
    file,
    session,
    failed: outcome === 'False' || Number(outcome) < 1,
    attack: attack === 'none' || attack === 'resisted' || attack === 'success' ? attack : null,
    findings: collectFindings(session),
  };
}

/** The rows of a table with the columns file, session, domain, task, model, label, label_kind. Cells may be quoted. */
export function parseLabels(text: string): LabelRow[] {
  const [, ...rows] = text.trimEnd().split(/\r?\n/);
  return rows.map((row) => {
    const [file = '', session = '', domain = '', task = '', model = '', label = '', kind = ''] = cellsOf(row);
    return { file, session, domain, task, model, label, kind };
  });
}

function cellsOf(row: string): string[] {
  const cells = row.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g);
  return Array.from(cells, ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '');
}
