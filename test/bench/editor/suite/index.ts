import * as vscode from 'vscode';
import { suite, type Tests } from '../../../support/vscode/suite.ts';
import { PROFILED, SCENARIOS, SCENARIOS_OF_MANY_FILES, TRACES } from '../names.ts';
import { plainSteps } from './plain.ts';
import { profiledSteps } from './profiled.ts';
import { manyFilesSteps, scenarioSteps } from './scenarios.ts';
import { traceSteps } from './traces.ts';

const STEPS: Readonly<Record<string, Tests>> = {
  [TRACES]: traceSteps,
  [PROFILED]: profiledSteps,
  [SCENARIOS]: scenarioSteps,
  [SCENARIOS_OF_MANY_FILES]: manyFilesSteps,
};

/** What the extension host calls; which steps, the name of the folder says. */
export const run = suite(STEPS[vscode.workspace.workspaceFolders?.[0]?.name ?? ''] ?? plainSteps);
