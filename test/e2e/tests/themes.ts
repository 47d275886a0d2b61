import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { sharedData } from '../../support/shared-data.ts';
import { agent, chat, user } from '../../support/traces.ts';
import { ATTEMPTS, REFUND, talk } from '../traces.ts';
import type { Window } from '../window.ts';
import type { UserTests } from '../window-tests.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

const THEMES = {
  light: { title: 'Light 2026', kind: 'vs' },
  dark: { title: 'Dark 2026', kind: 'vs-dark' },
  'hc-light': { title: 'Default High Contrast Light', kind: 'hc-light' },
  'hc-dark': { title: 'Default High Contrast', kind: 'hc-black' },
} as const;

const WIDTHS = [1200, 400] as const;

/** The settings of the folder. */
const SETTINGS = '.vscode/settings.json';

interface Trace {
  readonly file: string;
  readonly text: string;
  /** Whether it has sessions enough for a table. */
  readonly hasManySessions?: true;
  /** The file is broken when it is evaluated, and gets this text afterwards. */
  readonly repaired?: string;
  /** Its pictures are for a person to look at: other traces show the same to a test. */
  readonly isForReview?: true;
}

/** What people open: public data where it is beside the repository, else a sample. */
const TRACES: Readonly<Record<string, Trace>> = {
  refund: { file: 'claimed.json', text: read(join(ROOT, 'samples', 'refund-claimed-after-error.json')) },
  'tau-bench': {
    file: 'airline.json',
    text: publicData('tau-bench/gpt-4o-airline.tasks00-12.json') ?? ATTEMPTS,
    hasManySessions: true,
  },
  'claude-code': {
    file: 'coding.jsonl',
    text:
      publicData('claude-code/07f2e15c-a38b-454b-9148-60edc06de401.jsonl') ??
      read(join(ROOT, 'test', 'fixtures', 'formats', 'claude-code-agents.jsonl')),
    isForReview: true,
  },
  agents: {
    file: 'agents.json',
    text: read(join(ROOT, 'test', 'fixtures', 'sdk-generated', 'openinference_langgraph_otlp.json')),
    isForReview: true,
  },
  long: { file: 'long.json', text: talk(5000), isForReview: true },
  hostile: {
    file: 'odd.json',
    text: chat(
      user('<img src=x onerror="alert(1)"> **bold** [here](command:workbench.action.quit) $(trash)'),
      agent('\u202e00.5\u202c \u001b[31mred\u001b[0m <script>alert(1)</script>'),
    ),
  },
  repaired: {
    file: 'broken.json',
    text: REFUND.slice(0, 2000),
    repaired: REFUND,
    isForReview: true,
  },
};

/** @param all with the traces whose pictures are only for review. */
export function themeTests({ all }: { readonly all: boolean }): UserTests {
  const traces = Object.entries(TRACES).filter(([, { isForReview }]) => all || !isForReview);
  return Object.fromEntries(
    traces.map(([name, trace]) => [
      `shows ${name} in every theme, wide and narrow`,
      {
        files: { [trace.file]: trace.text, [SETTINGS]: themeSettings(THEMES.light.title) },
        use: (window: Window) => photograph(window, name, trace),
      },
    ]),
  );
}

/** Takes screenshots for review, `NAME VIEW THEME WIDTH`, of a trace's rows, lenses, report and table of sessions. */
async function photograph(window: Window, name: string, trace: Trace): Promise<void> {
  const { file, repaired, hasManySessions } = trace;
  const row = window.evaluated(new RegExp(`^${file.replace(/\.jsonl?$/, '')}(\\.|,)`)).first();
  await window.evaluate(file);
  if (repaired !== undefined) {
    await window.result('Unreadable').waitFor();
    await window.picture(`${name} broken light 1200`);
    await writeFile(join(window.folder, file), repaired);
    await window.result('Unreadable').waitFor({ state: 'detached' });
  }
  // The row of a file whose sessions are not known yet opens nothing.
  if (hasManySessions) {
    await row.filter({ hasText: /\d+ (failed|succeeded)/ }).waitFor();
    // The summary that takes the place of the progress may have another height, and moves the rows.
    await window.page.locator('.tree-explorer-viewlet-tree-view .message').filter({ hasText: 'rules only' }).waitFor();
  }
  await row.click();
  if (hasManySessions) {
    // A narrow table has no row of heads.
    const task = window.report().locator('[role="row"][aria-expanded]').first();
    await inEveryTheme(window, `${name} sessions`, task);
    await task.click();
    await window.report().locator('[role="row"][aria-level="2"]').first().click();
  }
  await inEveryTheme(window, `${name} report`, window.report().getByRole('article').first());
  if (hasManySessions) {
    await window.command('View: Show Explorer');
    await window.open(file);
  } else await window.openJson(row);
  await inEveryTheme(window, `${name} file`, window.lens(/Report$/).first());
}

async function inEveryTheme(window: Window, name: string, seen: Locator): Promise<void> {
  await seen.waitFor();
  for (const width of WIDTHS) {
    await window.page.setViewportSize({ width, height: 900 });
    // Beside a side bar, a narrow window has no room for an editor.
    if (width === 400) await window.page.keyboard.press('Control+B');
    for (const [theme, { title, kind }] of Object.entries(THEMES)) {
      await writeFile(join(window.folder, SETTINGS), themeSettings(title));
      await window.page.locator(`.monaco-workbench.${kind}`).waitFor();
      if (await window.page.locator('iframe.webview').first().isVisible()) {
        await window.report().locator(`body[data-vscode-theme-id="${title}"]`).waitFor();
      }
      await seen.waitFor();
      await window.picture(`${name} ${theme} ${width}`);
    }
  }
  await window.page.keyboard.press('Control+B');
  await window.picture(`${name} results 400`);
  await window.page.setViewportSize({ width: 1200, height: 800 });
}

function publicData(path: string): string | null {
  const result = sharedData(path);
  return result === null ? null : read(result);
}

function read(path: string): string {
  return readFileSync(path, 'utf8');
}

function themeSettings(theme: string): string {
  return JSON.stringify({
    'workbench.colorTheme': theme,
    'turnwise.evaluateOnChange': 'evaluated',
    'turnwise.inlayHints': false,
  });
}
