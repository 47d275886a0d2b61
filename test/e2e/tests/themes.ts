import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { UserTests } from '../window-tests.ts';

const THEMES = {
  light: 'Light 2026',
  dark: 'Dark 2026',
  'hc-light': 'Default High Contrast Light',
  'hc-dark': 'Default High Contrast',
} as const;

/** The settings of the folder. */
const SETTINGS = '.vscode/settings.json';

const WIDTHS = [1200, 800] as const;

export const themeTests: UserTests = {
  /** Takes screenshots for review: `report-THEME-WIDTH`. */
  'shows the report beside its file in every theme and at two widths': {
    files: { [SETTINGS]: themeSettings(THEMES.light) },
    async use(window) {
      await window.evaluate('refund.json');
      await window.openJson(window.result(/^Turn 2, repeated tool call/));
      await window.page.locator('.editor-instance .squiggly-warning').first().waitFor();
      await window.command('Turnwise: Open Report to the Side');
      const report = window.report();
      await report.getByRole('button', { name: /^Turn 2, \d problem/ }).click();
      await report.getByRole('article', { name: 'Turn 2' }).waitFor();
      for (const [theme, name] of Object.entries(THEMES)) {
        await writeFile(join(window.folder, SETTINGS), themeSettings(name));
        await report.locator(`body[data-vscode-theme-id="${name}"]`).waitFor();
        for (const width of WIDTHS) {
          await window.page.setViewportSize({ width, height: 800 });
          await window.picture(`report ${theme} ${width}`);
        }
      }
    },
  },
};

function themeSettings(theme: string): string {
  return JSON.stringify({ 'workbench.colorTheme': theme });
}
