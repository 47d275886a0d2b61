/** Packages the built extension: `node scripts/package.ts [FILE]`; the default is `turnwise.vsix`. */
import { join, resolve } from 'node:path';
import { packageExtension } from '../test/support/vscode/vsix.ts';

const [file = 'turnwise.vsix'] = process.argv.slice(2);
await packageExtension(join(import.meta.dirname, '..'), resolve(file));
console.log(`Packaged as ${file}. Install it with \`code --install-extension ${file}\`.`);
