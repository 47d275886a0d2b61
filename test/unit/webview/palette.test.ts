import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };

const ROOT = join(import.meta.dirname, '..', '..', '..');
const read = (...path: string[]): string => readFileSync(join(ROOT, ...path), 'utf8');

/** The editor backgrounds of VS Code's own themes. */
const BACKGROUNDS = {
  light: { 'Light Modern': '#ffffff', 'Quiet Light': '#f5f5f5', 'Solarized Light': '#fdf6e3' },
  dark: {
    'Dark Modern': '#1f1f1f',
    'Dark+': '#1e1e1e',
    Monokai: '#272822',
    'Solarized Dark': '#002b36',
    'Tomorrow Night Blue': '#002451',
    Red: '#390000',
    'Kimbie Dark': '#221a0f',
    Abyss: '#000c18',
  },
  highContrast: { 'Dark High Contrast': '#000000' },
  highContrastLight: { 'Light High Contrast': '#ffffff' },
} as const;
type Kind = keyof typeof BACKGROUNDS;
const KINDS: readonly Kind[] = ['light', 'dark', 'highContrast', 'highContrastLight'];

/** The relative luminance of WCAG 2.2. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

const { colors } = manifest.contributes;

describe('colors of the panel', () => {
  it.each(KINDS)('have a contrast of at least 3:1 on every theme, %s', (kind) => {
    const low = colors.flatMap(({ id, defaults }) =>
      Object.entries(BACKGROUNDS[kind]).flatMap(([theme, background]) => {
        const ratio = contrast(defaults[kind], background);
        return ratio >= 3 ? [] : [`${id} on ${theme}: ${ratio.toFixed(2)}`];
      }),
    );
    expect(low).toEqual([]);
  });

  it('are the same in a plain browser', () => {
    const tokens = read('webview', 'styles', 'tokens.css');
    const themes = read('webview', 'themes.css').split(/^\.vscode-/m);
    for (const { id, defaults } of colors) {
      const name = id.replace('.', '-');
      expect(tokens).toContain(`var(--vscode-${name}, light-dark(${defaults.light}, ${defaults.dark}))`);
      const values = themes.flatMap((block) => new RegExp(`--vscode-${name}: (#[0-9a-f]{6});`).exec(block)?.[1] ?? []);
      expect(values).toEqual([defaults.light, defaults.dark, defaults.highContrast, defaults.highContrastLight]);
    }
  });

  it('are the only colors of charts, since some of the editor have too little contrast', () => {
    const files = [
      ...readdirSync(join(ROOT, 'webview', 'styles')).map((name) => join('styles', name)),
      'overview/overview.css',
    ];
    expect(files.filter((file) => read('webview', file).includes('--vscode-charts'))).toEqual([]);
  });
});
