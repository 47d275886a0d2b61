import { type PpiEstimate, ppiShare } from './ppi.ts';

/** A case of which it is predicted whether people would say yes. */
export interface SampledCase {
  /** Where it stands in the random order in which people are asked; null: they are never asked. */
  readonly order: string | null;
  readonly prediction: boolean;
  /** Null where nobody said anything. */
  readonly label: boolean | null;
}

export interface SampledShare {
  /** Labels that are a random sample of the cases. */
  readonly labels: number;
  /** Null with fewer labels than are needed. */
  readonly estimate: PpiEstimate | null;
}

/** Of the first cases in random order, what must be labelled: a few stay open where people do not know. */
const COMPLETE = 0.9;

/**
 * The share of cases to which people would say yes, where the labelled ones are a random sample of all: as many of the first ones in
 * random order as are labelled almost without a gap. Where only cases of one kind have labels, such as those that did not change
 * since, there are gaps, and the labels say nothing about the others.
 *
 * @param least labels that are needed
 */
export function sampledShare(cases: readonly SampledCase[], least: number): SampledShare {
  const inOrder = cases.flatMap((one) => (one.order === null ? [] : [{ ...one, order: one.order }]));
  inOrder.sort((a, b) => (a.order < b.order ? -1 : 1));
  let labelled = 0;
  let drawn = 0;
  for (const [index, { label }] of inOrder.entries()) {
    if (label !== null) labelled += 1;
    if (labelled >= COMPLETE * (index + 1)) drawn = index + 1;
  }
  const sample = inOrder
    .slice(0, drawn)
    .flatMap(({ label, prediction }) =>
      label === null ? [] : [{ label: Number(label), prediction: Number(prediction) }],
    );
  if (sample.length < least) return { labels: sample.length, estimate: null };
  const last = inOrder[drawn - 1]?.order ?? '';
  const others = cases.filter(({ order, label }) => order === null || order > last || label === null);
  return {
    labels: sample.length,
    estimate: ppiShare(
      sample,
      others.map(({ prediction }) => Number(prediction)),
    ),
  };
}
