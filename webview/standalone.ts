import { ALL_CHANGED } from '../src/protocol/panel.ts';
import { findAnswer, type Recording } from './recording.ts';

declare global {
  var turnwise: Pick<Recording, 'log' | 'ask'> | Recording;
  var acquireVsCodeApi: () => unknown;
}

/** The classes by which the editor tells its webviews what kind of theme there is. */
const THEMES = {
  light: 'vscode-light',
  dark: 'vscode-dark',
  'hc-light': 'vscode-high-contrast vscode-high-contrast-light',
  'hc-dark': 'vscode-high-contrast',
} as const;

/** Takes the editor's place in a plain browser: answers from a recorded log, and keeps the state in the history. */
const recording: Recording = {
  ...globalThis.turnwise,
  log: globalThis.turnwise?.log ?? [],
  requests: [],
  change(log, turns) {
    recording.log = log;
    recording.notify({ ...ALL_CHANGED, turns: turns ? [...turns] : null });
  },
  notify: (event) => window.postMessage(event),
};
globalThis.turnwise = recording;

globalThis.acquireVsCodeApi = () => ({
  postMessage(message: unknown): void {
    // A question that is cancelled is answered all the same: nobody listens any more.
    if (!isQuestion(message)) return;
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

function isQuestion(message: unknown): message is { id: number; method: string; params: unknown } {
  return typeof message === 'object' && message !== null && 'method' in message;
}

/** The kind of theme that is asked for in the address, as `?theme=hc-dark`, else the one that the person prefers. */
function theme(): keyof typeof THEMES {
  const asked = new URLSearchParams(location.search).get('theme');
  if (asked === 'light' || asked === 'dark' || asked === 'hc-light' || asked === 'hc-dark') return asked;
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
  if (matchMedia('(prefers-contrast: more)').matches) return isDark ? 'hc-dark' : 'hc-light';
  return isDark ? 'dark' : 'light';
}

// The editor gives its values to the whole page, and says the kind on the body.
document.documentElement.className = THEMES[theme()];
document.body.className = THEMES[theme()];
