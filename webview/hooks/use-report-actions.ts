import * as l10n from '@vscode/l10n';
import { useCallback, useMemo, useState } from 'react';
import {
  copyLocation,
  copy as copyRequest,
  editFinding as editRequest,
  type MarkdownParams,
  reveal as revealRequest,
  openRule as ruleRequest,
  saveFeedback as saveFeedbackRequest,
} from '../../src/protocol/panel.ts';
import type { ChosenItem } from '../components/turn.tsx';
import type { Host } from '../host.ts';
import type { Actions } from './use-actions.ts';
import { messageOf } from './use-report.ts';

/** What screen readers announce. Where the page shows the result itself, there is no toast. */
export interface Announcement {
  readonly text: string;
  readonly isVisible: boolean;
}

export interface ReportActions {
  readonly actions: Actions;
  /** The problem, observation or score that is selected in a turn. */
  readonly chosen: ChosenItem | null;
  /** The score whose prompt is shown. */
  readonly promptTarget: { readonly turn: number | null; readonly metric: string } | null;
  readonly closePrompt: () => void;
  readonly announcement: Announcement | null;
  /** The error of the last action; null: none. */
  readonly error: string | null;
  readonly clearAnnouncement: () => void;
  readonly clearError: () => void;
}

/** Creates the actions of a report and keeps the state they change. */
export function useReportActions(host: Host, session: string, goTo: Actions['goTo']): ReportActions {
  const [chosen, setChosen] = useState<ChosenItem | null>(null);
  const [promptTarget, setPromptTarget] = useState<ReportActions['promptTarget']>(null);
  const [announcement, setAnnouncement] = useState<Announcement | null>(null);
  const [error, setError] = useState<string | null>(null);
  const closePrompt = useCallback(() => setPromptTarget(null), []);
  const clearAnnouncement = useCallback(() => setAnnouncement(null), []);
  const clearError = useCallback(() => setError(null), []);
  const actions = useMemo((): Actions => {
    const announce = (text: string): void => setAnnouncement({ text, isVisible: true });
    const copy = (params: Omit<MarkdownParams, 'session'>): void => {
      host.request(copyRequest, { session, ...params }).then(
        ({ copied }) => announce(copied ? l10n.t('Copied.') : l10n.t('Copying failed.')),
        (cause: unknown) => setError(messageOf(cause)),
      );
    };
    // The editor reports these errors itself.
    const ignoreErrors = (work: Promise<unknown>): void => void work.catch(() => {});
    return {
      host,
      session,
      goTo,
      announce,
      reveal(target, focus) {
        if (host.surface === 'editor') return ignoreErrors(host.request(revealRequest, { target, focus }));
        host.request(copyLocation, { session, target }).then(
          ({ text, copied }) => announce(copied ? l10n.t('Copied {0}', text) : text),
          (cause: unknown) => setError(messageOf(cause)),
        );
      },
      choose: (turn, id, evidence) => setChosen((known) => (known?.id === id ? known : { turn, id, evidence })),
      copy: (turn) => copy({ turn }),
      copyIssue: () => copy({ turn: null, as: 'issue' }),
      editFinding: (edit, uri, turn, rule) =>
        ignoreErrors(host.request(editRequest, { edit, uri, session, turn, rule })),
      openRule: (rule) => ignoreErrors(host.request(ruleRequest, { rule })),
      saveFeedback(turn, of, feedback) {
        host.request(saveFeedbackRequest, { session, turn, of, feedback }).then(
          (result) => {
            setError('error' in result ? result.error : null);
            if ('written' in result) {
              setAnnouncement({
                text: feedback === null ? l10n.t('Feedback removed.') : l10n.t('Feedback saved.'),
                isVisible: false,
              });
            }
          },
          (cause: unknown) => setError(messageOf(cause)),
        );
      },
      showPrompt: (turn, metric) => setPromptTarget({ turn, metric }),
    };
  }, [host, session, goTo]);
  return { actions, chosen, promptTarget, closePrompt, announcement, error, clearAnnouncement, clearError };
}
