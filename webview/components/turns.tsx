import * as l10n from '@vscode/l10n';
import type { TurnRow } from '../../src/protocol/turn-rows.ts';
import type { TurnHit } from '../../src/protocol/turn-search.ts';
import type { PagedRows } from '../hooks/use-pages.ts';
import { type ChosenItem, Turn } from './turn.tsx';
import { VirtualList } from './virtual-list.tsx';

/** Estimated height of a turn that was never rendered, in pixels. */
const HEIGHT = 280;

type TurnsProps = Readonly<{
  /** Zero-based indices of the shown turns, ascending. */
  shown: readonly number[];
  rows: PagedRows<TurnRow>;
  selected: number | null;
  chosen: ChosenItem | null;
  /** The search match in the selected turn. */
  hit: TurnHit | null;
  onSelect: (turn: number) => void;
}>;

/** The turns of a session; only visible ones are fetched and rendered. */
export function Turns({ shown, rows, selected, chosen, hit, onSelect }: TurnsProps) {
  return (
    <VirtualList
      keys={shown}
      estimate={HEIGHT}
      pinned={selected === null ? undefined : [selected]}
      role="feed"
      label={l10n.t('Turns')}
      className={rows.isFirst ? 'turns first' : 'turns'}
      isBusy={rows.isFirst}
      onShown={rows.setVisible}
    >
      {(index, position) => (
        <Turn
          index={index}
          position={position + 1}
          count={shown.length}
          row={rows.rowAt(index)}
          failure={rows.failureAt(index)}
          isSelected={index === selected}
          chosen={chosen?.turn === index ? chosen : null}
          searchHit={hit?.turn === index ? hit.citation : null}
          onSelect={onSelect}
        />
      )}
    </VirtualList>
  );
}
