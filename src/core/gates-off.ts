/** What a gate that is on by default ignores its failure with: a setting, and the option of the command line for it. */
export const GATES_OFF = {
  severity: { setting: 'gates.failOn: critical', option: '--fail-on critical' },
  outcome: { setting: 'gates.outcome: false', option: '--ignore-outcome' },
} as const;
