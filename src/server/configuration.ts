import { dirname, resolve } from 'node:path';
import type { Flags } from '../config/flags.ts';
import { type ConfigurationProblem, type LoadedConfiguration, loadConfiguration } from '../config/load.ts';
import type { Configuration } from '../config/schema.ts';
import { VOCABULARY } from '../config/vocabulary.ts';
import { problem } from '../core/problem.ts';
import { wantedModels, wantsModels } from '../models/wanted.ts';
import type { EvaluateFiles } from './evaluate.ts';

/**
 * Evaluates under the configuration that is nearest to the first file, as the command line does. One that is broken
 * is a problem of the report, and the evaluation goes on without it. One that is code is refused, and with it the functions
 * of its own metrics: to open a folder must not run what is in it.
 */
export function configured(evaluateFiles: EvaluateFiles): EvaluateFiles {
  return async (paths, _configuration, options) => {
    const cwd = dirname(paths[0] ?? '.');
    const { configuration, problems } = await loadLocal((flags) =>
      loadConfiguration({ cwd, vocabulary: VOCABULARY, code: 'refuse', flags }),
    );
    const evaluated = await evaluateFiles(paths, configuration ?? {}, options);
    const placed = problems.map((problem) => ({ ...problem, file: resolve(cwd, problem.file) }));
    const { report } = evaluated;
    return { ...evaluated, report: { ...report, problems: [...placed, ...report.problems] } };
  };
}

/** A folder that somebody opened does not decide to whom the text of traces is sent: no model is asked. */
async function loadLocal(load: (flags: Flags) => Promise<LoadedConfiguration>): Promise<LoadedConfiguration> {
  const loaded = await load({});
  if (!loaded.configuration || !wantsModels(wantedModels(loaded.configuration))) return loaded;
  const local = await load(withoutModels(loaded.configuration));
  const told: ConfigurationProblem = {
    ...problem('warning', 'configuration', loaded.file ?? '.', NO_MODELS),
    column: null,
  };
  return { ...local, problems: [...local.problems, told] };
}

const NO_MODELS = 'The editor asks no model yet: what is configured of models applies to the command line only.';

function withoutModels({ judge, embedder }: Configuration): Flags {
  return {
    judge: judge.provider === 'none' ? 'none' : 'rules',
    embedder: embedder.provider === 'none' ? 'none' : 'lexical',
  };
}
