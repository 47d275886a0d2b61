import { MODEL_PROVIDERS, PROVIDER_NAMES } from '../core/model-providers.ts';

const JUDGES = PROVIDER_NAMES.map((name) => `"${name}" (${MODEL_PROVIDERS[name].title})`).join(', ');
const EMBEDDERS = PROVIDER_NAMES.map((name) => `"${name}"`).join(', ');

/** The file that `turnwise init` writes. It has no effect until a line is uncommented or edited. */
export const TEMPLATE = `# Configuration of Turnwise. Every key is optional; the values here are the defaults.
# The same keys work in turnwise.config.json, .ts and .js. \`turnwise metrics\` lists the metrics and their scales.

# The judge: ${JUDGES}, "rules" (no model), or "none" (no model and no rules).
# API keys are read from the environment, never from this file.
judge:
  provider: rules
  # model: gpt-5-mini
  # baseUrl: http://localhost:8000/v1 # your own server
  # maxCalls: 500
  # price: { input: 0.25, output: 2 } # per million tokens, to show the cost of runs

# The embedder, which compares texts: "lexical" (word overlap, built in), "static" (a model in a folder), ${EMBEDDERS} or "none".
embedder:
  provider: lexical
  # model: text-embedding-3-small # of "static": the folder

# A list runs only these metrics:
#   metrics: [loop_detection, tool_trajectory_avg_score]
# An object sets options and enables or disables metrics:
#   metrics:
#     tool_trajectory_avg_score: { threshold: 0.5, matchType: IN_ORDER }
#     agentic: { enabled: true, k: 3 }
#     helpfulness: { judge: "ollama:qwen3:8b" } # its own model

# What fails a run. Without thresholds, only problems of the given severity.
gates:
  failOn: high # low, medium, high, critical or never
  minCoverage: 1 # share of a gated metric's results that must be scored
  # thresholds:
  #   tool_selection_accuracy: 85%
  #   loop_detection: 0.5
  # judge: calibrated # thresholds on judged metrics gate only if the judge was measured with your labels (docs/calibration.md)
  # for: # what differs for some tasks or tags; of several that match, the last one counts
  #   - { task: "refund-*", thresholds: { loop_detection: 0.9 }, failOn: medium }
  #   - { tag: experimental, failOn: never }

# Severities of failure labels, and levels of rules:
# severities:
#   repeated tool call: medium
# rules:
#   repeated-call: off

# Warnings of changes from run to run (docs/runs.md):
# alerts:
#   - { metric: correct, direction: falls, for: 2 }

# Tools that change state:
# stateChangingTools: [delete_*, refund_*]

# Your own metrics, with a rubric for a judge (docs/custom-metrics.md; functions need turnwise.config.ts):
# custom:
#   - name: tone_of_voice
#     rubric: The answer is friendly and to the point, and makes no jokes.
#     scale: likert # 1 to 5; or unit, binary, label with "labels"
#     threshold: 4

# Which files are traces, relative to this file: for eval and watch without a path, and for the editor:
# traces: ["runs/**/*.jsonl"]

# Where turns are in JSON that no format knows (see docs/formats.md):
# map: { turns: { path: rounds, input: question, output: answer } }

# Which sessions are attempts of one task: a field, or a pattern of file names or session ids (see docs/ci.md):
# tasks: { by: '(?<task>[a-z]+)-(?<trial>\\d+)' }

# Scenarios, which try an agent (see docs/scenarios.md): their files, relative to this one, and the agents:
# scenarios: ["**/*.sim.ts", "**/*.scenario.yaml"]
# simulation:
#   agents:
#     support: { endpoint: "http://localhost:3000/v1/chat/completions", headers: { Authorization: "Bearer \${AGENT_KEY}" } }

# The runs that are recorded (see docs/runs.md):
# history: { record: true, keep: 200, attempts: true }
`;
