import * as l10n from '@vscode/l10n';
import { type PanelCommand, reevaluate, runCommand } from '../../src/protocol/panel.ts';
import type { ReportHeader } from '../../src/protocol/report.ts';
import type { UnscoredGroup } from '../../src/protocol/report-values.ts';
import { useActions } from '../hooks/use-actions.ts';
import { SessionFeedback } from './session-feedback.tsx';

/** What can be done next: an issue about problems, a judge where one is missing, a retry where it failed. */
export function NextSteps({ header }: Readonly<{ header: ReportHeader }>) {
  const { host, session, copyIssue } = useActions();
  const { headline, problems, turnsDone, unscored } = header;
  const question = <SessionFeedback revision={header.revision} />;
  const isEditor = host.surface === 'editor';
  if (turnsDone !== null) return <div className="next-steps">{question}</div>;
  const isMissing = (status: UnscoredGroup['status']) => unscored.some((group) => group.status === status);
  const run = (command: PanelCommand) => () => void host.request(runCommand, { session, command }).catch(() => {});
  return (
    <div className="next-steps">
      {problems > 0 || headline.kind === 'failed' ? (
        <button type="button" className="step-button" onClick={copyIssue}>
          {l10n.t('Copy as Issue')}
        </button>
      ) : null}
      {isEditor ? (
        <button type="button" className="step-button" onClick={run('addToTests')}>
          {l10n.t('Add to Tests')}
        </button>
      ) : null}
      {isEditor && isMissing('error') ? (
        <>
          <button
            type="button"
            className="step-button"
            onClick={() => void host.request(reevaluate, { session }).catch(() => {})}
          >
            {l10n.t('Retry')}
          </button>
          <button type="button" className="step-button" onClick={run('showLog')}>
            {l10n.t('Show Log')}
          </button>
        </>
      ) : null}
      {isEditor && (isMissing('error') || isMissing('needs_judge')) ? (
        <button type="button" className="step-button" onClick={run('chooseJudge')}>
          {isMissing('error') ? l10n.t('Change Judge…') : l10n.t('Choose Judge…')}
        </button>
      ) : null}
      {isEditor ? question : null}
    </div>
  );
}
