import { scenario } from 'turnwise';

scenario('ask a remote agent', {
  agent: 'remote',
  turns: [{ userMessage: 'Where is my order?', assertions: { answer: { contains: ['on its way'] } } }],
});
