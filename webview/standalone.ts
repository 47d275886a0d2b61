import { ALL_CHANGED } from '../src/protocol/panel.ts';
import { findAnswer, type Recording, type ThemeKind } from './recording.ts';

declare global {
  var turnwise: Pick<Recording, 'log' | 'ask' | 'translations'> | Recording;
  var acquireVsCodeApi: () => unknown;
}

/** The body classes that tell a VS Code webview its theme kind. */
const THEMES = {
  light: 'vscode-light',
  dark: 'vscode-dark',
  'hc-light': 'vscode-high-contrast vscode-high-contrast-light',
  'hc-dark': 'vscode-high-contrast',
} as const satisfies Record<ThemeKind, string>;

/** Replaces the editor in a plain browser: responds from a recorded log and keeps the state in the history. */
const recording: Recording = {
  ...globalThis.turnwise,
  log: globalThis.turnwise?.log ?? [],
  requests: [],
  change(log, turns) {
    recording.log = log;
    recording.notify({ ...ALL_CHANGED, turns: turns ? [...turns] : null });
  },
  notify: (event) => window.postMessage(event),
  // VS Code sets theme values on the root element and the theme kind on the body.
  setTheme(theme) {
    document.documentElement.className = THEMES[theme];
    document.body.className = THEMES[theme];
  },
};
globalThis.turnwise = recording;

globalThis.acquireVsCodeApi = () => ({
  postMessage(message: unknown): void {
    // Cancellations are ignored: the app drops the response.
    if (!isRequest(message)) return;
    const { id, method, params } = message;
    recording.requests.push({ method, params });
    const result = findAnswer(recording.log, method, params) ?? (method.startsWith('turnwise/panel/') ? {} : undefined);
    if (result === undefined && recording.ask) {
      void recording.ask(method, params).then((answer) => window.postMessage({ id, result: answer }));
      return;
    }
    window.postMessage(result === undefined ? { id, error: 'This was not recorded.' } : { id, result });
  },
  getState: (): unknown => history.state,
  setState(state: unknown): unknown {
    history.replaceState(state, '');
    return state;
  },
});

function isRequest(message: unknown): message is { id: number; method: string; params: unknown } {
  return typeof message === 'object' && message !== null && 'method' in message;
}

/** The theme from the URL, such as `?theme=hc-dark`, or the user's preferred one. */
function initialTheme(): ThemeKind {
  const requested = new URLSearchParams(location.search).get('theme');
  if (requested === 'light' || requested === 'dark' || requested === 'hc-light' || requested === 'hc-dark')
    return requested;
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
  if (matchMedia('(prefers-contrast: more)').matches) return isDark ? 'hc-dark' : 'hc-light';
  return isDark ? 'dark' : 'light';
}

recording.setTheme(initialTheme());

// `?page=sessions` opens the sessions overview, `?page=runs&scope={…}` a page about runs.
const parameters = new URLSearchParams(location.search);
const root = document.getElementById('report');
for (const name of ['page', 'scope']) {
  const value = parameters.get(name);
  if (root && value !== null) root.dataset[name] = value;
}
if (root && recording.translations !== undefined) root.dataset.l10n = recording.translations;
