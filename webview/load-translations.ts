import * as l10n from '@vscode/l10n';

// Must be imported first: other modules translate strings when they load.
const translations = document.getElementById('report')?.dataset.l10n;
if (translations !== undefined) l10n.config({ contents: translations });
