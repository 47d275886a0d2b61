import type { Evidence } from '../../core/result.ts';
import type { StateChange } from '../../core/session-outcome.ts';
import { joinWithAnd, limitList } from '../../core/text/lists.ts';
import { inlineText } from '../shared/message-format.ts';

/** A session as an attempt of a task, by what it changed. */
export interface AttemptChanges {
  readonly id: string;
  readonly file: string;
  /** Null where the trace does not name it. */
  readonly agent: string | null;
  readonly changes: readonly StateChange[];
  /** An earlier run has it, and its file may be another one by now. */
  readonly isEarlier?: true;
  /** Its last turn, to show that it changed nothing. */
  readonly end: Pick<StateChange, 'turn' | 'pointer' | 'file'>;
}

/** An attempt beside the others of its task. */
export interface AttemptComparison {
  readonly own: AttemptChanges;
  /** How many others there are. */
  readonly others: number;
  /** One of the largest group of others that made the same changes, and how many those are. */
  readonly majority: AttemptChanges & { readonly count: number; readonly isOwn: boolean };
}

/** Others that must agree, and their share of all others, before an attempt that did otherwise stands out. */
const MIN_MAJORITY = 3;
const MAJORITY_SHARE = 0.75;

/** Whether a clear majority of the others did the same, and this attempt did otherwise. */
export function standsOut({ others, majority: { count, isOwn } }: AttemptComparison): boolean {
  return !isOwn && count >= MIN_MAJORITY && count >= MAJORITY_SHARE * others;
}

/** How many changes, and arguments of each, a sentence names. */
const MAX_NAMED = 2;

/** `3 of 4 other attempts called … ; this one called … instead.` */
export function describeDifference({ own, others, majority }: AttemptComparison): string {
  const { missing, extra } = difference(own, majority);
  const who = others === 1 ? 'The other attempt' : `${majority.count} of ${others} other attempts`;
  const [theirs, ours] = [nameChanges(missing, extra), nameChanges(extra, missing)];
  if (majority.changes.length === 0) return `${who} changed nothing; this one called ${ours}.`;
  if (own.changes.length === 0) return `${who} called ${theirs}; this one changed nothing.`;
  if (missing.length === 0) return `${who} did less: this one also called ${ours}.`;
  if (extra.length === 0) return `${who} also called ${theirs}; this one did not.`;
  return `${who} called ${theirs}; this one called ${ours} instead.`;
}

/** @param opposite what the other side called instead. */
function nameChanges(changes: readonly StateChange[], opposite: readonly StateChange[]): string {
  // The name of one change takes no more room than "1 more".
  const most = changes.length === MAX_NAMED + 1 ? changes.length : MAX_NAMED;
  return joinWithAnd(limitList(changes, most, (change) => changeText(change, opposite)));
}

/** A call with two of its arguments, among them those by which it differs from a call of the same tool on the other side. */
export function changeText(change: StateChange, opposite: readonly StateChange[] = []): string {
  const { tool, arguments: all, moreArguments = 0 } = change;
  const other = opposite.find((candidate) => candidate.tool === tool);
  // Of earlier runs, texts are not known.
  if (all.length === 0) return other && moreArguments > 0 ? `${tool} with other arguments` : tool;
  const known = new Set(other?.arguments.map(({ key }) => key));
  const differing = all.filter(({ key }) => other !== undefined && !known.has(key));
  const shown = [...differing, ...all.filter((argument) => !differing.includes(argument))].slice(0, MAX_NAMED);
  const texts = all.filter((argument) => shown.includes(argument)).map(({ text }) => text);
  const left = all.length - texts.length + moreArguments;
  return `${tool} with ${joinWithAnd(left > 0 ? [...texts, `${left} more`] : texts)}`;
}

/** What the majority changed and this attempt did not, and the other way round. */
function difference(own: AttemptChanges, majority: AttemptChanges): Record<'missing' | 'extra', StateChange[]> {
  const [ownKeys, theirKeys] = [own, majority].map(({ changes }) => new Set(changes.map(({ key }) => key)));
  return {
    missing: majority.changes.filter(({ key }) => !ownKeys?.has(key)),
    extra: own.changes.filter(({ key }) => !theirKeys?.has(key)),
  };
}

/** The first difference in this attempt and in one of the majority. */
export function differenceEvidence({ own, majority }: AttemptComparison): Evidence[] {
  const { missing, extra } = difference(own, majority);
  const ownPlace = extra[0] ?? own.end;
  const theirPlace = missing[0] ?? majority.end;
  const theirs = majority.isEarlier ? [] : [theirPlace];
  const theirFile = theirPlace.file ?? majority.file;
  return [
    {
      pointer: ownPlace.pointer,
      note: extra[0] ? `this attempt: ${changeText(extra[0], missing)}` : 'this attempt ended without it',
      ...(ownPlace.file === undefined ? {} : { file: ownPlace.file }),
    },
    ...theirs.map(({ pointer }) => ({
      pointer,
      note: `attempt ${inlineText(majority.id)}: ${missing[0] ? changeText(missing[0], extra) : 'ended without it'}`,
      ...(theirFile === own.file ? {} : { file: theirFile }),
    })),
  ];
}
