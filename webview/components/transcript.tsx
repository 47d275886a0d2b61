import * as l10n from '@vscode/l10n';
import type { AgentPath, TextQuote } from '../../src/protocol/report-values.ts';
import type { TurnRow } from '../../src/protocol/turn-rows.ts';
import { useActions } from '../hooks/use-actions.ts';
import { stepKey } from '../step-key.ts';
import { ExpectedCalls } from './expected-calls.tsx';
import { RevealButton } from './reveal.tsx';
import { Steps } from './steps.tsx';
import { LongText, MESSAGE_LINES } from './text.tsx';

type TranscriptProps = Readonly<{
  row: TurnRow;
  /** The sub-agent the turn belongs to; empty: the session. */
  path: AgentPath;
}>;

/** The transcript of a turn: input, steps and output. */
export function Transcript({ row, path }: TranscriptProps) {
  const { host } = useActions();
  const { index, recorded, unread, waiting, input, output, steps, stepsOmitted, expected } = row;
  // The margin already shows that the turn is being evaluated.
  if (waiting && (unread || !recorded)) return <div className="transcript" />;
  if (unread) {
    return (
      <p className="quiet transcript">
        {host.surface === 'editor'
          ? l10n.t('The file changed after the evaluation. The text of this turn is unavailable.')
          : l10n.t('The report has no transcripts.')}
      </p>
    );
  }
  if (!recorded) return <p className="quiet transcript">{l10n.t('This turn was not recorded.')}</p>;
  return (
    <div className="transcript">
      {input ? (
        <TurnMessage who="user" quote={input} turn={index} path={path} />
      ) : (
        <p className="quiet">{path.length === 0 ? l10n.t('The agent spoke first.') : null}</p>
      )}
      <Steps turn={index} path={path} steps={steps} omitted={stepsOmitted} />
      {expected ? (
        <ExpectedCalls
          id={`expected ${stepKey(path, index, 0)}`}
          title={l10n.t('Expected calls')}
          calls={expected.calls}
          omitted={expected.omitted}
          turn={index}
        />
      ) : null}
      {output ? (
        <TurnMessage who="agent" quote={output} turn={index} path={path} />
      ) : (
        <p className="quiet">{l10n.t('No answer.')}</p>
      )}
    </div>
  );
}

type TurnMessageProps = Readonly<{ who: 'user' | 'agent'; quote: TextQuote; turn: number; path: AgentPath }>;

function TurnMessage({ who, quote, turn, path }: TurnMessageProps) {
  const address = { turn, step: null, field: who === 'user' ? 'input' : 'output', item: 0 } as const;
  return (
    <div className={`said ${who}`}>
      <RevealButton target={quote.target} className="who">
        {who === 'user' ? l10n.t('user') : l10n.t('agent')}
      </RevealButton>
      <LongText excerpt={quote} path={path} address={address} lines={MESSAGE_LINES} isRich />
    </div>
  );
}
