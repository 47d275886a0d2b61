import * as l10n from '@vscode/l10n';
import { useContext, useId, useMemo, useState } from 'react';
import type { AgentPath, TextExcerpt, TextLocation } from '../../src/protocol/report-values.ts';
import { fullText as textRequest } from '../../src/protocol/turn-rows.ts';
import { CitationsContext, MAX_HIGHLIGHT_LENGTH, textLocationKey } from '../citations.ts';
import { firstLines, hiddenLabel } from '../fold-text.ts';
import { formatCount } from '../format.ts';
import { findOccurrences, type Highlight } from '../highlights.ts';
import { useActions } from '../hooks/use-actions.ts';
import { messageOf } from '../hooks/use-report.ts';
import { useOpen, useText } from '../hooks/use-row-state.ts';
import { DistantCitation } from './distant-citation.tsx';
import { FindContext } from './find-context.ts';
import { PlainText, RichText } from './rich-text.tsx';

/** A long text of a person or an agent shows so many lines at first. */
export const LINES = 12;
/** Longer texts are shown as they are: to look for Markdown in them is not worth the wait. */
const MOST_RICH = 20_000;
/** So many characters more are fetched at once, and the page holds so many of one text. */
const MORE = 20_000;
const MOST = 400_000;

type LongTextProps = Readonly<{
  excerpt: TextExcerpt;
  path: AgentPath;
  address: TextLocation;
  lines: number;
  /** Whether a person or a model wrote it, for whom Markdown is a habit. */
  isRich?: boolean;
  className?: string;
}>;

/** A text of the trace, folded behind so many lines; more of it is fetched when somebody wants to read on. */
export function LongText({ excerpt, path, address, lines, isRich = false, className = '' }: LongTextProps) {
  const key = `${path.map(({ turn, step }) => `${turn}.${step}`).join('-')}:${address.turn}/${textLocationKey(address)}`;
  const [more, setMore] = useText(key);
  const text = excerpt.text + more;
  const omitted = Math.max(0, excerpt.omitted - more.length);
  const ranges = useRanges(text, path, address);
  const beginning = firstLines(text, lines);
  // What is marked is not hidden, unless somebody hides it.
  const [isOpen, setOpen] = useOpen(
    key,
    ranges.some(({ to, from }) => to > beginning.length && from < text.length),
  );
  const shown = isOpen ? text : beginning;
  const hidden = text.length - beginning.length;
  const id = useId();
  const isBeside = ranges.find(({ from, to }) => to - from > MAX_HIGHLIGHT_LENGTH)?.kind ?? '';
  return (
    <div className={`long ${className}`}>
      <div className={`text ${isRich ? 'rich' : 'plain'} ${isBeside}`} id={id} dir="auto">
        {isRich && shown.length <= MOST_RICH ? (
          <RichText text={shown} ranges={ranges} />
        ) : (
          <PlainText text={shown} ranges={ranges} />
        )}
      </div>
      {hidden > 0 ? (
        <button
          type="button"
          className="more"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? l10n.t('Show Less') : l10n.t('Show {0}', hiddenLabel(text, beginning.length))}
        </button>
      ) : null}
      {omitted > 0 && (isOpen || hidden === 0) ? (
        <More
          omitted={omitted}
          path={path}
          address={address}
          from={text.length}
          onMore={(next) => setMore(more + next)}
        />
      ) : null}
      <DistantCitation ranges={ranges} shown={excerpt.text.length + more.length} path={path} address={address} />
    </div>
  );
}

/** What stands out in a text. */
function useRanges(text: string, path: AgentPath, address: TextLocation): readonly Highlight[] {
  const sought = useContext(FindContext);
  const citations = useContext(CitationsContext);
  // What sub-agents say is cited as a whole, at the step that called them.
  const cited = path.length === 0 ? citations.get(textLocationKey(address)) : undefined;
  return useMemo(() => [...(cited ?? []), ...findOccurrences(text, sought)], [text, sought, cited]);
}

type MoreProps = Readonly<{
  omitted: number;
  path: AgentPath;
  address: TextLocation;
  from: number;
  onMore: (text: string) => void;
}>;

function More({ omitted, path, address, from, onMore }: MoreProps) {
  const { host, session } = useActions();
  const [failed, setFailed] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const { field, turn, step, item } = address;
  if (field === 'whole') return null;
  if (from >= MOST) return <p className="quiet">{l10n.t('{0} in the file', formatCount(omitted, 'more character'))}</p>;
  const fetchMore = async (): Promise<void> => {
    setBusy(true);
    try {
      const given = { session, path, turn, step, field, item, from, count: MORE };
      const { excerpt } = await host.request(textRequest, given);
      if (excerpt) onMore(excerpt.text);
      else setFailed(l10n.t('The file changed after the evaluation. The rest is unavailable.'));
    } catch (error) {
      setFailed(messageOf(error));
    }
    setBusy(false);
  };
  if (failed !== null) return <p className="quiet">{failed}</p>;
  return (
    <button type="button" className="more" disabled={isBusy} onClick={() => void fetchMore()}>
      {omitted > MORE
        ? l10n.t('Show {0} of {1}', MORE.toLocaleString('en'), formatCount(omitted, 'further character'))
        : l10n.t('Show {0}', formatCount(omitted, 'further character'))}
    </button>
  );
}
