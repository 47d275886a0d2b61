import './load-translations.ts';
import { createConnection, ProposedFeatures } from 'vscode-languageserver/node';
import { start } from './start.ts';

// The editor that started this process talks over its channel; when that closes, nothing is left to serve.
process.once('disconnect', () => process.exit());

start(createConnection(ProposedFeatures.all));
