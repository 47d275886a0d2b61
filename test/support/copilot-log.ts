/** A turn in the file that the exporter of GitHub Copilot appends to: metrics and log records are between its spans. */
export function copilotTurn(number: number, answer = 'Your refund was issued.'): string {
  const traceId = number.toString(16).padStart(32, '0');
  const span = (name: string, operation: string, attributes: Readonly<Record<string, string>>, rest: object) => ({
    resource: { attributes: { 'service.name': 'copilot-chat' } },
    instrumentationScope: { name: 'copilot-chat', version: '0.44.0' },
    traceId,
    spanId: `${name}${number}`,
    name,
    kind: 0,
    attributes: { 'gen_ai.operation.name': operation, ...attributes },
    startTime: [1_790_000_000 + 60 * number, name === 'agent' ? 0 : 500_000_000],
    endTime: [1_790_000_000 + 60 * number, 900_000_000],
    links: [],
    events: [],
    ...rest,
  });
  const said = (role: string, content: string) => JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);
  return [
    {
      attributes: {},
      hrTime: [1_790_000_000, 1],
      spanContext: { traceId, spanId: 'tool' },
      _body: 'copilot_chat.tool.call',
    },
    { resource: { attributes: {} }, scopeMetrics: [{ scope: { name: 'copilot-chat' }, metrics: [] }] },
    span(
      'tool',
      'execute_tool',
      {
        'gen_ai.tool.name': 'refund',
        'gen_ai.tool.call.arguments': JSON.stringify({ order: `A-${number}` }),
        'gen_ai.tool.call.result': 'refunded',
      },
      { parentSpanId: `agent${number}`, status: { code: 0 } },
    ),
    span(
      'agent',
      'invoke_agent',
      {
        'gen_ai.conversation.id': 'conv',
        'gen_ai.input.messages': said('user', `Please refund order A-${number}.`),
        'gen_ai.output.messages': said('assistant', answer),
      },
      { status: { code: 0 } },
    ),
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');
}
