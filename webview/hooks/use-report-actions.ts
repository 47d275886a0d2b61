import * as l10n from '@vscode/l10n';
import { useCallback, useMemo, useState } from 'react';
import {
  copy as copyRequest,
  reveal as revealRequest,
  openRule as ruleRequest,
  saveFeedback as saveFeedbackRequest,
} from '../../src/protocol/panel.ts';
import type { ChosenItem } from '../components/turn.tsx';
import type { Host } from '../host.ts';
import type { Actions } from './use-actions.ts';
import { messageOf } from './use-report.ts';

export interface ReportActions {
  readonly actions: Actions;
  /** What the person looks at, of what is said of a turn. */
  readonly chosen: ChosenItem | null;
  readonly asked: { readonly turn: number | null; readonly metric: string } | null;
  readonly closePrompt: () => void;
  /** What was said last to those who do not see the page. */
  readonly said: string;
  /** What could not be done, and why; until something else is. */
  readonly refused: string | null;
  readonly forgetSaid: () => void;
  readonly forgetRefused: () => void;
}

/** What can be done from anywhere in a report. */
export function useReportActions(host: Host, session: string, goTo: (turn: number) => void): ReportActions {
  const [chosen, setChosen] = useState<ChosenItem | null>(null);
  const [asked, setAsked] = useState<ReportActions['asked']>(null);
  const [said, announce] = useState('');
  const [refused, setRefused] = useState<string | null>(null);
  const closePrompt = useCallback(() => setAsked(null), []);
  const forgetSaid = useCallback(() => announce(''), []);
  const forgetRefused = useCallback(() => setRefused(null), []);
  const actions = useMemo((): Actions => {
    // What cannot be shown or copied, the editor says.
    const quietly = (work: Promise<unknown>): void => void work.catch(() => {});
    return {
      host,
      session,
      goTo,
      announce,
      reveal: (target, focus) => quietly(host.request(revealRequest, { target, focus })),
      choose: (turn, id, evidence) => setChosen((known) => (known?.id === id ? known : { turn, id, evidence })),
      copy(turn) {
        host.request(copyRequest, { session, turn }).then(
          ({ copied }) => announce(copied ? l10n.t('Copied.') : l10n.t('Copying failed.')),
          (error: unknown) => setRefused(messageOf(error)),
        );
      },
      openRule: (rule) => quietly(host.request(ruleRequest, { rule })),
      saveFeedback(turn, of, feedback) {
        host.request(saveFeedbackRequest, { session, turn, of, feedback }).then(
          (answer) => {
            setRefused('refused' in answer ? answer.refused : null);
            if ('written' in answer)
              announce(feedback === null ? l10n.t('Feedback removed.') : l10n.t('Feedback saved.'));
          },
          (error: unknown) => setRefused(messageOf(error)),
        );
      },
      showPrompt: (turn, metric) => setAsked({ turn, metric }),
    };
  }, [host, session, goTo]);
  return { actions, chosen, asked, closePrompt, said, refused, forgetSaid, forgetRefused };
}
