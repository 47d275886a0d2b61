import { homedir } from 'node:os';
import { dirname, relative, resolve } from 'node:path';
import * as z from 'zod';
import { errorMessage } from '../core/error-message.ts';
import type { JudgeFile } from '../core/judge-labels.ts';
import { CODE_SKIPPED, createProblem, type Problem } from '../core/problem.ts';
import { judgeFileSchema } from '../core/schemas/judge-labels.ts';
import { riskCoefficientsSchema } from '../core/schemas/risk-coefficients.ts';
import { isAgentestConfiguration } from '../core/trace-file-names.ts';
import { RefusedFile } from '../input/file-system.ts';
import { nodeFileSystem } from '../input/node-file-system.ts';
import { configurationOfCriteria, isAdkConfiguration, translateAdk } from './adk-criteria.ts';
import { applyAgentest, hasOwnThresholds, type TranslatedAgentest, translateAgentest } from './agentest.ts';
import { checkConfiguration, type Registry } from './check.ts';
import { addCustomMetrics } from './custom-metric-names.ts';
import {
  type DiscoveredConfiguration,
  findAgentestConfiguration,
  findConfiguration,
  findJudgeFile,
  findRiskFile,
  leadsOutside,
} from './discover.ts';
import { applyFlags, type ConfigFlags } from './flags.ts';
import { expandFunctions } from './function-shorthands.ts';
import type { LocateKeys } from './key-locations.ts';
import { parseModelName } from './model-name.ts';
import { locateKeysIn, parseConfiguration, parseFailure, type RawConfiguration } from './parse.ts';
import type { Configuration } from './schema.ts';
import { type ConfigIssue, explainIssues } from './schema-errors.ts';

/** A problem of a configuration. The file is a flag such as `--threshold coherence=3` if that is its source. */
export interface ConfigurationProblem extends Problem {
  /** One-based. */
  readonly column: number | null;
}

export interface LoadedConfiguration {
  /** Relative to the working directory; null if there is none. */
  readonly file: string | null;
  /** The Agentest configuration that is part of it, if there is one beside or above; the same where it is `file`. */
  readonly agentestFile: string | null;
  /** The weights of `session_risk` that count, fitted to the user's sessions; null if there are none. */
  readonly riskFile: string | null;
  /** The labels of judged results whose calibrations count; null if there are none. */
  readonly judgeFile: string | null;
  /** The API key that the Agentest configuration leads to, as `readKey` finds it; in no configuration, and never shown. */
  readonly keys: Readonly<Record<string, string | undefined>>;
  /** Of an Agentest configuration: what gets the results of scenarios. */
  readonly reporters: readonly string[];
  /** Null if it is wrong. Broken weights or labels are an error too, and without them it can be used. */
  readonly configuration: Configuration | null;
  readonly problems: readonly ConfigurationProblem[];
}

export interface LoadRequest {
  readonly cwd: string;
  /** `--config`; by default the nearest file. */
  readonly file?: string;
  readonly flags?: ConfigFlags;
  readonly registry: Registry;
  /** Where the search ends, in addition to the root of a repository. */
  readonly home?: string;
  /**
   * `refuse`: a configuration that is code is an error and does not run, as in an untrusted folder. `skip`: it is ignored with
   * a warning of the code `CODE_SKIPPED`, unless `file` names it.
   */
  readonly code?: 'run' | 'refuse' | 'skip';
  /** `ignore`: only Turnwise's own configuration is needed. An Agentest configuration has no formats, for example. */
  readonly agentest?: 'apply' | 'ignore';
}

/**
 * Finds, reads and checks the configuration, and applies flags. Where there is a configuration of the Agentest tool, ours
 * overrides it. The weights in the nearest `turnwise.risk.json` and the calibrations in the nearest `turnwise.judge.json` are part of
 * it. Never rejects.
 */
export async function loadConfiguration(request: LoadRequest): Promise<LoadedConfiguration> {
  const loaded = await loadSettings(request);
  const none = { value: null, file: null, problems: [] };
  const { configuration } = loaded;
  if (!configuration) return { ...loaded, riskFile: null, judgeFile: null };
  const { cwd, file: named, home } = request;
  const folder = named === undefined ? cwd : dirname(resolve(cwd, named));
  const [risk, judged] = await Promise.all([
    configuration.risk ? none : readBeside(await findRiskFile(folder, home), RISK_FILE_KIND, request),
    configuration.calibrations ? none : readBeside(await findJudgeFile(folder, home), JUDGE_FILE_KIND, request),
  ]);
  const calibrations = judged.value?.calibrations ?? [];
  return {
    ...loaded,
    riskFile: risk.file,
    judgeFile: judged.file,
    configuration: {
      ...configuration,
      ...(risk.value && { risk: risk.value }),
      ...(calibrations.length > 0 && { calibrations }),
    },
    problems: [...loaded.problems, ...risk.problems, ...judged.problems],
  };
}

/** A file of the project that Turnwise writes and reads beside the configuration. */
interface ProjectFileKind<Schema extends z.core.$ZodType> {
  readonly schema: Schema;
  readonly remedy: string;
}

const RISK_FILE_KIND = {
  schema: riskCoefficientsSchema,
  remedy: 'Run `turnwise calibrate risk` again, or delete the file.',
};

const JUDGE_FILE_KIND = {
  schema: judgeFileSchema,
  remedy: 'Restore the file from version control, or correct the line.',
};

interface ProjectFile<Value> {
  /** Null if there is none, or if it is broken. */
  readonly value: Value | null;
  /** Relative to the working directory; null if there is none. */
  readonly file: string | null;
  readonly problems: readonly ConfigurationProblem[];
}

/** @param path null: there is no such file. */
async function readBeside<Schema extends z.core.$ZodType>(
  path: string | null,
  { schema, remedy }: ProjectFileKind<Schema>,
  { cwd, home }: Pick<LoadRequest, 'cwd' | 'home'>,
): Promise<ProjectFile<z.output<Schema>>> {
  if (path === null) return { value: null, file: null, problems: [] };
  const file = relative(cwd, path);
  return { file, ...(await readProjectFile(path, file, { schema, remedy }, home)) };
}

/** Reads a file of labels. @param file as messages call it */
export function readJudgeFile(path: string, file: string): Promise<Omit<ProjectFile<JudgeFile>, 'file'>> {
  return readProjectFile(path, file, JUDGE_FILE_KIND);
}

async function readProjectFile<Schema extends z.core.$ZodType>(
  path: string,
  file: string,
  { schema, remedy }: ProjectFileKind<Schema>,
  home?: string,
): Promise<Omit<ProjectFile<z.output<Schema>>, 'file'>> {
  const raw = await readConfiguration(path, home);
  if (raw.kind === 'failed') {
    return { value: null, problems: [failureProblem(file, { ...raw, message: `${raw.message} ${remedy}` })] };
  }
  const parsed = z.safeParse(schema, raw.value);
  if (parsed.success) return { value: parsed.data, problems: [] };
  const issues = explainIssues(parsed.error.issues.slice(0, MAX_ISSUES), schema, raw.value, []);
  const advised = issues.map((issue) => ({ ...issue, message: `${issue.message} ${remedy}` }));
  return { value: null, problems: await locateIssues(advised, file, raw.locateKeys) };
}

/** The configuration without the weights and the labels. */
type LoadedSettings = Omit<LoadedConfiguration, 'riskFile' | 'judgeFile'>;

async function loadSettings({
  cwd,
  file: named,
  flags = {},
  registry,
  home,
  code = 'run',
  agentest: use = 'apply',
}: LoadRequest): Promise<LoadedSettings> {
  if (named !== undefined && isAgentestConfiguration(named)) {
    const agentest = await readAgentest({ file: named, ignored: [] }, {}, { cwd, registry, code, home: null });
    return checkLoaded({ ...NO_FILE, file: named }, agentest, { cwd, flags, registry });
  }
  const [found, agentestFound] = await Promise.all([
    named === undefined ? findConfiguration(cwd, home) : { file: named, ignored: [] },
    named === undefined && use === 'apply' ? findAgentestConfiguration(cwd, home) : null,
  ]);
  const search = { cwd, registry, code, home: named === undefined ? (home ?? homedir()) : null };
  const own = found ? await readOwn(found, named, search) : NO_FILE;
  const agentest = agentestFound && (await readAgentest(agentestFound, own.value, search));
  return checkLoaded(own, agentest, { cwd, flags, registry });
}

interface ReadRequest extends Pick<LoadRequest, 'cwd' | 'code' | 'registry'> {
  /** Where the search ended; null where the user named the file. */
  readonly home: string | null;
}

/** Turnwise's own configuration, not checked. */
interface OwnConfiguration {
  readonly file: string | null;
  /** Undefined if it cannot be read. */
  readonly value: unknown;
  readonly locateKeys: LocateKeys;
  readonly problems: readonly ConfigurationProblem[];
}

const NO_FILE: OwnConfiguration = {
  file: null,
  value: {},
  locateKeys: async (paths) => paths.map(() => null),
  problems: [],
};

async function readOwn(
  discovered: DiscoveredConfiguration,
  named: string | undefined,
  { cwd, registry, code, home }: ReadRequest,
): Promise<OwnConfiguration> {
  const file = named ?? relative(cwd, discovered.file);
  const ignored = ignoredWarnings(discovered, file, cwd);
  if (isSkipped(discovered.file, home, code)) return { ...NO_FILE, problems: [...ignored, skippedWarning(file)] };
  const raw = isRefused(discovered.file, code) ? null : await readConfiguration(resolve(cwd, discovered.file), home);
  if (raw?.kind === 'parsed') {
    if (!isAdkConfiguration(raw.value)) return { file, ...raw, problems: ignored };
    const { criteria, issues } = translateAdk(raw.value, registry);
    const problems = [...ignored, ...(await locateIssues(issues, file, raw.locateKeys))];
    return { file, ...raw, value: criteria ? configurationOfCriteria(criteria) : undefined, problems };
  }
  const problem = raw ? failureProblem(file, raw) : configurationProblem('error', file, CODE_REFUSED);
  return { ...NO_FILE, file, value: undefined, problems: [...ignored, problem] };
}

/** An Agentest configuration, translated. */
interface ReadAgentest extends Pick<TranslatedAgentest, 'value' | 'keys'> {
  readonly file: string;
  /** False where its value is null because its code does not run here. */
  readonly isBroken: boolean;
  readonly problems: readonly ConfigurationProblem[];
}

/** @param own our raw configuration. In an untrusted folder, only the code of Agentest's is left out. */
async function readAgentest(
  discovered: DiscoveredConfiguration,
  own: unknown,
  { cwd, registry, code, home }: ReadRequest,
): Promise<ReadAgentest> {
  const absolute = resolve(cwd, discovered.file);
  const file = relative(cwd, absolute);
  const ignored = ignoredWarnings(discovered, file, cwd);
  const nothing = { file, value: null, keys: {} };
  if (isSkipped(absolute, home, code)) {
    return { ...nothing, isBroken: false, problems: [...ignored, skippedWarning(file)] };
  }
  if (isRefused(absolute, code)) {
    return { ...nothing, isBroken: false, problems: [...ignored, configurationProblem('warning', file, CODE_REFUSED)] };
  }
  const raw = await readConfiguration(absolute, home);
  if (raw.kind === 'failed') return { ...nothing, isBroken: true, problems: [...ignored, failureProblem(file, raw)] };
  const { value, keys, issues } = translateAgentest(raw.value, registry, process.env);
  // Thresholds that do not count need no explanation.
  const relevant = issues.filter(
    ({ path, severity }) => severity === 'error' || path[0] !== 'thresholds' || !hasOwnThresholds(own),
  );
  const problems = [...ignored, ...(await locateIssues(relevant, file, raw.locateKeys))];
  return { file, value, keys, isBroken: value === null, problems };
}

function isRefused(file: string, code: LoadRequest['code']): boolean {
  return code === 'refuse' && isCode(file);
}

function isSkipped(file: string, home: ReadRequest['home'], code: LoadRequest['code']): boolean {
  return code === 'skip' && home !== null && isCode(file);
}

/** Whether a configuration is a program, which was run to read it. */
export function isCode(file: string): boolean {
  return !/\.(json|ya?ml)$/.test(file);
}

function skippedWarning(file: string): ConfigurationProblem {
  const message = `This configuration is code and was not run, so its settings do not count here.`;
  return { ...createProblem('warning', CODE_SKIPPED, file, message), column: null };
}

function ignoredWarnings({ ignored }: DiscoveredConfiguration, file: string, cwd: string): ConfigurationProblem[] {
  return ignored.map((other) => {
    const message = `This configuration is ignored, because ${file} is beside it. Delete one of them.`;
    return { ...createProblem('warning', 'configuration-ignored', relative(cwd, other), message), column: null };
  });
}

function failureProblem(
  file: string,
  { message, location }: Extract<RawConfiguration, { kind: 'failed' }>,
): ConfigurationProblem {
  return {
    ...createProblem('error', 'configuration', file, message, { line: location?.line }),
    column: location?.column ?? null,
  };
}

function configurationProblem(severity: Problem['severity'], file: string, message: string): ConfigurationProblem {
  return { ...createProblem(severity, 'configuration', file, message), column: null };
}

const CODE_REFUSED =
  'This configuration is code, which does not run in an untrusted folder. Trust the folder, or write the configuration as JSON or YAML.';

interface CheckRequest {
  readonly cwd: string;
  readonly flags: ConfigFlags;
  readonly registry: Registry;
}

async function checkLoaded(
  own: OwnConfiguration,
  agentest: ReadAgentest | null,
  { cwd, flags, registry }: CheckRequest,
): Promise<LoadedSettings> {
  const agentestFile = agentest?.file ?? null;
  const { keys = {}, value: settings = null } = agentest ?? {};
  const found = { file: own.file, agentestFile, keys, reporters: settings?.reporters ?? [] };
  const before = [...own.problems, ...(agentest?.problems ?? [])];
  if (own.value === undefined) return { ...found, configuration: null, problems: before };
  const raw = agentest?.value ? applyAgentest(own.value, agentest.value, registry) : own.value;
  const { value, flagAt } = applyFlags(expandFunctions(raw), flags, addCustomMetrics(registry.metrics, raw));
  const { configuration, issues } = checkConfiguration(value, registry);
  const problems = await locateIssues(issues.slice(0, MAX_ISSUES), own.file ?? '', own.locateKeys);
  const isFlag = parseModelName(flags.embedder ?? '').model !== undefined;
  const modelBase = isFlag || own.file === null ? cwd : dirname(resolve(cwd, own.file));
  return {
    ...found,
    configuration: configuration && !agentest?.isBroken ? resolveModelFolder(configuration, modelBase) : null,
    problems: [
      ...before,
      ...problems.map((problem, index) => {
        const flag = flagAt(issues[index]?.path ?? []);
        return flag === null ? problem : { ...problem, file: flag, line: null, column: null };
      }),
    ],
  };
}

/** The folder of a static embedding model is relative to the file that names it, or to the working directory. */
function resolveModelFolder(configuration: Configuration, base: string): Configuration {
  const { embedder } = configuration;
  if (embedder.provider !== 'static' || embedder.model === undefined) return configuration;
  return { ...configuration, embedder: { ...embedder, model: resolve(base, embedder.model) } };
}

/** A configuration may be wrong in thousands of keys; nobody reads more. */
const MAX_ISSUES = 100;

/** Issues as problems with their lines. */
export async function locateIssues(
  issues: readonly ConfigIssue[],
  file: string,
  locateKeys: LocateKeys,
): Promise<ConfigurationProblem[]> {
  const places = issues.length === 0 ? [] : await locateKeys(issues.map(({ path }) => path));
  return issues.map(({ severity, message, code = 'configuration' }, index) => {
    const location = places[index];
    return {
      ...createProblem(severity, code, file, message, { line: location?.line }),
      column: location?.column ?? null,
    };
  });
}

/** The same in a file of which only the name is known; null: in none. */
export async function locateIssuesIn(
  file: string | null,
  issues: readonly ConfigIssue[],
  cwd: string,
): Promise<ConfigurationProblem[]> {
  if (file === null || issues.length === 0) return await locateIssues(issues, file ?? '', NO_FILE.locateKeys);
  const text = await readConfigurationText(resolve(cwd, file)).catch(() => '');
  return await locateIssues(issues, file, locateKeysIn(file, text));
}

/**
 * Reads and parses a configuration file of any kind. Never rejects.
 *
 * @param home where a search that found the file ends; null where the user named it.
 */
export async function readConfiguration(file: string, home: string | null = homedir()): Promise<RawConfiguration> {
  try {
    if (home !== null && (await leadsOutside(file, home))) return parseFailure(LINK_OUTSIDE);
    return await parseConfiguration(file, await readConfigurationText(file));
  } catch (error) {
    return parseFailure(`The configuration file cannot be read: ${systemReason(error)}.`);
  }
}

const LINK_OUTSIDE = 'This is a link that leads out of the repository. Put a copy of it here to use it.';

/** Larger files are no configuration, and parsing them could take minutes. */
const MAX_CONFIGURATION_BYTES = 2 ** 18;

/** @throws the system's error, or RefusedFile */
export async function readConfigurationText(file: string): Promise<string> {
  const bytes = await nodeFileSystem.read(file);
  if (bytes.length > MAX_CONFIGURATION_BYTES) throw new RefusedFile('it is larger than 256 kB');
  return new TextDecoder().decode(bytes);
}

function systemReason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EACCES') return 'permission was denied';
  if (code === 'EISDIR') return 'it is a directory';
  return errorMessage(error);
}
