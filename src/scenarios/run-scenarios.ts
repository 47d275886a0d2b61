import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { mapConcurrent } from '../core/async/concurrency.ts';
import { errorMessage } from '../core/error-message.ts';
import { writeFile } from '../output/write-file.ts';
import type { AttemptFailure } from './agent-turn.ts';
import type { Agent } from './agents/agent.ts';
import { runAttempt } from './attempt.ts';
import type { AttemptCode, ScenarioProcess } from './scenario-process.ts';
import { type AttemptIdentity, sessionFileText } from './session-file.ts';
import type { AttemptUser } from './user.ts';

/** An attempt that is to be made. */
export interface PlannedAttempt extends AttemptIdentity {
  /** Called for each try: no state is shared between two. */
  openAgent(code: AttemptCode, conversationId: string): Agent;
  openUser(): AttemptUser;
}

/** A file of scenarios that is loaded when its turn comes. */
export interface ScenarioFile {
  /** As the user would type it. */
  readonly file: string;
  /** Null where it cannot be loaded: what opens it has reported why. Several files are opened at once. Never rejects. */
  open(signal: AbortSignal): Promise<ScenarioProcess | null>;
  /** The attempts at the scenarios of a loaded file: asked of one file after the other, in their order. */
  plan(process: ScenarioProcess): Promise<readonly PlannedAttempt[]>;
}

export interface FinishedAttempt extends AttemptIdentity {
  /** The scenario file. */
  readonly file: string;
  /** The session file; null where it could not be written. */
  readonly sessionFile: string | null;
  readonly failure: AttemptFailure | null;
  readonly turns: number;
  readonly startedAt: number;
  readonly durationMs: number;
  /** How often it was made again after an error. */
  readonly retries: number;
  /** What the user's code printed. */
  readonly output: string;
}

export type ScenarioEvent =
  /** `attempts`: how many are known so far. `added`: those at scenarios of this file. */
  | {
      readonly type: 'planned';
      readonly attempts: number;
      readonly file: string;
      readonly added: readonly AttemptIdentity[];
    }
  | { readonly type: 'started'; readonly file: string; readonly attempt: AttemptIdentity }
  | { readonly type: 'attempt'; readonly attempt: FinishedAttempt; readonly done: number; readonly of: number };

export interface RunScenariosOptions {
  /** Exists, and gets a session file per attempt. */
  readonly folder: string;
  /** Attempts at the same time. */
  readonly concurrency: number;
  /** How often an attempt that ended with an error is made again. */
  readonly retries: number;
  readonly unmockedTools: 'error' | 'passthrough';
  readonly signal: AbortSignal;
  readonly onEvent?: ((event: ScenarioEvent) => void) | undefined;
  /** Milliseconds of the epoch. */
  readonly now?: () => number;
}

/**
 * Makes the attempts at scenarios and writes each as a session file, from which it is evaluated. Aborting ends the processes of
 * all files at once; the attempts that were finished are returned. Never rejects for what an attempt does.
 */
export async function runScenarios(
  files: readonly ScenarioFile[],
  options: RunScenariosOptions,
): Promise<FinishedAttempt[]> {
  const { concurrency, signal, onEvent } = options;
  const counts = { planned: 0, done: 0 };
  const open = new Set<OpenFile>();
  const closeAll = () => void Promise.all(Array.from(open, (file) => file.process[Symbol.asyncDispose]()));
  signal.addEventListener('abort', closeAll, { once: true });
  try {
    const finished = await mapConcurrent(
      pendingAttempts(files, open, counts, options),
      concurrency,
      async (pending) => {
        onEvent?.({ type: 'started', file: pending.from.file, attempt: pending.attempt });
        const attempt = await makeAttempt(pending, options);
        await release(pending.from, open);
        if (!attempt) return null;
        counts.done += 1;
        onEvent?.({ type: 'attempt', attempt, done: counts.done, of: counts.planned });
        return attempt;
      },
    );
    return finished.flatMap((attempt) => attempt ?? []);
  } finally {
    signal.removeEventListener('abort', closeAll);
    await Promise.all(Array.from(open, (file) => file.process[Symbol.asyncDispose]()));
  }
}

interface OpenFile {
  readonly file: string;
  readonly process: ScenarioProcess;
  /** Attempts that are not over. */
  left: number;
}

interface PendingAttempt {
  readonly attempt: PlannedAttempt;
  readonly from: OpenFile;
}

/** Files whose processes start while attempts of those before run. */
const OPEN_AHEAD = 4;

interface OpenedFile {
  readonly file: ScenarioFile;
  readonly process: ScenarioProcess;
}

/** The files in order, some of them opened before they are asked for. */
async function* openAhead(
  files: readonly ScenarioFile[],
  { concurrency, signal }: RunScenariosOptions,
): AsyncGenerator<OpenedFile, void> {
  const ahead = Math.min(OPEN_AHEAD, concurrency);
  const opening: { readonly file: ScenarioFile; readonly opened: Promise<ScenarioProcess | null> }[] = [];
  try {
    for (let next = 0; next < files.length || opening.length > 0; ) {
      for (; opening.length < ahead && next < files.length && !signal.aborted; next += 1) {
        const file = files[next];
        if (file) opening.push({ file, opened: file.open(signal) });
      }
      const [first] = opening;
      if (!first || signal.aborted) return;
      const process = await first.opened;
      opening.shift();
      if (process) yield { file: first.file, process };
    }
  } finally {
    await Promise.all(opening.map(async ({ opened }) => (await opened)?.[Symbol.asyncDispose]()));
  }
}

/** The attempts at all files. */
async function* pendingAttempts(
  files: readonly ScenarioFile[],
  open: Set<OpenFile>,
  counts: { planned: number },
  options: RunScenariosOptions,
): AsyncGenerator<PendingAttempt, void> {
  const { signal, onEvent } = options;
  for await (const { file, process } of openAhead(files, options)) {
    const attempts = signal.aborted ? [] : await file.plan(process);
    const from: OpenFile = { file: file.file, process, left: attempts.length };
    open.add(from);
    if (attempts.length === 0 || signal.aborted) {
      await release(from, open);
      continue;
    }
    counts.planned += attempts.length;
    onEvent?.({ type: 'planned', attempts: counts.planned, file: file.file, added: attempts });
    for (const attempt of attempts) {
      if (signal.aborted) return;
      yield { attempt, from };
    }
  }
}

/** Ends the process of a file after its last attempt. */
async function release(file: OpenFile, open: Set<OpenFile>): Promise<void> {
  file.left -= 1;
  if (file.left > 0) return;
  open.delete(file);
  await file.process[Symbol.asyncDispose]();
}

/** Null where the run was stopped before the attempt came to its end. */
async function makeAttempt(
  { attempt, from }: PendingAttempt,
  { folder, retries: allowed, unmockedTools, signal, now = Date.now }: RunScenariosOptions,
): Promise<FinishedAttempt | null> {
  const { id, scenario, trial, agent } = attempt;
  const identity: AttemptIdentity = { id, scenario, trial, agent };
  const startedAt = now();
  let retries = 0;
  let wasInterrupted = false;
  for (;;) {
    const conversationId = retries === 0 ? id : `${id}, try ${retries + 1}`;
    using code = from.process.openAttempt(scenario.name, conversationId);
    const user = attempt.openUser();
    const agentOfTry = attempt.openAgent(code, conversationId);
    const parts = { scenario, user, code, agent: agentOfTry, unmockedTools, now };
    const conversation = await runAttempt(parts, signal);
    const { failure } = conversation;
    if (failure?.isInterrupted && !wasInterrupted && !signal.aborted) {
      wasInterrupted = true;
      continue;
    }
    if (failure?.cause === 'error' && retries < allowed && !signal.aborted) {
      retries += 1;
      continue;
    }
    // An attempt that was cut off says nothing.
    if (failure && signal.aborted) return null;
    const text = sessionFileText(identity, conversation, agentOfTry.facts);
    const written = await writeSession(join(folder, sessionFileName(identity)), text);
    return {
      ...identity,
      file: from.file,
      sessionFile: written.path,
      failure: failure ?? written.failure,
      turns: conversation.turns.length,
      startedAt,
      durationMs: now() - startedAt,
      retries,
      output: code.output(),
    };
  }
}

async function writeSession(
  path: string,
  text: string,
): Promise<{ readonly path: string | null; readonly failure: AttemptFailure | null }> {
  try {
    await writeFile(path, text, { isNew: true });
    return { path, failure: null };
  } catch (error) {
    return { path: null, failure: { cause: 'error', reason: `${path} cannot be written: ${errorMessage(error)}.` } };
  }
}

const MAX_NAME_LENGTH = 60;

/** Readable, valid on every system, and different for different attempts. */
function sessionFileName({ id, scenario, trial }: AttemptIdentity): string {
  const name = scenario.name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_NAME_LENGTH);
  const hash = createHash('sha256').update(id).digest('hex').slice(0, 6);
  return `${name}.${trial}.${hash}.session.json`;
}
