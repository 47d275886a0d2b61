import * as l10n from '@vscode/l10n';

// Imported before everything else: some strings are read when their module is loaded.
const translations = document.getElementById('report')?.dataset.l10n;
if (translations !== undefined) l10n.config({ contents: translations });
