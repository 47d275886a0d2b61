import { type ReactNode, useContext } from 'react';
import type { TextField } from '../../src/core/text-field.ts';
import { CitationsContext, citesStep } from '../citations.ts';
import { useOpen } from '../hooks/use-row-state.ts';

type ToggleSectionProps = Readonly<{
  id: string;
  name: ReactNode;
  /** A preview beside the name while the section is closed. */
  brief?: ReactNode;
  about: ReactNode;
  isOpenInitially: boolean;
  /** A step, or one of its texts, whose highlights open the section. */
  cites: readonly [step: number, field: TextField | null];
  children: ReactNode;
}>;

/** A section that opens and closes. */
export function ToggleSection({
  id,
  name,
  brief,
  about,
  isOpenInitially,
  cites: [step, field],
  children,
}: ToggleSectionProps) {
  const citations = useContext(CitationsContext);
  const isChosen = citesStep(citations, step, field, ['chosen', 'found']);
  const isCited = isChosen || citesStep(citations, step, 'whole', ['cited']);
  const [isOpen, setOpen] = useOpen(isChosen ? `${id} chosen` : id, isChosen || isOpenInitially);
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
