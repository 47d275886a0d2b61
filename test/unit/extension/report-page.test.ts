import { describe, expect, it } from 'vitest';
import { renderMessage, renderPage } from '../../../src/extension/report-page.ts';

const page = (session: string, translations?: Record<string, string>) =>
  renderPage({
    data: { session },
    context: { session },
    language: 'en',
    translations,
    nonce: 'n0nce',
    source: 'https://*.example.test',
    script: 'https://a.example.test/report.js',
    styles: ['https://a.example.test/report.css', 'https://a.example.test/runs.css'],
  });

describe('the HTML of a page of the app', () => {
  it('allows one script, its style sheets in order and no network access', () => {
    const html = page('s');
    const policy = /Content-Security-Policy" content="([^"]+)"/.exec(html)?.[1];
    expect(policy).toBe("default-src 'none'; style-src https://*.example.test; script-src 'nonce-n0nce'");
    expect(html.match(/<script[^>]*>/g)).toEqual([
      '<script type="module" nonce="n0nce" src="https://a.example.test/report.js">',
    ]);
    expect(html.match(/<link[^>]*>/g)).toEqual([
      '<link rel="stylesheet" href="https://a.example.test/report.css">',
      '<link rel="stylesheet" href="https://a.example.test/runs.css">',
    ]);
    expect(html).not.toMatch(/<style|style=|\son\w+=/);
  });

  it('passes the translated strings to the app', () => {
    expect(page('s')).not.toContain('data-l10n');
    expect(page('s', { Copy: '<Copier>' })).toContain('data-l10n="{&quot;Copy&quot;:&quot;&lt;Copier>&quot;}"');
  });

  it('escapes the name of a session', () => {
    expect(page('"><script>alert(1)</script>&amp;')).toContain(
      'data-session="&quot;>&lt;script>alert(1)&lt;/script>&amp;amp;"',
    );
  });

  it('sets the session in the context for menu commands', () => {
    const context = /<body data-vscode-context="([^"]*)">/.exec(page('a"b&c'))?.[1];
    const text = context?.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&') ?? '';
    expect(JSON.parse(text)).toEqual({ session: 'a"b&c' });
  });
});

describe('the HTML of a sentence', () => {
  it('allows no script, and escapes the text', () => {
    const html = renderMessage({ message: 'a <script> & more', language: 'en', source: 's', styles: ['/report.css'] });
    expect(html).toContain(`content="default-src 'none'; style-src s"`);
    expect(html).toContain('<p role="status">a &lt;script> &amp; more</p>');
    expect(html).toContain('<link rel="stylesheet" href="/report.css">');
    expect(html).not.toContain('<script');
  });
});
