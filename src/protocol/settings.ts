import * as z from 'zod/mini';
import { defineNotification } from './rpc.ts';

/** Globs of files that are traces by their names, and have a lens before they are evaluated. */
export const DEFAULT_TRACES: readonly string[] = [
  '**/*.trace.json',
  '**/*.trace.jsonl',
  '**/*.session.json',
  '**/*.session.jsonl',
  '**/*.evalset.json',
  '**/*.test.json',
  '**/*.traj',
  '**/.agentest/results.json',
];

export const EVALUATE_ON_CHANGE = ['evaluated', 'all', 'off'] as const;

const flag = (otherwise: boolean) => z._default(z.boolean(), otherwise);

/** The settings that the server uses; all are optional initialization options of any editor. */
export const settings = z.object({
  /** Globs of trace files, relative to the workspace. */
  traces: z._default(z.readonly(z.array(z.string())), [...DEFAULT_TRACES]),
  lenses: flag(true),
  inlayHints: flag(false),
  /** Evaluates a file again when it is saved. */
  evaluateOnSave: flag(true),
  /** Evaluates files that another program has written: those with results, also new traces (`all`), or none. */
  evaluateOnChange: z._default(z.enum(EVALUATE_ON_CHANGE), 'evaluated'),
  /** Whether an evaluation on save may ask the editor's own models; one that the user starts may. */
  editorModelsOnSave: flag(false),
  /** The first port to try when traces are received; 0: any. */
  livePort: z._default(z.int().check(z.minimum(0), z.maximum(65_535)), 4318),
  /** Megabytes of all received sessions of a project: the oldest are deleted for new ones. */
  liveMaxSize: z._default(z.int().check(z.positive()), 500),
  /** Days after which a received session that has not changed is deleted. */
  liveKeepDays: z._default(z.int().check(z.positive()), 30),
  /** Tells the user of the first severe problem of each received session. */
  liveNotify: flag(true),
  /** Whether the workspace is trusted. Without trust, only rules run. */
  trusted: flag(true),
});
export type ClientSettings = z.infer<typeof settings>;

/** Options that are sent once, at the start. */
export const initialization = z.object({
  ...settings.shape,
  /** `vscode`: the extension has its own commands, sends edits without text, and shows reports. Other editors use only LSP. */
  client: z._default(z.enum(['vscode', 'other']), 'other'),
  /** The URI of a folder with a page per rule: `ID.md`. */
  rulePages: z.optional(z.string()),
});
export type InitializationSettings = z.infer<typeof initialization>;

/** The settings have changed. */
export const settingsChanged = defineNotification('turnwise/settings', settings);
