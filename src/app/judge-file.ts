import { dirname, join, relative, resolve } from 'node:path';
import { findJudgeFile } from '../config/discover.ts';
import { type ConfigurationProblem, readJudgeFile } from '../config/load.ts';
import {
  isSameIdentity,
  type JudgeCalibration,
  type JudgeFile,
  type JudgeLabel,
  NO_JUDGE_FILE,
} from '../core/judge-labels.ts';
import { labelId } from '../core/label-ids.ts';
import { JUDGE_FILE } from '../core/trace-file-names.ts';
import { nodeFileSystem } from '../input/node-file-system.ts';
import { writeFile } from '../output/write-file.ts';
import { judgeFileText } from '../runs/calibration/judge-file-text.ts';

/** Where the labels of a project are. */
export interface JudgeFilePlace {
  /** Absolute. */
  readonly path: string;
  /** As messages call it: relative to the folder. */
  readonly name: string;
}

/**
 * The nearest file of labels, whether it exists or not: beside the configuration without one, else in the folder.
 *
 * @param root where it is without a configuration, and what its name is relative to; by default the folder.
 */
export async function judgeFilePlace(
  folder: string,
  configurationFile: string | null,
  root = folder,
): Promise<JudgeFilePlace> {
  const beside = configurationFile === null ? folder : dirname(resolve(folder, configurationFile));
  const path = (await findJudgeFile(beside)) ?? join(configurationFile === null ? root : beside, JUDGE_FILE);
  return { path, name: relative(root, path) };
}

/** The labels of a project; none where there is no file. Null where the file is broken. */
export async function readLabels({ path, name }: JudgeFilePlace): Promise<{
  readonly file: JudgeFile | null;
  readonly problems: readonly ConfigurationProblem[];
}> {
  if ((await nodeFileSystem.stat(path)) === null) return { file: NO_JUDGE_FILE, problems: [] };
  const { value, problems } = await readJudgeFile(path, name);
  return { file: value, problems };
}

/** @throws WouldReplaceInput where the place is one of the inputs, or the system's error */
export async function writeLabels(
  { path }: JudgeFilePlace,
  file: JudgeFile,
  options: { readonly inputs?: readonly string[] } = {},
): Promise<void> {
  await writeFile(path, judgeFileText(file), options);
}

/** With labels that replace earlier ones of the same results. What was seen when the label before was given stays seen. */
export function withLabels(file: JudgeFile, labels: readonly JudgeLabel[]): JudgeFile {
  const replaced = new Set(labels.map(labelId));
  const seen = new Set([...(file.seen ?? []), ...file.labels.filter((label) => label.seen).map(labelId)]);
  const given = labels.map((label) => (seen.has(labelId(label)) ? { ...label, seen: true as const } : label));
  return { ...file, labels: [...file.labels.filter((label) => !replaced.has(labelId(label))), ...given] };
}

/** Without the label of a result, after its person has seen the answer of the judge. @param id of the result */
export function withoutLabel(file: JudgeFile, id: string): JudgeFile {
  const labels = file.labels.filter((label) => labelId(label) !== id);
  if (labels.length === file.labels.length) return file;
  return { ...file, labels, seen: [...new Set([...(file.seen ?? []), id])] };
}

/** With calibrations that replace those of the same judge, question and threshold. */
export function withCalibrations(file: JudgeFile, calibrations: readonly JudgeCalibration[]): JudgeFile {
  const isReplaced = (old: JudgeCalibration) =>
    calibrations.some((one) => isSameIdentity(one, old) && one.threshold === old.threshold);
  return { ...file, calibrations: [...file.calibrations.filter((old) => !isReplaced(old)), ...calibrations] };
}
