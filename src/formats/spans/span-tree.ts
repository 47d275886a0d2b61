import type { Message, RequestedCall } from '../chat/messages/conversation.ts';
import type { Problems } from '../problems.ts';
import { jsonText } from '../values.ts';
import type { SpanDialect, SpanKind } from './dialect.ts';
import type { Span } from './span.ts';
import { timeOrder } from './time.ts';

/** A span that records an agent's work, with its dialect. */
export interface ClassifiedSpan {
  readonly kind: SpanKind;
  readonly dialect: SpanDialect;
  readonly span: Span;
  /** Its position in the file. */
  readonly index: number;
}

/** A span of an agent's work and the spans below it, in order of time. Other spans in between are left out. */
export class SpanNode {
  classified: ClassifiedSpan;
  children: SpanNode[] = [];
  readonly #problems: Problems;
  #input: readonly Message[] | undefined;
  #gave: readonly Message[] | undefined;

  constructor(classified: ClassifiedSpan, problems: Problems) {
    this.classified = classified;
    this.#problems = problems;
  }

  /** The input of the model or agent; read once. */
  get input(): readonly Message[] {
    this.#input ??= this.classified.dialect.input(this.classified.span, this.#problems);
    return this.#input;
  }

  get output(): readonly Message[] {
    this.#gave ??= this.classified.dialect.output(this.classified.span, this.#problems);
    return this.#gave;
  }

  get hasContent(): boolean {
    return this.classified.dialect.hasContent(this.classified.span);
  }

  /** The name of the agent. */
  get agent(): string | undefined {
    return this.classified.dialect.agentName(this.classified.span);
  }

  get name(): string {
    const { dialect, span, kind } = this.classified;
    return (kind === 'tool' ? dialect.execution(span, this.#problems).name : this.agent) || span.name;
  }
}

/**
 * Builds the trees of an agent's work in a trace: agents and programs with their models, tools and sub-agents below
 * them. A call that several instrumentations recorded appears once.
 */
export function buildSpanTree(
  spans: readonly Span[],
  problems: Problems,
  dialects: readonly SpanDialect[],
): readonly SpanNode[] {
  return new SpanTree(spans, withoutNestedLayers(classifySpans(spans, dialects), dialects), problems).roots;
}

export function classifySpans(spans: readonly Span[], dialects: readonly SpanDialect[]): ClassifiedSpan[] {
  return spans.flatMap((span, index) => {
    const classified = classifySpan(span, dialects);
    return classified ? { ...classified, span, index } : [];
  });
}

/** Whether a span shows that an agent worked: a program span with nothing but a name may belong to any program. */
export function showsAgent({ kind, dialect, span }: Omit<ClassifiedSpan, 'index'>): boolean {
  return kind !== 'chain' || dialect.hasContent(span);
}

/** Finds the first dialect in which a span is part of an agent's work. */
function classifySpan(span: Span, dialects: readonly SpanDialect[]): { dialect: SpanDialect; kind: SpanKind } | null {
  for (const dialect of dialects) {
    const kind = dialect.kindOf(span);
    if (kind !== undefined) return kind && { dialect, kind };
  }
  return null;
}

/**
 * Keeps one dialect of calls that were recorded in several: for models the first with content, and for tools the same
 * one if it recorded any. Two layers never describe different calls of one agent.
 */
function withoutNestedLayers(
  acts: readonly ClassifiedSpan[],
  dialects: readonly SpanDialect[],
): readonly ClassifiedSpan[] {
  const models = dialectsOf(acts, 'model', dialects);
  const layer =
    models.find((dialect) =>
      acts.some(
        (classified) =>
          classified.kind === 'model' && classified.dialect === dialect && dialect.hasContent(classified.span),
      ),
    ) ?? models[0];
  const ofTools = dialectsOf(acts, 'tool', dialects);
  const tools = layer && ofTools.includes(layer) ? layer : ofTools[0];
  return acts.filter(({ kind, dialect }) => {
    if (kind === 'model') return dialect === layer;
    return kind === 'tool' ? dialect === tools : true;
  });
}

/** In the order in which dialects are tried. */
function dialectsOf(
  acts: readonly ClassifiedSpan[],
  kind: SpanKind,
  dialects: readonly SpanDialect[],
): readonly SpanDialect[] {
  const dialectNames = new Set(acts.filter((classified) => classified.kind === kind).map(({ dialect }) => dialect));
  return dialects.filter((dialect) => dialectNames.has(dialect));
}

/** What applies to the spans below a span. */
interface TreeContext {
  /** The node that they belong to. */
  readonly owner: SpanNode | null;
  /** The closest node above them, whether or not they belong to it. */
  readonly nearest: SpanNode | null;
  readonly depth: number;
}

const TOP: TreeContext = { owner: null, nearest: null, depth: 0 };

/** Limit for agents that call agents. Deeper spans belong to the last agent. */
const MAX_DEPTH = 40;

class SpanTree {
  readonly roots: readonly SpanNode[];

  readonly #spans = new Map<string, Span>();
  readonly #acts: ReadonlyMap<Span, ClassifiedSpan>;
  readonly #contexts = new Map<Span, TreeContext>();
  readonly #tops: SpanNode[] = [];
  readonly #problems: Problems;

  constructor(spans: readonly Span[], acts: readonly ClassifiedSpan[], problems: Problems) {
    this.#problems = problems;
    this.#acts = new Map(acts.map((act) => [act.span, act]));
    for (const span of spans) if (span.spanId !== '') this.#spans.set(span.spanId, span);
    for (const span of spans) this.#contextBelow(span);
    this.roots = sortByTime(this.#adopt());
  }

  /** The context below a span. Ancestors are resolved from the top, so that each is visited once. */
  #contextBelow(span: Span): TreeContext {
    const open: Span[] = [];
    const met = new Set<Span>();
    let context: TreeContext | undefined;
    for (let at: Span | undefined = span; at && !met.has(at); at = this.#spans.get(at.parentId ?? '')) {
      context = this.#contexts.get(at);
      if (context) break;
      met.add(at);
      open.push(at);
    }
    let inner = context ?? TOP;
    for (const next of open.toReversed()) {
      inner = this.#enter(next, inner);
      this.#contexts.set(next, inner);
    }
    return inner;
  }

  #enter(span: Span, context: TreeContext): TreeContext {
    const classified = this.#acts.get(span);
    if (!classified) return context;
    const { owner, nearest, depth } = context;
    const node = new SpanNode(classified, this.#problems);
    if (classified.kind === 'chain' && (nearest || !node.hasContent)) return context;
    if (nearest && isSameCall(nearest, node)) {
      if (!nearest.hasContent && node.hasContent) nearest.classified = classified;
      return context;
    }
    (owner?.children ?? this.#tops).push(node);
    const owns = classified.kind !== 'model' && classified.kind !== 'retrieval' && depth < MAX_DEPTH;
    return { owner: owns ? node : owner, nearest: node, depth: owns ? depth + 1 : depth };
  }

  /** Attaches agents that a tool ran but that were recorded next to it: they began and ended while the tool ran. */
  #adopt(): SpanNode[] {
    const tools = this.#tops.flatMap((root) => toolsBelow(root).map((tool) => ({ tool, root })));
    tools.sort((a, b) => byStartTime(a.tool, b.tool));
    const starts = tools.map(({ tool }) => timeOrder(tool.classified.span.startedAt));
    const adopted = new Map<SpanNode, SpanNode>();
    for (const agent of this.#tops) {
      if (agent.classified.kind !== 'agent') continue;
      const start = timeOrder(agent.classified.span.startedAt);
      const end = timeOrder(agent.classified.span.endedAt);
      let index = lastAtMost(starts, start);
      // The concurrent tool that began last. There are never many.
      for (let visited = 0; index >= 0 && visited < 32; index -= 1, visited += 1) {
        const candidate = tools[index];
        if (!candidate || !Number.isFinite(end) || timeOrder(candidate.tool.classified.span.endedAt) < end) continue;
        let { root } = candidate;
        for (let outer = adopted.get(root); outer; outer = adopted.get(root)) root = outer;
        if (root === agent) continue;
        candidate.tool.children.push(agent);
        adopted.set(agent, candidate.root);
        break;
      }
    }
    return this.#tops.filter((root) => !adopted.has(root));
  }
}

function toolsBelow(root: SpanNode): SpanNode[] {
  const tools: SpanNode[] = [];
  const open = [root];
  for (let node = open.pop(); node; node = open.pop()) {
    if (node.classified.kind === 'tool') tools.push(node);
    for (const child of node.children) open.push(child);
  }
  return tools;
}

function lastAtMost(sorted: readonly number[], limit: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Whether a span inside another records the same call: a model does not call models, a tool does not call itself. */
function isSameCall(outer: SpanNode, inner: SpanNode): boolean {
  if (outer.classified.kind !== inner.classified.kind) return false;
  return inner.classified.kind === 'model' || (inner.classified.kind === 'tool' && inner.name === outer.name);
}

/** Sorts nodes and everything below them by time. */
function sortByTime(nodes: readonly SpanNode[]): readonly SpanNode[] {
  const open = [...nodes];
  for (let node = open.pop(); node; node = open.pop()) {
    node.children = withoutDuplicates(node.children.toSorted(byStartTime));
    for (const child of node.children) open.push(child);
  }
  return withoutDuplicates(nodes.toSorted(byStartTime));
}

/** How many models may run in parallel. */
const MAX_PARALLEL_MODELS = 8;

/** Nodes in order of time, without model calls that a second instrumentation recorded next to the first one. */
function withoutDuplicates(nodes: readonly SpanNode[]): SpanNode[] {
  const models: SpanNode[] = [];
  return nodes.filter((node) => {
    if (node.classified.kind !== 'model') return true;
    if (models.some((other) => isDuplicate(other, node))) return false;
    models.push(node);
    if (models.length > MAX_PARALLEL_MODELS) models.shift();
    return true;
  });
}

/** Whether another instrumentation recorded the same model call: at the same time, with the same answer. */
function isDuplicate(first: SpanNode, second: SpanNode): boolean {
  const [one, other] = [first.classified.span, second.classified.span];
  if (one.scope === other.scope || !(timeOrder(other.startedAt) < timeOrder(one.endedAt))) return false;
  const answer = answerOf(first);
  return answer !== '' && answer === answerOf(second);
}

function answerOf({ output }: SpanNode): string {
  return output
    .flatMap((message) =>
      message.role === 'agent' ? [message.content?.text ?? '', ...message.calls.map(callText)] : [],
    )
    .join('\n');
}

function callText({ name, arguments: args }: RequestedCall): string {
  return `${name} ${jsonText(args)}`;
}

/**
 * By start time. Spans that started in the same millisecond keep the order in which they were exported: by their end.
 */
function byStartTime(a: SpanNode, b: SpanNode): number {
  const [first, second] = [timeOrder(a.classified.span.startedAt), timeOrder(b.classified.span.startedAt)];
  return first === second ? a.classified.index - b.classified.index : first - second;
}
