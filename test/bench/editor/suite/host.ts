import { readFileSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type ProfileTime, profileTime } from '../profile-time.ts';

/**
 * Does something, and looks all the while whose code runs in the host: how much of it is of one file.
 *
 * @param keep where the profile is written, for a person to look into.
 */
export async function profileHost(act: () => Promise<unknown>, file: string, keep: string): Promise<ProfileTime> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: 1000 });
    await session.post('Profiler.start');
    await act();
    const { profile } = await session.post('Profiler.stop');
    writeFileSync(keep, JSON.stringify(profile));
    return profileTime(profile, (url) => url.endsWith(file));
  } finally {
    session.disconnect();
  }
}

/** Resident memory of this process in megabytes, after a collection. */
export function hostMemory(): number {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect();
  return process.memoryUsage.rss() / 1e6;
}

/** The same of another process, as it is. */
export function memoryOf(id: number): number {
  const match = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${id}/status`, 'utf8'));
  return match ? (Number(match[1]) * 1024) / 1e6 : Number.NaN;
}

/** Processor time of another process, in milliseconds. */
export function busyOf(id: number): number {
  // The name of the process, in parentheses, may hold spaces; user and system time are the 14th and 15th field.
  const fields = readFileSync(`/proc/${id}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * (1000 / TICKS_PER_SECOND);
}

/** Of every Linux that runs on what people have. */
const TICKS_PER_SECOND = 100;
