import * as l10n from '@vscode/l10n';
import type { TimelineSummaryRow } from '../../src/protocol/timeline.ts';
import { formatCost, formatCount, formatDuration } from '../format.ts';
import { useActions } from '../hooks/use-actions.ts';
import { PlainText } from './rich-text.tsx';

type Tokens = TimelineSummaryRow['tokens'];

/** What the timeline adds up to, and what the trace does not say. */
export function TimelineFacts({ summary, turns }: Readonly<{ summary: TimelineSummaryRow; turns: number }>) {
  const { goTo } = useActions();
  const { rows, timed, durationMs, slowest, tokens, cost, models, modelsOmitted } = summary;
  const hasTimes = timed.turns + timed.steps > 0;
  return (
    <div className="timeline-facts">
      <p className="facts">
        {durationMs === null ? null : (
          <span>
            <b>{formatDuration(durationMs)}</b>{' '}
            <span className="quiet">{l10n.t('in {0}', formatCount(timed.turns, 'turn'))}</span>
          </span>
        )}
        {slowest === null ? null : (
          <span>
            <span className="quiet">{l10n.t('slowest:')}</span>{' '}
            <button type="button" className="link" onClick={() => goTo(slowest.turn)}>
              {l10n.t('turn {0}', slowest.turn + 1)}
            </button>{' '}
            {formatDuration(slowest.durationMs)}
          </span>
        )}
        {tokens === null ? null : <span>{formatTokens(tokens)}</span>}
        {cost === null ? null : <span>{l10n.t('{0} USD', formatCost(cost, 4))}</span>}
      </p>
      {models.length === 0 ? null : (
        <ul className="facts" aria-label={l10n.t('Models')}>
          {models.map((model) => (
            <li key={model.name}>
              <PlainText text={model.name} />{' '}
              <span className="quiet">
                {[
                  formatCount(model.calls, 'call'),
                  ...(models.length === 1 || model.tokens === null ? [] : [formatTokens(model.tokens)]),
                  ...(models.length === 1 || model.cost === null ? [] : [l10n.t('{0} USD', formatCost(model.cost, 4))]),
                ].join(' · ')}
              </span>
            </li>
          ))}
          {modelsOmitted > 0 ? <li className="quiet">{l10n.t('and {0} more', modelsOmitted)}</li> : null}
        </ul>
      )}
      {hasTimes ? (
        <p className="quiet">
          {timed.turns < turns
            ? l10n.t('{0} of {1} turns have times.', timed.turns.toLocaleString('en'), turns.toLocaleString('en'))
            : null}{' '}
          {l10n.t('A bar shows when a step ran within its turn.')}
        </p>
      ) : rows === 0 ? null : (
        <p>
          {tokens === null
            ? l10n.t('This trace has no times and no token counts. The steps are listed in order.')
            : l10n.t('This trace has no times. The steps are listed in order.')}
        </p>
      )}
    </div>
  );
}

function formatTokens({ input, output }: NonNullable<Tokens>): string {
  return l10n.t('{0} tokens sent, {1} received', input.toLocaleString('en'), output.toLocaleString('en'));
}
