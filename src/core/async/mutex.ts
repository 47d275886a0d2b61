/** Runs tasks one after the other, in the order in which they are handed over. A task that fails does not stop the next. */
export type Mutex = <Value>(task: () => Value | Promise<Value>) => Promise<Value>;

export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const result = last.then(task);
    last = result.catch(() => {});
    return result;
  };
}
