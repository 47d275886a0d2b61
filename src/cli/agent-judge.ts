import { resolve } from 'node:path';
import { ToolError } from '../agent-tools/tool-error.ts';
import type { AllowedJudge, JudgeRequest } from '../agent-tools/trace-evaluation.ts';
import type { CommandHost } from './host.ts';
import { refuseEditorModels, requireApiKeys, requireModelFolder } from './preconditions.ts';
import { UsageError } from './usage-error.ts';

/** A judge, where the user has allowed to ask it, as `turnwise eval` decides it. @throws ToolError */
export async function allowJudge(
  { configuration, loaded, cwd, signal }: JudgeRequest,
  host: CommandHost,
): Promise<AllowedJudge> {
  try {
    refuseEditorModels(configuration, loaded, undefined);
    requireApiKeys(configuration, { ...host.env, ...loaded.keys });
    await requireModelFolder(configuration);
    const { requireConsent } = await import('./model-consent.ts');
    const absolute = (file: string | null) => (file === null ? null : resolve(cwd, file));
    const from = { ...loaded, file: absolute(loaded.file), agentestFile: absolute(loaded.agentestFile) };
    const env = await requireConsent({ configuration, loaded: from, args: { quiet: true }, signal }, host);
    return { configuration, env };
  } catch (error) {
    throw error instanceof UsageError ? new ToolError(error.message) : error;
  }
}
