import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * The file of a child process: beside the file that starts it in the sources and in a bundle, or above it in a chunk.
 *
 * @param from the URL of the file that starts it.
 */
export function resolveChildFile(name: string, from: string): string {
  const paths = [`./${name}.ts`, `./${name}.js`, `../${name}.js`];
  return paths.map((path) => fileURLToPath(new URL(path, from))).find(existsSync) ?? name;
}
