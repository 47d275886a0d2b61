import { memoize } from '../../core/cache/memoize.ts';
import type { Session } from '../../core/session.ts';
import { localName, looksLikeFinalStep } from './tool-effect.ts';
import { wordSet } from './tool-words.ts';

/**
 * - `coding`: the agent edits files and runs commands. A declared `coding` of the session takes precedence.
 * - `browsing`: the agent operates a browser or reads pages of the web.
 * - `dialogue`: the agent talks with a user, who sends at least two messages.
 * - `other`: one request, or no user at all.
 */
export const SESSION_KINDS = ['dialogue', 'coding', 'browsing', 'other'] as const;
export type SessionKind = (typeof SESSION_KINDS)[number];

/** For rules that say nothing about work that consists of edits and commands. */
export const NOT_CODING: readonly SessionKind[] = ['dialogue', 'browsing', 'other'];

/** Tools of coding agents that run commands or edit files, in lower case without punctuation. */
const WORK_TOOLS = wordSet(
  'bash executebash runbash shell shellcommand runshell runshellcommand localshell terminal computerterminal exec execcommand executecommand ' +
    'runcommand runterminalcmd runinterminal cmd powershell python executepython runpython pythonrepl executecode ' +
    'runcode codeexecution codeinterpreter executeipythoncell ipython notebookedit ' +
    'edit multiedit editfile fileedit searchreplace strreplaceeditor strreplacebasededittool applypatch applydiff replaceinfile ' +
    'insertedit inserteditintofile write writefile writetofile filewrite',
);

/** Tools that read and manage files, which assistants of an office have as well. */
const FILE_TOOLS = wordSet(
  'read readfile readmanyfiles viewfile fileread openfile open view glob grep globsearch grepsearch ls listdir listdirectory listfiles ' +
    'findfile searchfiles searchfile searchdir filesearch searchfilecontent codebasesearch createfile deletefile',
);

/** Tools that operate a browser or read the web, in lower case without punctuation. */
const WEB_TOOLS = wordSet(
  'browser browse browseweb browsewebpage browseurl goto gotourl navigate navigateto navigatepage openurl visit visiturl visitpage ' +
    'visitwebpage visitwebsite click clickelement doubleclick hover scroll scrollup scrolldown scrollpage pageup pagedown ' +
    'goback goforward typetext inputtext fillform presskey screenshot takescreenshot findonpage findonpagectrlf findnext ' +
    'websearch searchweb googlesearch internetsearch webfetch fetchurl fetchwebpage getwebpage readwebpage scrapewebpage scrapeurl',
);

/** Tools of a browser server are named after it: `browser_click`, `mcp__playwright__browser_navigate`. */
const BROWSER_PREFIX = /^(?:browser|playwright|puppeteer)[_-]/i;

/** What a session is about, from what it declares, its tool calls and its user messages. */
export function sessionKind(session: Session, toolNames: readonly string[]): SessionKind {
  if (session.coding) return 'coding';
  const { works, files, web, others } = countTools(toolNames);
  if (session.coding === undefined && works > 0 && works + files > web + others) return 'coding';
  if (web > works + files + others) return 'browsing';
  return hasDialogue(session) ? 'dialogue' : 'other';
}

/** Calls that end the work count for no kind. */
function countTools(toolNames: readonly string[]): Readonly<Record<ToolKind, number>> {
  const kindOf = memoize(toolKind);
  const counts = { works: 0, files: 0, web: 0, others: 0, ends: 0 };
  for (const name of toolNames) counts[kindOf(name)] += 1;
  return counts;
}

type ToolKind = 'works' | 'files' | 'web' | 'others' | 'ends';

function toolKind(toolName: string): ToolKind {
  const local = localName(toolName);
  const name = local.toLowerCase().replace(/[^\p{L}\d]/gu, '');
  if (WORK_TOOLS.has(name)) return 'works';
  if (FILE_TOOLS.has(name)) return 'files';
  if (WEB_TOOLS.has(name) || BROWSER_PREFIX.test(local)) return 'web';
  return looksLikeFinalStep(toolName) ? 'ends' : 'others';
}

function hasDialogue({ turns, partOf }: Session): boolean {
  // A sub-agent's user is another agent.
  if (partOf !== undefined) return false;
  // Some programs send the same message again after each tool result.
  return new Set(turns.map(({ input }) => input?.trim() ?? '').filter((text) => text !== '')).size > 1;
}
