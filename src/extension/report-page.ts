/** What the page of a report is made with. */
export interface ReportPageOptions {
  /** Key of the session. */
  readonly session: string;
  /** Zero-based index of the turn to begin at; null: at the beginning. */
  readonly turn: number | null;
  readonly language: string;
  /** Of this page only. */
  readonly nonce: string;
  /** Where the stylesheet may come from. */
  readonly source: string;
  /** Addresses of the app's two files. */
  readonly script: string;
  readonly style: string;
}

/** The page around the app: it may run one script, use one stylesheet, and reach nothing else. */
export function renderReportPage({ session, turn, language, nonce, source, script, style }: ReportPageOptions): string {
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
<div id="report" data-session="${escapeHtml(session)}"${turn === null ? '' : ` data-turn="${turn}"`}></div>
<script nonce="${nonce}" src="${escapeHtml(script)}"></script>
</body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
