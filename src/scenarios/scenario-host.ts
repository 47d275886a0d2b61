import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { createCallTimer } from '../sandbox/call-timer.ts';
import { resolveChildFile } from '../sandbox/child-file.ts';
import { type ScenarioLoadRequest, type ScenarioReply, type ScenarioRequest, scenarioReply } from './child-messages.ts';
import type { HandlerCall } from './scenario-process.ts';

export interface ScenarioHostOptions {
  readonly load: ScenarioLoadRequest;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of one call. */
  readonly timeoutMs: number;
  readonly loadTimeoutMs: number;
  readonly memoryLimitMb: number;
  /** Gets what the code prints. */
  readonly log: (text: string) => void;
  /** The process waits for a debugger at the port that this is called with. */
  readonly onDebugger?: ((port: number) => void) | undefined;
}

type CodeRequest = Extract<ScenarioRequest, { at: object }>;
type CodeReply = Extract<ScenarioReply, { type: 'tool' | 'handler' | 'state' | 'broken' }>;
type LoadReply = Extract<ScenarioReply, { type: 'loaded' | 'failed' }>;
type WithoutId<Request> = Request extends unknown ? Omit<Request, 'id'> : never;

/** What became of a request. `interrupted`: the process ended, for what another attempt did or may have done. */
export type CodeResult = CodeReply | { readonly type: 'interrupted'; readonly reason: string };

/** How long a process that is not busy may take to answer that it is alive, on a machine that is. */
const PONG_LIMIT_MS = 2000;
/** How long code has to end by itself. */
const END_GRACE_MS = 250;
const MAX_OUTPUT_CHARACTERS = 65_536;

interface RunningRequest {
  readonly conversationId: string;
  readonly calls: HandlerCall[];
  isStarted: boolean;
  /** Its time limit begins here. */
  start(): void;
  settle(result: CodeResult): void;
}

/** One process that has loaded a scenario file. */
export class ScenarioHost implements AsyncDisposable {
  readonly #options: ScenarioHostOptions;
  readonly #child: ChildProcess;
  readonly #running = new Map<number, RunningRequest>();
  readonly #outputs = new Map<string, string>();
  readonly #loaded = Promise.withResolvers<LoadReply>();
  readonly #killAtExit = () => this.#killGroup('SIGKILL');
  #nextId = 0;
  #pong: PromiseWithResolvers<boolean> | null = null;
  #ended: string | null = null;
  /** Conversations of which one ended the process, where it is not known which. */
  readonly suspects = new Set<string>();

  constructor(options: ScenarioHostOptions) {
    this.#options = options;
    const { env, memoryLimitMb, log, onDebugger } = options;
    this.#child = fork(resolveChildFile('scenario-child', import.meta.url), [], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      execArgv: [
        `--max-old-space-size=${memoryLimitMb}`,
        // At a free port of this machine.
        ...(onDebugger ? ['--inspect-brk=127.0.0.1:0'] : []),
      ],
      // Within VS Code, the program is the editor's.
      env: process.versions.electron === undefined ? env : { ...env, ELECTRON_RUN_AS_NODE: '1' },
      // A group of its own, so that what the code starts ends with it. On Windows that would open a window.
      detached: process.platform !== 'win32',
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) stream?.setEncoding('utf8').on('data', log);
    if (onDebugger) reportDebugger(this.#child.stderr, onDebugger);
    this.#child.on('message', (message) => this.#receive(message));
    this.#child.on('error', (error) => this.#end(`could not be started: ${error.message}`));
    this.#child.on('exit', (code, signal) => this.#end(describeExit(code, signal, memoryLimitMb)));
    // Node warns of more than ten listeners, and there may be as many processes as files.
    process.setMaxListeners(process.getMaxListeners() + 1).once('exit', this.#killAtExit);
  }

  /** Why the process is gone; null while it is there. */
  get ended(): string | null {
    return this.#ended;
  }

  /** Loads the file. To be called once, first. */
  async load(): Promise<LoadReply> {
    const { load, loadTimeoutMs } = this.#options;
    this.#send({ type: 'load', load });
    const timer = setTimeout(
      () => this.#stop(`did not finish loading within ${loadTimeoutMs / 1000} seconds`),
      loadTimeoutMs,
    );
    return this.#loaded.promise.finally(() => clearTimeout(timer));
  }

  /** Never rejects. @param calls gets the calls that a handler makes, also when it does not come to its end. */
  request(request: WithoutId<CodeRequest>, calls: HandlerCall[] = []): Promise<CodeResult> {
    if (this.#ended !== null) return Promise.resolve({ type: 'interrupted', reason: this.#ended });
    const { promise, resolve } = Promise.withResolvers<CodeResult>();
    const { timeoutMs } = this.#options;
    const id = this.#nextId++;
    const timer = createCallTimer(() => void this.#onTimeout(id, () => timer.start(timeoutMs)));
    const { conversationId } = request.at;
    const settle = (result: CodeResult) => {
      timer.stop();
      resolve(result);
    };
    this.#running.set(id, { conversationId, calls, isStarted: false, start: () => timer.start(timeoutMs), settle });
    timer.start(timeoutMs);
    this.#send({ ...request, id });
    return promise;
  }

  /** What the code of an attempt printed. */
  output(conversationId: string): string {
    return this.#outputs.get(conversationId) ?? '';
  }

  /** Forgets an attempt. */
  close(conversationId: string): void {
    this.#outputs.delete(conversationId);
    if (this.#ended === null) this.#send({ type: 'close', conversationId });
  }

  /** A call that waits for something ends alone; a process that is busy ends with all that it runs. */
  async #onTimeout(id: number, wait: () => void): Promise<void> {
    const running = this.#running.get(id);
    if (!running) return;
    const seconds = `${this.#options.timeoutMs / 1000} seconds`;
    if (!(await this.#isResponsive())) {
      this.#stop(`was busy for more than ${seconds}, as with an endless loop, and was stopped`);
    } else if (running.isStarted) {
      running.settle({ type: 'broken', id, reason: `Its code did not answer within ${seconds} (requestTimeoutMs).` });
    } else {
      wait();
    }
  }

  #isResponsive(): Promise<boolean> {
    if (this.#pong) return this.#pong.promise;
    const pong = Promise.withResolvers<boolean>();
    this.#pong = pong;
    this.#send({ type: 'ping' });
    const timer = setTimeout(() => pong.resolve(false), PONG_LIMIT_MS);
    return pong.promise.finally(() => {
      clearTimeout(timer);
      this.#pong = null;
    });
  }

  #receive(message: unknown): void {
    const parsed = scenarioReply.safeParse(message);
    if (!parsed.success) return;
    const { data } = parsed;
    switch (data.type) {
      case 'loaded':
      case 'failed':
        this.#loaded.resolve(data);
        break;
      case 'pong':
        this.#pong?.resolve(true);
        break;
      case 'output': {
        const before = this.output(data.conversationId);
        this.#outputs.set(data.conversationId, (before + data.text).slice(0, MAX_OUTPUT_CHARACTERS));
        break;
      }
      default:
        this.#receiveReply(data);
    }
  }

  #receiveReply(reply: CodeReply | Extract<ScenarioReply, { type: 'started' | 'call' }>): void {
    const running = this.#running.get(reply.id);
    if (!running) return;
    if (reply.type === 'started') {
      running.isStarted = true;
      running.start();
    } else if (reply.type === 'call') running.calls.push(reply.call);
    else {
      this.#running.delete(reply.id);
      running.settle(reply);
    }
  }

  /** Errors are ignored: when the process is gone, its exit is reported. */
  #send(request: ScenarioRequest): void {
    this.#child.send(request, () => {});
  }

  #stop(how: string): void {
    this.#end(how);
    this.#killGroup('SIGKILL');
  }

  #end(how: string): void {
    if (this.#ended !== null) return;
    this.#ended = `The process of the scenario file ${how}.`;
    this.#loaded.resolve({ type: 'failed', message: this.#ended, stack: '' });
    this.#pong?.resolve(true);
    const started = [...this.#running.values()].filter(({ isStarted }) => isStarted);
    const conversations = new Set(started.map(({ conversationId }) => conversationId));
    for (const [id, { conversationId, settle }] of this.#running) {
      const isGuilty = conversations.size === 1 && conversations.has(conversationId);
      settle({ type: isGuilty ? 'broken' : 'interrupted', id, reason: this.#ended });
    }
    if (conversations.size > 1) for (const conversationId of conversations) this.suspects.add(conversationId);
    this.#running.clear();
  }

  #killGroup(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    if (process.platform === 'win32') {
      // There are no groups: its tree of processes.
      spawn('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore' }).on('error', () => {});
      return;
    }
    try {
      process.kill(-pid, signal);
    } catch {
      // It has ended, with all that it started.
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { exitCode, signalCode, pid } = this.#child;
    const isGone = pid === undefined || exitCode !== null || signalCode !== null;
    const exited = isGone ? Promise.resolve() : once(this.#child, 'exit');
    this.#end('was stopped');
    this.#killGroup('SIGTERM');
    const timer = setTimeout(this.#killAtExit, END_GRACE_MS);
    await exited.catch(() => {});
    clearTimeout(timer);
    // What it started may outlive it.
    this.#killAtExit();
    if (!process.listeners('exit').includes(this.#killAtExit)) return;
    process.setMaxListeners(process.getMaxListeners() - 1).off('exit', this.#killAtExit);
  }
}

/** Node says the port once, at first. */
function reportDebugger(stderr: Readable | null, onDebugger: (port: number) => void): void {
  const find = (text: string) => {
    const port = /^Debugger listening on ws:\/\/127\.0\.0\.1:(\d+)\//m.exec(text)?.[1];
    if (port === undefined) return;
    stderr?.off('data', find);
    onDebugger(Number(port));
  };
  stderr?.on('data', find);
}

function describeExit(code: number | null, signal: NodeJS.Signals | null, memoryLimitMb: number): string {
  const how = signal ?? `exit code ${code}`;
  const isMemory = signal === 'SIGABRT' || code === 134;
  return `ended by itself (${how}${isMemory ? `, as it does at its memory limit of ${memoryLimitMb} MB` : ''})`;
}
