import { context, type Span, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';

export interface OtelAgentOptions {
  /** `http://127.0.0.1:4318` */
  readonly endpoint: string;
  readonly encoding?: 'json' | 'protobuf';
  readonly isCompressed?: boolean;
}

export interface OtelTurn {
  readonly conversation: string;
  readonly order: string;
  /** A refund is asked for; the tool fails, which the answer does not say. */
  readonly fails?: boolean;
}

/** An agent that answers from a script, recorded by OpenTelemetry's SDK for JavaScript and sent by its exporters. */
export class OtelAgent implements AsyncDisposable {
  readonly #provider: TracerProvider;
  readonly #tracer: Tracer;
  /** A model takes longer than the SDK's clock needs to tell calls apart. */
  #time = Date.now();

  constructor({ endpoint, encoding = 'protobuf', isCompressed = false }: OtelAgentOptions) {
    const Exporter = encoding === 'json' ? JsonExporter : ProtobufExporter;
    const exporter = new Exporter({
      url: `${endpoint}/v1/traces`,
      ...(isCompressed && { compression: 'gzip' as never }),
    });
    this.#provider = new TracerProvider({
      resource: resourceFromAttributes({ 'service.name': 'refunds', 'service.version': '1.2.0' }),
      spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: 60_000 })],
    });
    this.#tracer = this.#provider.getTracer('refund-agent');
  }

  /** Records a turn; its spans end, and are sent, before the span above them. */
  turn({ conversation, order, fails = false }: OtelTurn): void {
    const ask = {
      role: 'user',
      parts: [{ type: 'text', content: `Please ${fails ? 'refund' : 'show'} order ${order}.` }],
    };
    const tool = fails ? 'refund' : 'get_order';
    const call = { type: 'tool_call', id: `call_${order}`, name: tool, arguments: { order } };
    const result = fails ? 'Error: the refund failed' : '{"status":"shipped"}';
    this.#span(
      null,
      'invoke_agent refunds',
      {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': 'refunds',
        'gen_ai.conversation.id': conversation,
      },
      (agent) => {
        const chat = (name: string, input: readonly unknown[], output: readonly unknown[]) =>
          this.#span(agent, name, {
            'gen_ai.operation.name': 'chat',
            'gen_ai.provider.name': 'openai',
            'gen_ai.request.model': 'gpt-5-mini',
            'gen_ai.conversation.id': conversation,
            'gen_ai.input.messages': JSON.stringify(input),
            'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', parts: output, finish_reason: 'stop' }]),
          });
        chat('chat gpt-5-mini', [ask], [call]);
        this.#span(
          agent,
          `execute_tool ${tool}`,
          {
            'gen_ai.operation.name': 'execute_tool',
            'gen_ai.tool.name': tool,
            'gen_ai.tool.call.id': call.id,
            'gen_ai.tool.call.arguments': JSON.stringify(call.arguments),
            'gen_ai.tool.call.result': result,
          },
          (span) => {
            if (fails) span.setStatus({ code: SpanStatusCode.ERROR, message: result });
          },
        );
        const response = { role: 'tool', parts: [{ type: 'tool_call_response', id: call.id, response: result }] };
        chat(
          'chat gpt-5-mini',
          [ask, { role: 'assistant', parts: [call] }, response],
          [{ type: 'text', content: fails ? 'Your refund was issued.' : 'Your order was shipped.' }],
        );
      },
    );
  }

  /** A span of a program that has nothing to do with agents. */
  request(path: string): void {
    this.#span(null, `GET ${path}`, { 'http.request.method': 'GET' });
  }

  /** Sends what was recorded. @throws when the receiver did not take it */
  flush(): Promise<void> {
    return this.#provider.forceFlush();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#provider.shutdown();
  }

  #span(parent: Span | null, name: string, attributes: Record<string, string>, inside?: (span: Span) => void): void {
    const around = parent ? trace.setSpan(context.active(), parent) : context.active();
    this.#time += 5;
    const span = this.#tracer.startSpan(name, { attributes, startTime: this.#time }, around);
    inside?.(span);
    this.#time += 5;
    span.end(this.#time);
  }
}

/** As OpenTelemetry's event `session.end` is sent. */
export async function endSession(endpoint: string, id: string): Promise<void> {
  const record = { eventName: 'session.end', attributes: [{ key: 'session.id', value: { stringValue: id } }] };
  const response = await fetch(`${endpoint}/v1/logs`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] }),
  });
  if (response.status !== 200) throw new Error(`The receiver answered ${response.status}.`);
}
