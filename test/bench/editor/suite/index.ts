import * as vscode from 'vscode';
import { suite, type Tests } from '../../../support/vscode/suite.ts';
import { PROFILED, TRACES } from '../names.ts';
import { plainSteps } from './plain.ts';
import { profiledSteps } from './profiled.ts';
import { traceSteps } from './traces.ts';

const STEPS: Readonly<Record<string, Tests>> = { [TRACES]: traceSteps, [PROFILED]: profiledSteps };

/** What the extension host calls; which steps, the name of the folder says. */
export const run = suite(STEPS[vscode.workspace.workspaceFolders?.[0]?.name ?? ''] ?? plainSteps);
