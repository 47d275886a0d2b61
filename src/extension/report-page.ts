/** The values in the HTML of a page of the app. */
export interface PageOptions {
  /** What the page shows, as data attributes. */
  readonly data: Readonly<Record<string, string>>;
  /** The context of VS Code's context menu. */
  readonly context: Readonly<Record<string, string>>;
  readonly language: string;
  /** Strings of the app in that language; undefined: those in the code. */
  readonly translations: Readonly<Record<string, string>> | undefined;
  /** A random value for this page. */
  readonly nonce: string;
  /** The origin of the style sheets, for the content security policy. */
  readonly source: string;
  /** URLs of the app's files; later style sheets take precedence. */
  readonly script: string;
  readonly styles: readonly string[];
}

/**
 * The HTML of a page of the app. It can load its style sheets, one script and the modules
 * that the script imports, and nothing else.
 */
export function renderPage(options: PageOptions): string {
  const { context, language, translations, nonce, source, script, styles } = options;
  const data = { ...options.data, ...(translations && { l10n: JSON.stringify(translations) }) };
  const attributes = Object.entries(data).map(([name, value]) => ` data-${name}="${escapeHtml(value)}"`);
  const policy = `default-src 'none'; style-src ${source}; script-src 'nonce-${nonce}'`;
  return `<!DOCTYPE html>
<html lang="${escapeHtml(language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Turnwise</title>
${styles.map((style) => `<link rel="stylesheet" href="${escapeHtml(style)}">\n`).join('')}</head>
<body data-vscode-context="${escapeHtml(JSON.stringify(context))}">
<div id="report"${attributes.join('')}></div>
<script type="module" nonce="${nonce}" src="${escapeHtml(script)}"></script>
</body>
</html>
`;
}

type MessageOptions = Pick<PageOptions, 'language' | 'source' | 'styles'> & { readonly message: string };

/** The HTML of a page that says one thing: no script runs in it. */
export function renderMessage({ message, language, source, styles }: MessageOptions): string {
  const policy = `default-src 'none'; style-src ${source}`;
  return `<!DOCTYPE html>
<html lang="${escapeHtml(language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(policy)}">
<title>Turnwise</title>
${styles.map((style) => `<link rel="stylesheet" href="${escapeHtml(style)}">\n`).join('')}</head>
<body>
<main class="empty"><p role="status">${escapeHtml(message)}</p></main>
</body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
