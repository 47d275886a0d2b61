/** Packages the extension as it is built: `node scripts/package.ts [FILE]`, `turnwise.vsix` without a name. */
import { join, resolve } from 'node:path';
import { packageExtension } from '../test/support/vscode/vsix.ts';

const [file = 'turnwise.vsix'] = process.argv.slice(2);
const root = join(import.meta.dirname, '..');
await packageExtension(root, resolve(file), console.log);
console.log(`Packaged as ${file}. Install it with \`code --install-extension ${file}\`.`);
