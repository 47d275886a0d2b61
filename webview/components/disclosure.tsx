import { type ReactNode, useContext } from 'react';
import type { TextField } from '../../src/protocol/report-values.ts';
import { CitationsContext, citesStep } from '../citations.ts';
import { useOpen } from '../hooks/use-row-state.ts';

type ToggleSectionProps = Readonly<{
  id: string;
  name: ReactNode;
  /** Stands beside the name as long as it is closed: what it says is within. */
  brief?: ReactNode;
  about: ReactNode;
  isOpenAtFirst: boolean;
  /** What opens it when somebody looks at the evidence: a step, or one of its texts. */
  cites: readonly [step: number, field: TextField | null];
  children: ReactNode;
}>;

/** A line that opens to say more. */
export function ToggleSection({
  id,
  name,
  brief,
  about,
  isOpenAtFirst,
  cites: [step, field],
  children,
}: ToggleSectionProps) {
  const citations = useContext(CitationsContext);
  const isChosen = citesStep(citations, step, field, ['chosen', 'found']);
  const isCited = isChosen || citesStep(citations, step, 'whole', ['cited']);
  const [isOpen, setOpen] = useOpen(isChosen ? `${id} chosen` : id, isChosen || isOpenAtFirst);
  return (
    <div className={['step', ...(isChosen ? ['chosen'] : isCited ? ['cited'] : [])].join(' ')}>
      <button type="button" className="opener" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {name}
        {isOpen ? null : brief}
        {about === null ? null : <span className="about">{about}</span>}
      </button>
      {isOpen ? <div className="inner">{children}</div> : null}
    </div>
  );
}
