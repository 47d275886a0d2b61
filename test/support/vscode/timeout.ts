/** Settles as the promise does, or rejects after so many milliseconds with a sentence that names what was awaited. */
export async function withTimeout<T>(milliseconds: number, what: string, promise: PromiseLike<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`Waited ${milliseconds / 1000} s for ${what}.`)), milliseconds);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
