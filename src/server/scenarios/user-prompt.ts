import { requiredSimulator } from '../../app/required-models.ts';
import { readScenarioFile } from '../../app/scenario-files.ts';
import { simulatedUserPrompt } from '../../app/simulated-user-prompt.ts';
import type { ScenarioUserPrompt } from '../../protocol/scenarios.ts';
import { describeDataScenario } from '../../scenarios/data-scenarios.ts';
import { checkScenarios } from '../../scenarios/open-scenario-process.ts';
import { loadFolderConfiguration } from '../evaluation/folder-configuration.ts';

/**
 * The exact prompt of the model that plays the user of a scenario. Nothing is sent, and no scenario file run: what only its
 * code knows stays as `{{profile}}`, `{{goal}}` and `{{knowledge}}`.
 *
 * @param text of the open document, where it has unsaved edits.
 */
export async function previewUserPrompt(
  { path, name, text }: { readonly path: string; readonly name: string; readonly text: string | undefined },
  isTrusted: () => boolean,
): Promise<ScenarioUserPrompt> {
  const { scenarios } = await readScenarioFile(path, '', text);
  const scenario = checkScenarios(scenarios?.map(describeDataScenario) ?? []).scenarios.find(
    (one) => one.name === name,
  );
  const { system, first, next, answer } = simulatedUserPrompt(scenario);
  const { configuration } = await loadFolderConfiguration(path, { isTrusted });
  const model = configuration && requiredSimulator(configuration);
  return {
    model: model ? `${model.provider}/${model.model}` : null,
    system,
    first,
    next,
    answer: JSON.stringify(answer, null, 2),
  };
}
