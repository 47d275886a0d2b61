import * as l10n from '@vscode/l10n';

// Imported before everything else: some strings are read when their module is loaded.
const bundle = process.env.TURNWISE_L10N_BUNDLE;
if (bundle !== undefined && bundle !== '') l10n.config({ fsPath: bundle });
