import { execFileSync } from 'node:child_process';
import { availableParallelism, loadavg, totalmem } from 'node:os';

/** Where and when something is measured: the date, the commit, the machine and its load. */
export function circumstances(): string {
  const commit = execFileSync('git', ['rev-parse', '--short=8', 'HEAD'], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  }).trim();
  const day = new Date().toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric' });
  const machine = `${availableParallelism()} cores and ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.version.slice(1)}`;
  return `${day}, commit ${commit}, ${machine}, load average ${(loadavg()[0] ?? 0).toFixed(1)}`;
}
