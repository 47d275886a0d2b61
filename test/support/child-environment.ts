/**
 * The environment of a Turnwise process that a test starts: nothing of the machine's but programs, and the code that
 * earlier processes have compiled.
 */
export function childEnvironment(home: string): NodeJS.ProcessEnv {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return { PATH, NODE_COMPILE_CACHE, HOME: home, NODE_NO_WARNINGS: '1' };
}
