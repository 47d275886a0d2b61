import * as l10n from '@vscode/l10n';
import { useEffect, useMemo, useState } from 'react';
import { reevaluate } from '../../src/protocol/panel.ts';
import { sessionFeedback } from '../../src/protocol/report.ts';
import { useActions } from '../hooks/use-actions.ts';
import { useRequest } from '../hooks/use-request.ts';
import { FeedbackButtons } from './feedback.tsx';

/** Asks the user for the outcome of the session. The answer counts from the next evaluation on, unless the trace records one. */
export function SessionFeedback({ revision }: Readonly<{ revision: number }>) {
  const { host, session } = useActions();
  const params = useMemo(() => ({ session }), [session]);
  const [changes, setChanges] = useState(0);
  useEffect(
    () =>
      host.onEvent(({ event }) => {
        if (event === 'changed') setChanges((count) => count + 1);
      }),
    [host],
  );
  const answer = useRequest(host, sessionFeedback, params, revision + changes);
  // Always there, so that nothing moves.
  const { feedback, isCounted, isRecorded } = answer.type === 'here' ? answer.value : NO_FEEDBACK;
  return (
    <div className="session-feedback">
      <span className="quiet">{l10n.t('Did the agent do its job?')}</span>
      <FeedbackButtons
        turn={null}
        of={{ type: 'turn' }}
        name={l10n.t('the session')}
        labels={LABELS}
        feedback={feedback}
      />
      {isCounted ? null : (
        <p className="quiet">
          {isRecorded
            ? l10n.t('The outcome in the trace decides. Yours is shown in the Run tab if it differs.')
            : l10n.t('Counts from the next evaluation on.')}{' '}
          <button
            type="button"
            className="more"
            onClick={() => void host.request(reevaluate, { session }).catch(() => {})}
          >
            {l10n.t('Evaluate Again')}
          </button>
        </p>
      )}
    </div>
  );
}

const NO_FEEDBACK = { feedback: null, isCounted: true, isRecorded: false } as const;
const LABELS = { up: l10n.t('Yes, the agent did its job'), down: l10n.t('No, the agent did not do its job') } as const;
