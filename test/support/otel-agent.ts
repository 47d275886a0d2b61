import { context, type Logger, type Span, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import { OTLPLogExporter as JsonLogExporter } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPLogExporter as ProtobufLogExporter } from '@opentelemetry/exporter-logs-otlp-proto';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';

export interface OtelAgentOptions {
  /** `http://127.0.0.1:4318` */
  readonly endpoint: string;
  readonly encoding?: 'json' | 'protobuf';
  readonly isCompressed?: boolean;
  /** Messages are log records of their spans, as older instrumentations send them, instead of attributes. */
  readonly logsMessages?: boolean;
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
  readonly #loggers: LoggerProvider;
  readonly #logger: Logger | null;
  /** A model takes longer than the SDK's clock needs to tell calls apart. */
  #time = Date.now();

  constructor({ endpoint, encoding = 'protobuf', isCompressed = false, logsMessages = false }: OtelAgentOptions) {
    const Exporter = encoding === 'json' ? JsonExporter : ProtobufExporter;
    const LogExporter = encoding === 'json' ? JsonLogExporter : ProtobufLogExporter;
    const compression = isCompressed && { compression: 'gzip' as never };
    const exporter = new Exporter({ url: `${endpoint}/v1/traces`, ...compression });
    const logExporter = new LogExporter({ url: `${endpoint}/v1/logs`, ...compression });
    const resource = resourceFromAttributes({ 'service.name': 'refunds', 'service.version': '1.2.0' });
    this.#provider = new TracerProvider({
      resource,
      spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: 60_000 })],
    });
    this.#tracer = this.#provider.getTracer('refund-agent');
    this.#loggers = new LoggerProvider({
      resource,
      processors: [new BatchLogRecordProcessor({ exporter: logExporter, scheduledDelayMillis: 60_000 })],
    });
    this.#logger = logsMessages ? this.#loggers.getLogger('refund-agent') : null;
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
        const chat = (name: string, input: readonly unknown[], output: readonly unknown[]) => {
          const messages = {
            'gen_ai.input.messages': JSON.stringify(input),
            'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', parts: output, finish_reason: 'stop' }]),
          };
          const attributes = {
            'gen_ai.operation.name': 'chat',
            'gen_ai.provider.name': 'openai',
            'gen_ai.request.model': 'gpt-5-mini',
            'gen_ai.conversation.id': conversation,
          };
          this.#span(agent, name, this.#logger ? attributes : { ...attributes, ...messages }, (span) =>
            this.#log(span, messages),
          );
        };
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
  async flush(): Promise<void> {
    await this.#loggers.forceFlush();
    await this.#provider.forceFlush();
  }

  /** A log record that belongs to no span. */
  note(body: string): void {
    this.#loggers.getLogger('refund-agent').emit({ body });
  }

  #log(span: Span, attributes: Record<string, string>): void {
    this.#logger?.emit({
      eventName: 'gen_ai.client.inference.operation.details',
      attributes,
      context: trace.setSpan(context.active(), span),
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#loggers.shutdown();
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
