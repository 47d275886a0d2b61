/** What `turnwise init` writes. It changes nothing until a line is uncommented or edited. */
export const TEMPLATE = `# Configuration of Turnwise. Every key is optional; what stands here is what holds without it.
# The same keys work in turnwise.config.json, .ts and .js. \`turnwise metrics\` lists the metrics and their scales.

# Who answers what the rules cannot: "openai" (at OpenAI or at any server that speaks its API), "ollama",
# "rules" (no model at all), or "none" (not even the rules). Keys are read from the environment, never from here.
judge:
  provider: rules
  # model: gpt-5-mini
  # baseUrl: http://localhost:8000/v1 # of a server of your own
  # maxCalls: 500
  # price: { input: 0.25, output: 2 } # per million tokens, so that runs say what they cost

# How texts are compared: "lexical" (word overlap, built in), "openai", "ollama" or "none".
embedder:
  provider: lexical
  # model: text-embedding-3-small

# A list runs only these:
#   metrics: [loop_detection, tool_trajectory_avg_score]
# An object sets options, and switches metrics on and off:
#   metrics:
#     tool_trajectory_avg_score: { threshold: 0.5, matchType: IN_ORDER }
#     agentic: { enabled: true, k: 3 }
#     helpfulness: { judge: "ollama:qwen3:8b" } # a model of its own

# What fails a run. Without thresholds, only failures of the given severity do.
gates:
  failOnErrorSeverity: critical # low, medium, high, critical or never
  minCoverage: 1 # share of a gated metric's results that must be scored
  # thresholds:
  #   tool_selection_accuracy: 85%
  #   loop_detection: 0.5

# Severities of your own for failure labels, and rules switched off or re-levelled:
# severities:
#   repeated tool call: medium
# rules:
#   repeated-call: off

# Tools that change state, whatever their names say:
# stateChangingTools: [delete_*, refund_*]

# Metrics of your own, by a rubric that a judge goes by (docs/custom-metrics.md; functions need turnwise.config.ts):
# custom:
#   - name: tone_of_voice
#     rubric: The answer is friendly and to the point, and makes no jokes.
#     scale: likert # 1 to 5; or unit, binary, label with "labels"
#     threshold: 4

# Where turns stand in JSON that no format knows (docs/formats.md has more):
# map: { turns: { path: rounds, input: question, output: answer } }
`;
