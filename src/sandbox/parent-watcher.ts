import { Worker } from 'node:worker_threads';

/** Code that never yields does not notice that its parent process has ended: a thread checks whether the parent is alive. */
const PARENT_WATCHER = `
const { workerData } = require('node:worker_threads');
setInterval(() => {
  try {
    process.kill(workerData.parent, 0);
  } catch {
    process.kill(workerData.target, 'SIGKILL');
  }
}, 1000);
`;

/** Ends a process when this one's parent has ended, whatever code runs here. @param target negative: a process group. */
export function endWithParent(target = process.pid): void {
  new Worker(PARENT_WATCHER, { eval: true, workerData: { parent: process.ppid, target } }).unref();
}
