import {
  type JudgeAgreementRow,
  type LabelPartRow,
  type LabelState,
  labelsOf,
  locateResult,
  nextResult,
  type ResultToLabel,
  setLabel,
  storeCalibration,
} from '../../src/protocol/labels.ts';
import type { RunsScope } from '../../src/protocol/runs.ts';

export const LABELS: RunsScope = { show: 'labels', run: 'r1', metric: 'faithfulness' };

const target = (pointer: string) => ({ uri: 'file:///w/traces/refund.jsonl', pointer });

export function labelPart(type: LabelPartRow['type'], text: string, parts: Partial<LabelPartRow> = {}): LabelPartRow {
  return {
    type,
    name: null,
    turn: 1,
    target: target('/1'),
    text: { text, omitted: 0 },
    result: null,
    outcome: null,
    ...parts,
  };
}

/** The second turn of a session about a refund. */
export function resultToLabel(number: number, parts: Partial<ResultToLabel> = {}): ResultToLabel {
  return {
    id: `r${number}`,
    file: 'traces/refund.jsonl',
    line: number + 1,
    session: `conv_${number}`,
    turn: 1,
    target: target(`/${number}`),
    earlier: [
      labelPart('user', `Hi, I am customer ${number}.`, { turn: 0 }),
      labelPart('answer', 'How can I help you?', { turn: 0 }),
    ],
    parts: [
      labelPart('user', `Please refund order CL-${number}: the blue lamp arrived broken.`),
      labelPart('tool', `order_id: "CL-${number}"`, {
        name: 'get_order',
        result: { text: '{"total": 42.5, "currency": "EUR", "status": "delivered"}', omitted: 0 },
        outcome: 'ok',
      }),
      labelPart('tool', `order_id: "CL-${number}", amount: 370`, {
        name: 'refund_order',
        result: { text: 'amount exceeds the 42.50 EUR paid', omitted: 0 },
        outcome: 'error',
      }),
      labelPart('answer', 'Your refund of 370 EUR is on its way. You will have it in three to five days.'),
    ],
    omitted: 0,
    ...parts,
  };
}

export const AGREEMENT: JudgeAgreementRow = {
  counts: { bothPass: 30, onlyJudge: 6, onlyPerson: 2, bothFail: 14 },
  kappa: { value: 0.66, interval: [0.44, 0.88] },
  truePositiveRate: { share: 0.9375, of: 32, interval: [0.8, 0.98] },
  trueNegativeRate: { share: 0.7, of: 20, interval: [0.48, 0.86] },
  passing: { judged: 0.71, corrected: { share: 0.64, interval: [0.53, 0.74] }, labels: 52 },
  isBeyondChance: true,
  stored: 'no',
  disagreements: [
    {
      id: 'd1',
      file: 'traces/refund.jsonl',
      line: 34,
      session: 'conv_33',
      turn: 1,
      label: 'fail',
      score: 5,
      note: 'The refund failed, and the agent says it is on its way.',
    },
    {
      id: 'd2',
      file: 'traces/returns/2026-11-20/session-with-a-long-name.jsonl',
      line: 12,
      session: 'conv_12',
      turn: null,
      label: 'pass',
      score: 2,
      note: null,
    },
  ],
  disagreementCount: 2,
};

export function labelState(parts: Partial<LabelState> = {}): LabelState {
  return {
    judge: 'openai/gpt-5-mini',
    asks: 'Is everything that the answer claims supported by what the tools returned and the user said?',
    runName: 'v1.3',
    startedAt: '2026-11-20T09:10:00.000Z',
    results: 240,
    labelled: 18,
    heldOut: 12,
    tuning: 6,
    needed: 50,
    missing: 38,
    more: 57,
    notCounted: [],
    file: 'turnwise.judge.json',
    refusal: null,
    agreement: null,
    ...parts,
  };
}

export const JUDGED = {
  verdict: 'pass',
  score: 5,
  threshold: 4,
  reason: 'The judge found every claim supported by the result of refund_order.',
} as const;

/** A server with some results to label, which are told in order. */
export class LabelServer {
  readonly results: readonly ResultToLabel[];
  readonly labels = new Map<string, { readonly label: string; readonly note: string }>();
  state: LabelState;
  unreadable = 0;

  constructor(
    results: readonly ResultToLabel[] = [1, 2, 3].map((number) => resultToLabel(number)),
    state = labelState(),
  ) {
    this.results = results;
    this.state = state;
  }

  readonly answer = (method: string, params: unknown): unknown => {
    switch (method) {
      case labelsOf.method:
        return this.#state();
      case nextResult.method: {
        const skipped = new Set((params as { skipped: string[] }).skipped);
        const left = this.results.filter(({ id }) => !this.labels.has(id));
        const wanted = left.filter(({ id }) => !skipped.has(id));
        return { result: wanted[0] ?? null, skipped: left.length - wanted.length, unreadable: this.unreadable };
      }
      case setLabel.method: {
        const { id, label, note } = params as { id: string; label: string | null; note: string };
        if (label === null) this.labels.delete(id);
        else this.labels.set(id, { label, note });
        return { judged: label === null ? null : JUDGED, state: this.#state() };
      }
      case storeCalibration.method:
        if (this.state.agreement) this.state = { ...this.state, agreement: { ...this.state.agreement, stored: 'yes' } };
        return this.#state();
      case locateResult.method:
        return { target: (params as { id: string }).id === 'd1' ? target('/33') : null };
      default:
        return {};
    }
  };

  #state(): LabelState {
    const { heldOut, missing, labelled } = this.state;
    const given = this.labels.size;
    return {
      ...this.state,
      labelled: labelled + given,
      heldOut: heldOut + given,
      missing: Math.max(0, missing - given),
    };
  }
}
