import type { JudgeFile, JudgeLabel } from '../../core/judge-labels.ts';
import { escapeInvisible } from '../../core/sanitize.ts';

/** The file of labels: sorted, and a line for each label, so that a review shows which labels changed. */
export function judgeFileText({ labels, calibrations, seen = [] }: JudgeFile): string {
  const lists = [
    ['labels', labels.toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))],
    ['calibrations', calibrations],
    ...(seen.length === 0 ? [] : [['seen', seen.toSorted()] as const]),
  ] as const;
  return `{\n${lists.map(([key, list]) => `  ${JSON.stringify(key)}: ${lines(list)}`).join(',\n')}\n}\n`;
}

function sortKey({ metric, file, session, turn, judge, question, content }: JudgeLabel): string {
  return JSON.stringify([metric, file, session, String(turn ?? '').padStart(6), judge, question, content]);
}

/** Names of files and sessions come from traces: characters that a diff would hide are escaped. */
function lines(list: readonly (object | string)[]): string {
  if (list.length === 0) return '[]';
  return `[\n${list.map((one) => `    ${escapeInvisible(JSON.stringify(one))}`).join(',\n')}\n  ]`;
}
