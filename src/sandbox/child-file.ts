import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The file of a child process: beside this one in the sources and in a bundle, or above it in a chunk. */
export function resolveChildFile(name: string): string {
  const paths = [`./${name}.ts`, `./${name}.js`, `../${name}.js`];
  return paths.map((path) => fileURLToPath(new URL(path, import.meta.url))).find(existsSync) ?? name;
}
