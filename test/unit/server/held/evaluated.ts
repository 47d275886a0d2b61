import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { loadConfiguration } from '../../../../src/config/load.ts';
import { REGISTRY } from '../../../../src/config/registry.ts';
import type { Report } from '../../../../src/core/report.ts';
import { evaluateFiles } from '../../../../src/index.ts';
import { hashOf } from '../../../../src/server/disk/content-hash.ts';
import { HeldFile } from '../../../../src/server/held/held-file.ts';
import { Results } from '../../../../src/server/held/results.ts';
import { rowsOf } from '../../../../src/server/held/rows.ts';

export interface Evaluated {
  readonly report: Report;
  readonly results: Results;
  /** Of the first file. */
  readonly uri: string;
  /** `turn rule` of what failed, turns counted from one. */
  readonly failures: readonly string[];
  /** Key of a session. */
  readonly keyOf: (id: string) => string;
}

/** Evaluates files of a folder under the configuration that is there, as the server does, and holds what is found. */
export async function evaluated(folder: string, ...names: readonly string[]): Promise<Evaluated> {
  const paths = names.map((name) => join(folder, name));
  const { configuration } = await loadConfiguration({ cwd: folder, registry: REGISTRY, home: folder });
  const { report, sessions, locator } = await evaluateFiles(paths, configuration ?? {});
  const results = new Results();
  const texts = await Promise.all(
    paths.map(async (path) => {
      const bytes = await readFile(path);
      return [path, new HeldFile(path, { hash: hashOf(bytes), size: bytes.length, modified: null, at: 0 })] as const;
    }),
  );
  results.replace(paths, rowsOf(report, locator, sessions), new Map(texts));
  return {
    report,
    results,
    uri: pathToFileURL(paths[0] ?? folder).href,
    failures: report.failures.flatMap(({ occurrences }) => occurrences.map(({ turn, rule }) => `${turn + 1} ${rule}`)),
    keyOf: (id) => results.sessions(0, 1000).rows.find((row) => row.id === id)?.key ?? '',
  };
}
