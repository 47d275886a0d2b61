import { basename } from 'node:path';
import type { Plugin } from 'esbuild';

/**
 * The library's client features for protocol parts that Turnwise does not use, one file each.
 * The client registers all of them, regardless of the server's capabilities.
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

/** A stub for any export of these files: a feature that does nothing. */
const STUB = `
class UnusedFeature {
  fillClientCapabilities() {}
  initialize() {}
  getState() { return { kind: 'static' }; }
  clear() {}
}
module.exports = new Proxy({}, { get: () => UnusedFeature });
`;

/** Not needed: the editor checks its version against `engines.vscode` before it starts the extension. */
const SEMVER_STUBS: Readonly<Record<string, string>> = {
  parse: 'module.exports = () => ({ prerelease: [] });',
  satisfies: 'module.exports = () => true;',
};

/** Excludes unused client code, a quarter of the extension's bundle. */
export const withoutUnusedFeatures: Plugin = {
  name: 'without-unused-features',
  setup({ onLoad, onEnd }) {
    const missing = new Set(UNUSED_FEATURES);
    onLoad(
      { filter: new RegExp(`vscode-languageclient[\\\\/]lib[\\\\/]common[\\\\/](${UNUSED_FEATURES.join('|')})\\.js$`) },
      ({ path }) => {
        missing.delete(basename(path, '.js'));
        return { contents: STUB };
      },
    );
    onLoad({ filter: /[\\/]semver[\\/]functions[\\/](parse|satisfies)\.js$/ }, ({ path }) => {
      return { contents: SEMVER_STUBS[basename(path, '.js')] };
    });
    onEnd(() => {
      const names = [...missing].join(', ');
      return missing.size === 0 ? {} : { errors: [{ text: `vscode-languageclient no longer has ${names}.` }] };
    });
  },
};
