/** The oldest version of Node that works: `engines` in package.json. */
const OLDEST = [22, 13] as const;

/** Says which Node is needed if this one is too old. Uses nothing that an old version may lack. */
export function unsupportedNode(version: string): string | null {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return null;
  return `turnwise requires Node ${OLDEST.join('.')} or newer; this is Node ${version}. Install a newer version from https://nodejs.org.`;
}
