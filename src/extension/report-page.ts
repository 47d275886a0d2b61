/** What the page of a report is made with. */
export interface ReportPageOptions {
  /** Key of the session. */
  readonly session: string;
  /** Zero-based index of the turn to begin at; null: at the beginning. */
  readonly turn: number | null;
  readonly language: string;
  /** Strings of the app in that language; undefined: those in the code. */
  readonly translations: Readonly<Record<string, string>> | undefined;
  /** Of this page only. */
  readonly nonce: string;
  /** Where the stylesheet may come from. */
  readonly source: string;
  /** Addresses of the app's two files. */
  readonly script: string;
  readonly style: string;
}

/** The page around the app: it may run one script, use one stylesheet, and reach nothing else. */
export function renderReportPage(options: ReportPageOptions): string {
  const { session, turn, language, translations, nonce, source, script, style } = options;
  const data = {
    session,
    ...(turn !== null && { turn: String(turn) }),
    ...(translations && { l10n: JSON.stringify(translations) }),
  };
  const attributes = Object.entries(data).map(([name, value]) => ` data-${name}="${escapeHtml(value)}"`);
  const policy = `default-src 'none'; style-src ${source}; script-src 'nonce-${nonce}'`;
  return `<!DOCTYPE html>
<html lang="${escapeHtml(language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Turnwise</title>
<link rel="stylesheet" href="${escapeHtml(style)}">
</head>
<body data-vscode-context="${escapeHtml(JSON.stringify({ session }))}">
<div id="report"${attributes.join('')}></div>
<script nonce="${nonce}" src="${escapeHtml(script)}"></script>
</body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
