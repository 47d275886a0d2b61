import { homedir } from 'node:os';
import { posix, win32 } from 'node:path';

/** The environment: of a process, or of a test. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The data folder of this installation: the platform's, unless `TURNWISE_HOME` names another. */
export function dataFolder(
  env: Environment,
  platform: NodeJS.Platform = process.platform,
  home: string = homeFolder(),
): string {
  if (env.TURNWISE_HOME) return env.TURNWISE_HOME;
  if (platform === 'win32') {
    return win32.join(env.LOCALAPPDATA || win32.join(home, 'AppData', 'Local'), 'Turnwise');
  }
  if (platform === 'darwin') return posix.join(home, 'Library', 'Application Support', 'Turnwise');
  // The XDG specification says to ignore relative paths.
  const data = env.XDG_DATA_HOME;
  return posix.join(data && posix.isAbsolute(data) ? data : posix.join(home, '.local', 'share'), 'turnwise');
}

/** In a container there may be neither `HOME` nor a user; then the root, which is usually not writable. */
function homeFolder(): string {
  try {
    return homedir();
  } catch {
    return '/';
  }
}
