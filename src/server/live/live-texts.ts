import * as l10n from '@vscode/l10n';
import { endpointLine } from '../../receiver/endpoint.ts';
import { setupLines } from './setup-lines.ts';

const MB = 1024 * 1024;

/** What is known of a receiver. */
export interface LiveFigures {
  readonly state: 'receiving' | 'waiting';
  readonly port: number | null;
  /** The one that the user wants. */
  readonly wantedPort: number;
  readonly sessions: number;
  /** Of all files in the folder. */
  readonly bytes: number;
  readonly maxMb: number;
  readonly keepDays: number;
}

export function liveTexts(figures: LiveFigures) {
  const { state, port, sessions } = figures;
  const setup = port === null ? '' : setupLines(port);
  if (state === 'waiting') {
    const message = waitingText(port);
    return { label: l10n.t('Watched by another window'), details: message, message, setup };
  }
  const count = sessions === 1 ? l10n.t('1 session') : l10n.t('{0} sessions', sessions);
  return {
    label: l10n.t('Watching {0} · {1}', port ?? '', count),
    details: [receivingText(figures), diskText(figures), l10n.t('Click to copy the set-up lines or to stop.')].join(
      '\n',
    ),
    message: receivingText(figures),
    setup,
  };
}

function waitingText(port: number | null): string {
  const takeover = l10n.t('This window takes over when that one ends.');
  const who =
    port === null
      ? l10n.t('Another window, or turnwise collect, receives the traces of this folder.')
      : l10n.t('Another window, or turnwise collect, receives the traces of this folder on port {0}.', port);
  return `${who} ${takeover}`;
}

function receivingText({ port, wantedPort }: LiveFigures): string {
  const instruction = l10n.t('Set {0} where your agent runs, then run it.', endpointLine(port ?? wantedPort));
  const begin =
    port === wantedPort || wantedPort === 0
      ? l10n.t('Receiving traces on port {0}.', port ?? wantedPort)
      : l10n.t('Port {0} is taken: receiving traces on port {1}.', wantedPort, port ?? '');
  return `${begin} ${instruction}`;
}

function diskText({ bytes, maxMb, keepDays }: LiveFigures): string {
  const used = Math.ceil(bytes / MB);
  return l10n.t('.turnwise/live has {0} of {1} MB. Sessions are kept for {2} days.', used, maxMb, keepDays);
}
