import { mkdir } from 'node:fs/promises';

/** Creates a folder and those above it, where they do not exist. @throws the system's error */
export async function createFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true });
}
