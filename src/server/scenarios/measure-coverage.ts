import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as l10n from '@vscode/l10n';
import type * as z from 'zod/mini';
import { type LocatedTool, locateTools, undescribedTools } from '../../app/scenario-coverage.ts';
import type { CancellationToken } from '../../protocol/rpc.ts';
import type { CoveredTools, scenarioCoverage } from '../../protocol/scenarios.ts';
import { ToolCoverage } from '../../scenarios/tool-coverage.ts';
import { toAbortSignal } from '../abort-signal.ts';
import type { ServerContext } from '../context.ts';
import { loadFolderConfiguration } from '../evaluation/folder-configuration.ts';
import { ConfigGroups } from '../evaluation/group-by-config.ts';

type CoverageContext = Pick<ServerContext, 'contents' | 'files' | 'results' | 'scenarios' | 'settings'>;
type Selection = z.infer<typeof scenarioCoverage.params>['files'];

/** What the last attempts at these scenarios exercised, as the files say which configuration knows the agent's tools. */
export async function measureCoverage(
  selection: Selection,
  context: CoverageContext,
  token: CancellationToken,
): Promise<z.infer<typeof scenarioCoverage.result>> {
  using stop = toAbortSignal(token);
  const names = new Map(selection.map((file) => [fileURLToPath(file.uri), file.names]));
  const groups = new ConfigGroups(context.files);
  await groups.add([...names.keys()]);
  const located: LocatedTool[] = [];
  for (let group = groups.next(); group && !stop.signal.aborted; group = groups.next()) {
    const paths = group.paths.filter((path) => names.has(path));
    located.push(...(await measureGroup(paths, names, context, token, stop.signal)));
  }
  return { files: byFile(located), notMeasured: [...unmeasured(located), ...unlocated(located)] };
}

async function measureGroup(
  paths: readonly string[],
  names: ReadonlyMap<string, readonly string[] | undefined>,
  { contents, results, scenarios, settings }: CoverageContext,
  token: CancellationToken,
  signal: AbortSignal,
): Promise<readonly LocatedTool[]> {
  const coverage = new ToolCoverage();
  for (const path of paths) {
    const selected = names.get(path);
    for (const { name, attempts, mockedTools } of scenarios.in(path)) {
      if (selected && !selected.includes(name)) continue;
      for (const { sessionFile } of attempts) {
        const view = sessionFile === null ? undefined : results.sessionsIn(sessionFile)[0];
        const tools = view && !signal.aborted ? await contents.ask('coverage', view, {}, token) : null;
        if (tools) coverage.add(tools);
      }
      for (const tool of mockedTools) coverage.addTool(tool);
    }
  }
  const loaded = await loadFolderConfiguration(paths[0] ?? '', { isTrusted: () => settings().trusted });
  const { tools } = await locateTools(coverage.tools, { cwd: loaded.cwd, loaded, scenarioFiles: paths, signal });
  return tools.map((tool) =>
    tool.place ? { ...tool, place: { ...tool.place, file: resolve(loaded.cwd, tool.place.file) } } : tool,
  );
}

function byFile(tools: readonly LocatedTool[]): CoveredTools[] {
  const files = new Map<string, CoveredTools['tools'][number][]>();
  for (const { name, calls, parts, place } of tools) {
    if (!place) continue;
    const { file, line, column, length } = place;
    const start = { line: line - 1, character: column - 1 };
    const range = { start, end: { ...start, character: start.character + length } };
    const inFile = files.get(file) ?? [];
    files.set(file, inFile);
    inFile.push({ name, range, calls, parts: parts.map(({ label, times }) => ({ label, times })) });
  }
  return Array.from(files, ([file, own]) => ({ uri: pathToFileURL(file).href, tools: own }));
}

/** What no count can say, a sentence each. */
function unmeasured(tools: readonly LocatedTool[]): readonly string[] {
  const names = undescribedTools(tools).join(', ');
  return [
    ...(names === ''
      ? []
      : [l10n.t('Arguments that no call had are not measured for {0}: no trace lists the arguments.', names)]),
    l10n.t('Clauses of the policy are not measured: a call does not say which clause it follows.'),
  ];
}

/** Tools that the editor cannot show anywhere. */
function unlocated(tools: readonly LocatedTool[]): readonly string[] {
  const names = tools.filter(({ place }) => place === null).map(({ name }) => name);
  if (names.length === 0) return [];
  return [
    l10n.t(
      'Not shown, since no file was found that defines them: {0}. Name the files in simulation.toolFiles of the configuration.',
      names.join(', '),
    ),
  ];
}
