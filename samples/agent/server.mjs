/**
 * A small support agent of a shop, to try scenarios on: `node samples/agent/server.mjs`, then `turnwise scenarios --run`.
 * It has no model. It speaks chat completions, calls the tools get_order, refund_order and cancel_order, and makes the mistakes
 * that the request asks for in "fault":
 *
 *   skip-confirmation  refunds before the user has agreed
 *   wrong-amount       refunds ten times the price
 *   slow               answers after a minute
 *   garbage            answers with something that is not JSON
 *   broken-stream      streams an answer whose second chunk is cut off
 *   unknown-tool       calls a tool that does not exist, again and again
 */
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

const PORT = Number(process.env.PORT ?? 8787);

/** What the agent does next, from the conversation alone. */
function nextMessage(messages, fault) {
  if (fault === 'unknown-tool') return call('open_ticket', {});
  const last = messages.at(-1) ?? { role: 'user', content: '' };
  const request = messages.findLast(({ role }) => role === 'user')?.content ?? '';
  const order = lastOrder(messages);
  if (last.role === 'tool') return afterTool(last, order, request, fault);
  const id = /\bA-\d+\b/.exec(request)?.[0];
  if (id && /refund|status|where/i.test(request)) return call('get_order', { order_id: id });
  if (id && /cancel/i.test(request)) return call('cancel_order', { order_id: id });
  if (order && /\b(yes|please do|go ahead)\b/i.test(request)) return refund(order, fault);
  if (/thank/i.test(request)) return say('You are welcome.');
  return say('What is the number of your order?');
}

function afterTool(result, order, request, fault) {
  const value = JSON.parse(result.content);
  if (value?.error) return say(`I am sorry, that did not work: ${value.error}`);
  if (value?.refunded) return say(`Your refund of $${value.refunded} was issued.`);
  if (value?.cancelled) return say('Your order is cancelled.');
  if (!order) return say('I cannot find this order.');
  if (!/refund/i.test(request)) return say(`Order ${order.order_id} is ${order.status}.`);
  if (order.status !== 'delivered') {
    return say(`Order ${order.order_id} is ${order.status}: only delivered orders can be refunded.`);
  }
  if (fault === 'skip-confirmation') return refund(order, fault);
  return say(`Order ${order.order_id} costs $${order.total}. Shall I refund it?`);
}

function refund({ order_id, total }, fault) {
  return call('refund_order', { order_id, amount: fault === 'wrong-amount' ? total * 10 : total });
}

/** The order that was looked up last. */
function lastOrder(messages) {
  const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => JSON.parse(content));
  return results.findLast((value) => value?.order_id && value.status);
}

function say(content) {
  return { role: 'assistant', content };
}

let calls = 0;

function call(name, args) {
  calls += 1;
  const tool = { id: `call_${calls}`, type: 'function', function: { name, arguments: JSON.stringify(args) } };
  return { role: 'assistant', content: null, tool_calls: [tool] };
}

function sendStream(response, message, isBroken) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (data) => response.write(`data: ${data}\n\n`);
  const delta = {
    ...message,
    ...(message.tool_calls && { tool_calls: message.tool_calls.map((tool, index) => ({ index, ...tool })) }),
  };
  send(JSON.stringify({ choices: [{ delta }] }));
  if (isBroken) send('{"choices": [{"del');
  send(JSON.stringify({ choices: [{ delta: {}, finish_reason: message.tool_calls ? 'tool_calls' : 'stop' }] }));
  send('[DONE]');
  response.end();
}

const server = createServer(async (request, response) => {
  const { messages = [], stream = false, fault } = JSON.parse((await text(request)) || '{}');
  if (fault === 'slow') await new Promise((resolve) => setTimeout(resolve, 60_000).unref());
  if (fault === 'garbage') return response.end('<<< out of order >>>');
  const message = nextMessage(messages, fault);
  if (stream || fault === 'broken-stream') return sendStream(response, message, fault === 'broken-stream');
  response.writeHead(200, { 'content-type': 'application/json' });
  const finish_reason = message.tool_calls ? 'tool_calls' : 'stop';
  response.end(JSON.stringify({ model: 'shop-agent', choices: [{ message, finish_reason }] }));
});

server.listen(PORT, '127.0.0.1', () => {
  console.log(`The agent listens at http://127.0.0.1:${server.address().port}/v1/chat/completions`);
});
