import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Window } from '../window.ts';
import type { UserTests } from '../window-tests.ts';

const THEMES = {
  light: 'Light 2026',
  dark: 'Dark 2026',
  'hc-light': 'Default High Contrast Light',
  'hc-dark': 'Default High Contrast',
} as const;

const WIDTHS = [1200, 800] as const;

export const themeTests: UserTests = {
  /** Takes screenshots for review: `report-THEME-WIDTH`. */
  async 'shows the report beside its file in every theme and at two widths'(window) {
    const settings = await themed(window, 'light');
    await window.evaluate('refund.json');
    await window.result(/^Turn 2, repeated tool call/).click();
    await window.page.locator('.editor-instance .squiggly-warning').first().waitFor();
    const report = await window.openReport('refund');
    await report.getByRole('button', { name: /^Turn 2, risk/ }).click();
    await report.getByRole('article', { name: 'Turn 2' }).waitFor();
    for (const [theme, name] of Object.entries(THEMES)) {
      await settings(name);
      await report.locator(`body[data-vscode-theme-id="${name}"]`).waitFor();
      for (const width of WIDTHS) {
        await window.page.setViewportSize({ width, height: 800 });
        await window.picture(`report ${theme} ${width}`);
      }
    }
  },
};

/** Sets the theme in the settings of the folder. @returns a function that sets another. */
async function themed({ folder }: Window, first: keyof typeof THEMES): Promise<(theme: string) => Promise<void>> {
  const set = async (theme: string): Promise<void> => {
    await mkdir(join(folder, '.vscode'), { recursive: true });
    await writeFile(join(folder, '.vscode', 'settings.json'), JSON.stringify({ 'workbench.colorTheme': theme }));
  };
  await set(THEMES[first]);
  return set;
}
