// Holds what ships against its size budget. Reads the metafile of the last build.
import { join } from 'node:path';
import { bundleSizes } from './bundle-sizes.ts';

const sizes = await bundleSizes(join(import.meta.dirname, '..'));
if (!sizes) {
  console.error('There is no dist/meta.json. Run `npm run build` first.');
  process.exit(1);
}

const kilobytes = (size) => `${Math.round(size / 1000)} kB`.padStart(8);
for (const { name, size, budget } of sizes) {
  const isOver = !(size <= budget);
  console.log(`${isOver ? '✗' : '✓'} ${name.padEnd(30)}${kilobytes(size)} of ${kilobytes(budget)}`);
  if (isOver) process.exitCode = 1;
}
