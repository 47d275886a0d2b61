import { chatFormat } from '../chat/chat-format.ts';
import { isMagenticOne, magenticOneMessages } from '../chat/messages/magentic-one.ts';

/** Logs of Magentic-One teams: one list of what its agents said is one session. */
export const magenticOne = chatFormat({
  name: 'magentic-one',
  title: 'Magentic-One log',
  description: 'What the agents of a Magentic-One team said: [{role: "Orchestrator (-> WebSurfer)", content}]',
  dialect: { fits: isMagenticOne, read: magenticOneMessages },
  messageNoun: 'Magentic-One messages',
});
