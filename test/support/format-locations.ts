/** A rule, and where it finds something: `line:column-line:column`, counted from one. */
type RuleLocations = Readonly<Record<string, string>>;

/**
 * A file of each format, the lines on which its turns begin, and where something is found in its first session. All
 * were looked up in the files by hand. In most, the same conversation is told: the second call of `refund_order`, with
 * 42.5, changes state, and the answer states the amount.
 */
export const FORMAT_LOCATIONS: readonly (readonly [
  file: string,
  format: string,
  turns: readonly number[],
  places: RuleLocations,
])[] = [
  [
    'sessions.turnwise.json',
    'turnwise',
    [69, 164],
    { 'state-change': '119:13-131:14', 'amount-stated': '72:21-72:73' },
  ],
  ['fair-forge.json', 'fair-forge', [8, 93], { 'state-change': '57:13-68:14', 'amount-stated': '11:22-11:74' }],
  ['otlp-gen-ai.json', 'otlp', [21, 866], { 'state-change': '673:19-675:11', 'amount-stated': '817:19-819:11' }],
  ['tempo.jsonl', 'tempo', [1, 2], { 'state-change': '1:16704-1:16933', 'amount-stated': '1:21251-1:21430' }],
  ['jaeger-adk.json', 'jaeger', [1348, 1613], { 'state-change': '367:17-367:335', 'amount-stated': '141:17-141:276' }],
  ['toolbench.json', 'toolbench', [262], { 'state-change': '110:41-152:42', 'amount-stated': '186:21-186:131' }],
  [
    'tau-bench.json',
    'tau-bench',
    [41, 144, 194, 297],
    { 'state-change': '125:11-132:12', 'amount-stated': '142:20-142:72' },
  ],
  [
    'tau2-bench.json',
    'tau2-bench',
    [205, 391, 418, 424],
    { 'state-change': '354:13-362:14', 'amount-stated': '386:22-386:74' },
  ],
  [
    'inspect-ai.json',
    'inspect-ai',
    [41, 178, 687],
    { 'state-change': '155:13-162:14', 'amount-stated': '175:22-175:74' },
  ],
  ['swe-agent.traj', 'swe-agent', [89], { 'call-without-result': '15:17-15:27' }],
  ['mini-swe-agent-tools.traj.json', 'mini-swe-agent', [21, 108], { 'call-without-result': '127:9-134:10' }],
  ['atif.json', 'atif', [44, 225], { 'state-change': '195:9-202:10', 'amount-stated': '223:18-223:70' }],
  ['openhands.json', 'openhands', [32, 408], { 'unknown-tool': '279:17-286:18' }],
  ['tapeagents.json', 'tapeagents', [33, 227], { 'state-change': '184:5-196:6', 'amount-stated': '225:18-225:70' }],
  ['agentest-results.json', 'agentest', [17, 60], { 'state-change': '46:17-57:18', 'amount-stated': '20:31-20:83' }],
  ['who-and-when.json', 'who-and-when', [8], {}],
  ['conv.evalset.json', 'adk-evalset', [8, 49], {}],
  [
    'conv.session.json',
    'adk-session',
    [19, 327],
    { 'state-change': '264:30-271:14', 'amount-stated': '319:21-319:73' },
  ],
  [
    'langfuse-rows.jsonl',
    'langfuse',
    [1, 13],
    { 'state-change': '10:2353-10:2571', 'amount-stated': '12:2675-12:2768' },
  ],
  [
    'langsmith-trees.json',
    'langsmith',
    [607, 2],
    { 'state-change': '1647:12-1655:13', 'amount-stated': '766:17-766:69' },
  ],
  ['phoenix-page.json', 'phoenix', [489, 72], { 'state-change': '235:75-235:89', 'amount-stated': '506:21-506:73' }],
  ['mlflow-v3.json', 'mlflow', [45, 300], { 'state-change': '229:30-229:418', 'amount-stated': '269:30-269:283' }],
  [
    'pandaprobe-traces.json',
    'pandaprobe',
    [75, 2],
    { 'state-change': '378:13-385:14', 'amount-stated': '95:22-95:74' },
  ],
  ['trail.json', 'trail', [5, 474], { 'state-change': '356:78-356:92', 'amount-stated': '21:22-21:74' }],
  ['any-agent.json', 'any-agent', [360], { 'state-change': '275:22-275:136', 'amount-stated': '394:18-394:70' }],
  [
    'span-list-console.jsonl',
    'span-list',
    [11, 13],
    { 'state-change': '8:1995-8:2228', 'amount-stated': '10:2337-10:2435' },
  ],
  ['claude-code-stream.jsonl', 'claude-code', [2, 15], { 'unknown-tool': '10:132-10:226' }],
  ['codex.jsonl', 'codex', [10, 34], {}],
  [
    'openai-agents-trace.json',
    'openai-agents',
    [618, 782],
    { 'state-change': '454:15-461:16', 'amount-stated': '607:24-607:76' },
  ],
  [
    'openai-responses-chain.jsonl',
    'openai-responses',
    [1, 7],
    { 'state-change': '5:358-5:526', 'amount-stated': '6:470-6:522' },
  ],
  [
    'anthropic-messages.jsonl',
    'anthropic-messages',
    [1, 13],
    { 'state-change': '10:35-10:145', 'amount-stated': '12:34-12:86' },
  ],
  [
    'langgraph-history.json',
    'langchain',
    [10, 203],
    { 'state-change': '157:13-165:14', 'amount-stated': '189:22-189:74' },
  ],
  ['ai-sdk-ui.json', 'ai-sdk', [14, 120], { 'state-change': '97:9-109:10', 'amount-stated': '115:19-115:71' }],
  [
    'otel-messages.json',
    'otel-messages',
    [12, 147],
    { 'state-change': '117:5-125:6', 'amount-stated': '143:17-143:69' },
  ],
  [
    'bedrock-converse-log.jsonl',
    'bedrock-converse',
    [1, 1],
    { 'state-change': '1:2195-1:2291', 'amount-stated': '1:2485-1:2537' },
  ],
  [
    'gemini-contents.json',
    'gemini-contents',
    [50, 207],
    { 'state-change': '175:27-181:12', 'amount-stated': '203:19-203:71' },
  ],
  ['autogen-events.jsonl', 'autogen', [2, 12], { 'state-change': '9:1491-9:1626', 'amount-stated': '11:1754-11:1806' }],
  ['sharegpt.json', 'sharegpt', [4, 52], { 'state-change': '42:18-42:109', 'amount-stated': '50:18-50:70' }],
  ['magentic-one.json', 'magentic-one', [2], {}],
  ['ag2.json', 'ag2', [4, 149], { 'state-change': '122:9-129:10', 'amount-stated': '145:18-145:70' }],
  [
    'openai-chat-finetune.jsonl',
    'openai-chat',
    [1, 1, 2, 2],
    { 'state-change': '1:1344-1:1479', 'amount-stated': '1:1607-1:1659' },
  ],
];
