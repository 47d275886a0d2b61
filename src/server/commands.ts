import { isAbsolute } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import {
  type CancellationToken,
  CancellationTokenSource,
  type Connection,
  ErrorCodes,
  MessageType,
  ResponseError,
  ShowMessageNotification,
  WorkDoneProgressReporter,
  type WorkDoneProgressServerReporter,
} from 'vscode-languageserver/node';
import type { FileProblemRow } from '../protocol/messages.ts';
import type { Feature, ServerContext } from './context.ts';
import { openFolders } from './disk/open-folders.ts';
import type { Evaluation } from './evaluation/evaluator.ts';
import { problemText } from './evaluation/run-log.ts';

/** How a command is executed. */
interface CommandExecution {
  readonly args: readonly unknown[];
  readonly token: CancellationToken;
  /** Where progress is reported; does nothing where the editor gave no token for it. */
  readonly progress: WorkDoneProgressReporter;
}

/** Arguments may be typed by the user, so they are checked. */
const COMMANDS = {
  'turnwise.evaluate': async (context, execution) => {
    const { args } = execution;
    return runEvaluation(
      context,
      args.length > 0 ? args.map(parseUriArgument) : await openFolderUris(context),
      execution,
    );
  },
  'turnwise.evaluateAgain': (context, execution) => {
    const { results } = context;
    const there = results.paths.filter((path) => results.file(path)?.state !== 'gone');
    if (there.length === 0) throw invalidParams('Nothing to evaluate again. Evaluate a file first.');
    return runEvaluation(
      context,
      there.map((path) => pathToFileURL(path).href),
      execution,
    );
  },
  'turnwise.clear': async ({ clear }) => {
    clear();
    return null;
  },
} as const satisfies Record<
  string,
  (context: ServerContext, execution: CommandExecution) => Promise<Evaluation | null>
>;

/**
 * Commands for editors without the Turnwise extension. In VS Code the extension registers the same names, and a name
 * can be registered only once.
 */
export const commands: Feature = (context) => {
  if (context.settings().client === 'vscode') return {};
  context.connection.onExecuteCommand(({ command, arguments: args = [] }, token, progress) => {
    const [, run] = Object.entries(COMMANDS).find(([name]) => name === command) ?? [];
    if (!run) throw invalidParams(`Unknown command "${command}". Commands: ${Object.keys(COMMANDS).join(', ')}.`);
    return run(context, { args, token, progress });
  });
  return { executeCommandProvider: { commands: Object.keys(COMMANDS), workDoneProgress: true } };
};

async function runEvaluation(
  { connection, evaluator }: ServerContext,
  uris: readonly string[],
  { token, progress }: CommandExecution,
): Promise<Evaluation> {
  const own = WorkDoneProgressReporter.isNullInstance(progress) ? await createProgress(connection) : null;
  const stop = new CancellationTokenSource();
  const listeners = [token, ...(own ? [own.token] : [])].map((source) =>
    source.onCancellationRequested(() => stop.cancel()),
  );
  try {
    const evaluation = await evaluator.evaluate(uris, makeCancellable(own ?? progress), stop.token, {
      isRecorded: true,
    });
    showFirstError(evaluation.problems, connection);
    return evaluation;
  } finally {
    for (const listener of listeners) listener.dispose();
    stop.dispose();
  }
}

/** Null where the editor shows no progress that the server starts. */
async function createProgress(connection: Connection): Promise<WorkDoneProgressServerReporter | null> {
  return connection.window.createWorkDoneProgress().catch(() => null);
}

/**
 * Progress that can be cancelled, with percentages: some editors ignore percentages unless the first report has one.
 */
function makeCancellable(progress: WorkDoneProgressReporter): WorkDoneProgressReporter {
  return {
    begin: (title, share = 0, message) => progress.begin(title, share, message, true),
    report: (share: number | string, message?: string) => {
      if (typeof share === 'string') progress.report(share);
      else if (message === undefined) progress.report(share);
      else progress.report(share, message);
    },
    done: () => progress.done(),
  };
}

/** Shows the first unreadable file: an editor without our views has no other place for it. The log has all. */
function showFirstError(problems: readonly FileProblemRow[], connection: Connection): void {
  const [first, ...more] = problems.filter(({ severity }) => severity === 'error');
  if (!first) return;
  const rest = more.length === 0 ? '' : ` (and ${more.length} more in the log)`;
  const message = `Turnwise: ${problemText(first)}${rest}`;
  void connection.sendNotification(ShowMessageNotification.type, { type: MessageType.Error, message });
}

/** All folders that are open in the editor. */
async function openFolderUris({ connection }: ServerContext): Promise<readonly string[]> {
  const open = await openFolders(connection);
  if (open.length === 0) {
    throw invalidParams('turnwise.evaluate needs the URI of a file or folder when no folder is open.');
  }
  return open.map((path) => pathToFileURL(path).href);
}

/** Accepts the path of a file as well as its URI, since some editors fill in the path. */
function parseUriArgument(argument: unknown): string {
  if (typeof argument === 'string' && isAbsolute(argument)) return pathToFileURL(argument).href;
  if (typeof argument !== 'string' || !isFileUri(argument)) {
    throw invalidParams(
      `turnwise.evaluate takes URIs of files and folders, such as file:///home/me/run.json, not ${JSON.stringify(argument)}.`,
    );
  }
  return argument;
}

function isFileUri(uri: string): boolean {
  try {
    return fileURLToPath(uri) !== '';
  } catch {
    return false;
  }
}

function invalidParams(message: string): ResponseError<void> {
  return new ResponseError(ErrorCodes.InvalidParams, message);
}
