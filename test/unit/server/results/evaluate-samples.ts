import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { evaluateFiles } from '../../../../src/app/evaluate-files.ts';
import { loadConfiguration } from '../../../../src/config/load.ts';
import { REGISTRY } from '../../../../src/config/registry.ts';
import type { Report } from '../../../../src/core/report.ts';
import { hashBytes } from '../../../../src/server/disk/content-hash.ts';
import { EvaluatedFile } from '../../../../src/server/results/evaluated-file.ts';
import { EvaluationResults } from '../../../../src/server/results/evaluation-results.ts';
import { summarizeSession } from '../../../../src/server/results/loaded-session.ts';
import { buildRows } from '../../../../src/server/results/session-results-view.ts';

export interface EvaluatedSamples {
  readonly report: Report;
  readonly results: EvaluationResults;
  /** Of the first file. */
  readonly uri: string;
  /** `turn rule` of what failed, turns counted from one. */
  readonly failures: readonly string[];
  /** Key of a session. */
  readonly keyOf: (id: string) => string;
}

/** Evaluates files of a folder under the configuration that is there, as the server does, and holds what is found. */
export async function evaluateSamples(folder: string, ...names: readonly string[]): Promise<EvaluatedSamples> {
  const paths = names.map((name) => join(folder, name));
  const { configuration } = await loadConfiguration({ cwd: folder, registry: REGISTRY, home: folder });
  const { report, sessions, locator } = await evaluateFiles(paths, configuration ?? {});
  const results = new EvaluationResults();
  const texts = await Promise.all(
    paths.map(async (path) => {
      const bytes = await readFile(path);
      return [
        path,
        new EvaluatedFile(path, { hash: hashBytes(bytes), size: bytes.length, modified: null, at: 0 }),
      ] as const;
    }),
  );
  results.replace(
    paths,
    buildRows(
      report,
      locator,
      sessions.map((session) => summarizeSession(session)),
    ),
    new Map(texts),
  );
  return {
    report,
    results,
    uri: pathToFileURL(paths[0] ?? folder).href,
    failures: report.failures.flatMap(({ occurrences }) => occurrences.map(({ turn, rule }) => `${turn + 1} ${rule}`)),
    keyOf: (id) => results.sessions(0, 1000).rows.find((row) => row.id === id)?.key ?? '',
  };
}
