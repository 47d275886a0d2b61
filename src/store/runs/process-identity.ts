import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** A process, so that another one with the same id is not taken for it. */
export interface ProcessIdentity {
  readonly pid: number;
  /** The machine, and on Linux the namespace of its process ids: only there, `pid` says anything. */
  readonly host: string;
  /** When it was started, as Linux counts it; null where the platform does not tell. */
  readonly start: string | null;
}

export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, host: ownHost(), start: startOf(process.pid) };
}

/** Null: it cannot be seen from here, or its id may belong to another process by now. */
export function isRunning({ pid, host, start }: ProcessIdentity): boolean | null {
  if (host !== ownHost()) return null;
  if (!exists(pid)) return false;
  const current = startOf(pid);
  return start === null || current === null ? null : current === start;
}

function ownHost(): string {
  try {
    return `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process of another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Field 22 of `/proc/PID/stat` (proc_pid_stat(5)): ticks since the system started, which has an id of its own. */
function startOf(pid: number): string | null {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is a name in parentheses that may contain anything.
    const ticks = status.slice(status.lastIndexOf(')') + 2).split(' ')[19];
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return ticks === undefined ? null : `${boot} ${ticks}`;
  } catch {
    return null;
  }
}
