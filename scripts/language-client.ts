import { basename } from 'node:path';
import type { Plugin } from 'esbuild';

/**
 * What the library of the language client has for parts of the protocol that Turnwise does not speak, a file of its own each.
 * The client registers all of them, whatever the server can do.
 */
const UNUSED_FEATURES = [
  'callHierarchy',
  'colorProvider',
  'completion',
  'declaration',
  'definition',
  'diagnostic',
  'documentHighlight',
  'documentLink',
  'documentSymbol',
  'foldingRange',
  'formatting',
  'implementation',
  'inlineCompletion',
  'inlineValue',
  'linkedEditingRange',
  'notebook',
  'reference',
  'rename',
  'selectionRange',
  'semanticTokens',
  'signatureHelp',
  'textDocumentContent',
  'typeDefinition',
  'typeHierarchy',
  'workspaceSymbol',
];

/** A feature that offers nothing and does nothing, by whatever name it is asked for. */
const NOTHING = `
class Unspoken {
  fillClientCapabilities() {}
  initialize() {}
  getState() { return { kind: 'static' }; }
  clear() {}
}
module.exports = new Proxy({}, { get: () => Unspoken });
`;

/** The editor has compared its version with `engines.vscode` before anything of the extension runs. */
const VERSION_IS_KNOWN: Readonly<Record<string, string>> = {
  parse: 'module.exports = () => ({ prerelease: [] });',
  satisfies: 'module.exports = () => true;',
};

/** Leaves out of the extension what nobody calls: it is loaded with everything else, and is a quarter of it. */
export const spokenParts: Plugin = {
  name: 'spoken-parts',
  setup({ onLoad, onEnd }) {
    const missing = new Set(UNUSED_FEATURES);
    onLoad(
      { filter: new RegExp(`vscode-languageclient[\\\\/]lib[\\\\/]common[\\\\/](${UNUSED_FEATURES.join('|')})\\.js$`) },
      ({ path }) => {
        missing.delete(basename(path, '.js'));
        return { contents: NOTHING };
      },
    );
    onLoad({ filter: /[\\/]semver[\\/]functions[\\/](parse|satisfies)\.js$/ }, ({ path }) => {
      return { contents: VERSION_IS_KNOWN[basename(path, '.js')] };
    });
    onEnd(() => {
      const names = [...missing].join(', ');
      return missing.size === 0 ? {} : { errors: [{ text: `vscode-languageclient has no ${names} any more.` }] };
    });
  },
};
