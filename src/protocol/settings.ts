import * as z from 'zod/mini';
import { defineNotification } from './rpc.ts';

/** Names of files that are traces by their names alone: what shows lenses before it was ever evaluated. */
export const DEFAULT_TRACES: readonly string[] = [
  '**/*.trace.json',
  '**/*.trace.jsonl',
  '**/*.session.json',
  '**/*.session.jsonl',
  '**/*.evalset.json',
  '**/*.traj',
  '**/.agentest/results.json',
];

const flag = (otherwise: boolean) => z._default(z.boolean(), otherwise);

/** What a user sets, as the server needs it; the initialization options of any editor, each of them optional. */
export const settings = z.object({
  /** Globs of trace files, relative to the workspace. */
  traces: z._default(z.readonly(z.array(z.string())), [...DEFAULT_TRACES]),
  lenses: flag(true),
  inlayHints: flag(true),
  /** A file that was evaluated is evaluated again when it is saved. */
  evaluateOnSave: flag(true),
  /** Whether the folder may decide what runs and who is asked. Without it, rules run and nothing else. */
  trusted: flag(true),
});
export type ClientSettings = z.infer<typeof settings>;

/** Only what is told once, at the beginning. */
export const initialization = z.object({
  ...settings.shape,
  /**
   * `vscode`: the extension has its own commands, tells of edits without sending texts, and shows reports. Any other editor
   * gets everything by the Language Server Protocol alone.
   */
  client: z._default(z.enum(['vscode', 'other']), 'other'),
  /** A URI of the folder with a page per rule, `ID.md`. */
  rulePages: z.optional(z.string()),
});
export type InitializationSettings = z.infer<typeof initialization>;

/** The user has changed them. */
export const settingsChanged = defineNotification('turnwise/settings', settings);
