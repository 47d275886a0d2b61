import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..', '..', 'shared', 'data');

/** The folder of the public data; null where it is not there. */
export function sharedDataFolder(): string | null {
  return existsSync(ROOT) ? ROOT : null;
}

/** A file of the labelled public data beside the repository; null where the data is not there. */
export function sharedData(relativePath: string): string | null {
  const path = join(ROOT, relativePath);
  return existsSync(path) ? path : null;
}

/** Folders with one or a few runs each, of every format. Named, so that data added for measuring changes no test. */
const TRACE_FOLDERS = [
  'agentevals-otel',
  'agentrx-magentic-one',
  'agentrx-tau-retail',
  'anthropic-messages',
  'any-agent',
  'atif',
  'claude-code',
  'codex-cli',
  'edge',
  'google-adk',
  'inspect-ai',
  'judge-meta-eval',
  'langfuse',
  'langsmith',
  'mini-swe-agent',
  'negatives',
  'openai-chat',
  'openai-responses',
  'openhands',
  'openinference',
  'otlp',
  'pandaprobe',
  'sdk-generated',
  'strands-evals-spans',
  'swe-agent',
  'tapeagents',
  'tau-bench',
  'tau2-bench',
  'toolbench',
  'who-and-when',
] as const;

/** The folders of traces in the public data; null where the data is not there. */
export function sharedTraceFolders(): readonly string[] | null {
  return existsSync(ROOT) ? TRACE_FOLDERS.map((folder) => join(ROOT, folder)) : null;
}

export interface ManifestEntry {
  /** Relative to the folder of the public data. */
  readonly path: string;
  /** The column "format", as it is written. */
  readonly format: string;
}

/** The files that MANIFEST.md lists, with the format that it says they have; null where the data is not there. */
export function sharedDataManifest(): readonly ManifestEntry[] | null {
  const path = sharedData('MANIFEST.md');
  if (path === null) return null;
  const entries: ManifestEntry[] = [];
  let folder = '';
  let header: readonly string[] = [];
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    if (line.startsWith('## ')) {
      folder = line.slice(3).trim();
    } else if (line.startsWith('|')) {
      const cells = line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim());
      if (cells[0] === 'file') header = cells;
      else if (!/^-+$/.test(cells[0] ?? '')) {
        entries.push({ path: `${folder}/${cells[0]}`, format: cells[header.indexOf('format')] ?? '' });
      }
    }
  }
  return entries;
}
