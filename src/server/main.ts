import './load-translations.ts';
import { createConnection, ProposedFeatures } from 'vscode-languageserver/node';
import { start } from './start.ts';

// The editor that started this process speaks over its channel; when that breaks, nobody is left to answer.
process.once('disconnect', () => process.exit());

start(createConnection(ProposedFeatures.all));
