/** What file names tell. Paths may have slashes of either kind. */

/** Weights of `session_risk` that were fitted to the user's sessions. They are searched for as a configuration is. */
export const RISK_FILE = 'turnwise.risk.json';

/** Labels of judged results, and what they say about the judge. It is searched for as a configuration is. */
export const JUDGE_FILE = 'turnwise.judge.json';

/** What the project's runs are gated against. */
export const BASELINE_FILE = 'turnwise.baseline.json';

const CONFIGURATION =
  /^(?:(?:turnwise|agentest)\.config\.\w+|turnwise\.(?:risk|judge|baseline)\.json|test_config\.json)$/i;

/** Files of every Node project, and of no agent. */
const PACKAGE_MANIFEST = /^(?:package|package-lock|[jt]sconfig(?:\.[\w-]+)?)\.json$/i;

const AGENTEST_CONFIGURATION = /^agentest\.[\w.-]+$/i;

const FOLDERS = /[\\/]/;

export function isSidecar(file: string): boolean {
  return /\.turnwise\.json$/i.test(file);
}

/** Whether a file is in the folder of a recorded run, by the folder's name, which is the id of the run. */
export function isRecordFile(path: string): boolean {
  return /(?:^|[\\/])\d{8}T\d{9}Z-[0-9a-f]{8}[\\/](?:manifest|sessions|elsewhere)\.jsonl?$/.test(path);
}

export function isConfigurationFile(file: string): boolean {
  return CONFIGURATION.test(file.split(FOLDERS).at(-1) ?? '');
}

/** Whether a configuration is one of the Agentest tool, by its name: `agentest.config.ts`, `agentest.ci.yaml`. */
export function isAgentestConfiguration(file: string): boolean {
  return AGENTEST_CONFIGURATION.test(file.split(FOLDERS).at(-1) ?? '');
}

/**
 * Whether a file that matches trace globs is a candidate trace. Configurations of tools are not, nor are files in
 * folders whose name begins with a dot, unless a glob names that folder.
 *
 * @param path relative to the open folder.
 */
export function isTraceCandidate(path: string, globs: readonly string[]): boolean {
  const folders = path.split(FOLDERS);
  const name = folders.pop() ?? '';
  if (isSidecar(name) || isConfigurationFile(name) || PACKAGE_MANIFEST.test(name)) return false;
  const named = new Set(globs.flatMap((glob) => glob.split('/')));
  return folders.every((folder) => folder !== 'node_modules' && (!folder.startsWith('.') || named.has(folder)));
}
