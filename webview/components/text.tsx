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

/** The number of lines of a message shown initially. */
export const MESSAGE_LINES = 8;
/** Longer texts, in characters, are shown without Markdown: parsing them takes too long. */
const MAX_MARKDOWN_LENGTH = 20_000;
/** The number of characters fetched at once. */
const FETCH_LENGTH = 20_000;
/** The maximum number of characters of one text in the page. */
const MAX_LENGTH = 400_000;

type LongTextProps = Readonly<{
  excerpt: TextExcerpt;
  path: AgentPath;
  address: TextLocation;
  lines: number;
  /** Whether Markdown is rendered. */
  isRich?: boolean;
  className?: string;
}>;

/** A trace text, folded after `lines` lines. The part omitted from the excerpt is fetched on demand. */
export function LongText({ excerpt, path, address, lines, isRich = false, className = '' }: LongTextProps) {
  const key = `${path.map(({ turn, step }) => `${turn}.${step}`).join('-')}:${address.turn}/${textLocationKey(address)}`;
  const [more, setMore] = useText(key);
  const text = excerpt.text + more;
  const omitted = Math.max(0, excerpt.omitted - more.length);
  const ranges = useRanges(text, path, address);
  const beginning = firstLines(text, lines);
  // Highlights behind the fold open it, unless the user has closed it.
  const [isOpen, setOpen] = useOpen(
    key,
    ranges.some(({ to, from }) => to > beginning.length && from < text.length),
  );
  const visible = isOpen ? text : beginning;
  const hidden = text.length - beginning.length;
  const id = useId();
  const sideMark = ranges.find(({ from, to }) => to - from > MAX_HIGHLIGHT_LENGTH)?.kind ?? '';
  return (
    <div className={`long ${className}`}>
      <div className={`text ${isRich ? 'rich' : 'plain'} ${sideMark}`} id={id} dir="auto">
        {isRich && visible.length <= MAX_MARKDOWN_LENGTH ? (
          <RichText text={visible} ranges={ranges} />
        ) : (
          <PlainText text={visible} ranges={ranges} />
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

/** The highlights of a text. */
function useRanges(text: string, path: AgentPath, address: TextLocation): readonly Highlight[] {
  const searchText = useContext(FindContext);
  const citations = useContext(CitationsContext);
  // The text of sub-agents is cited as a whole, at the step that called them.
  const cited = path.length === 0 ? citations.get(textLocationKey(address)) : undefined;
  return useMemo(() => [...(cited ?? []), ...findOccurrences(text, searchText)], [text, searchText, cited]);
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
  if (from >= MAX_LENGTH)
    return <p className="quiet">{l10n.t('{0} in the file', formatCount(omitted, 'more character'))}</p>;
  const fetchMore = async (): Promise<void> => {
    setBusy(true);
    try {
      const params = { session, path, turn, step, field, item, from, count: FETCH_LENGTH };
      const { excerpt } = await host.request(textRequest, params);
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
      {omitted > FETCH_LENGTH
        ? l10n.t('Show {0} of {1}', FETCH_LENGTH.toLocaleString('en'), formatCount(omitted, 'further character'))
        : l10n.t('Show {0}', formatCount(omitted, 'further character'))}
    </button>
  );
}
