import { memoize } from '../../core/cache/memoize.ts';
import { localName, looksLikeFinalStep } from './tool-effect.ts';

/** Tools of coding agents that run commands or edit files, in lower case without punctuation. */
const WORK_TOOLS = new Set(
  (
    'bash executebash runbash shell shellcommand runshell runshellcommand localshell terminal computerterminal exec execcommand executecommand ' +
    'runcommand runterminalcmd runinterminal cmd powershell python executepython runpython pythonrepl executecode ' +
    'runcode codeexecution codeinterpreter executeipythoncell ipython notebookedit ' +
    'edit multiedit editfile fileedit searchreplace strreplaceeditor strreplacebasededittool applypatch applydiff replaceinfile ' +
    'insertedit inserteditintofile write writefile writetofile filewrite createfile deletefile'
  ).split(' '),
);

/** Tools of coding agents that read files. */
const BROWSE_TOOLS = new Set(
  (
    'read readfile readmanyfiles viewfile fileread openfile open view glob grep globsearch grepsearch ls listdir listdirectory listfiles ' +
    'findfile searchfiles searchfile searchdir filesearch searchfilecontent codebasesearch'
  ).split(' '),
);

/** Whether most calls are those of a coding agent. Calls that end the work are not counted. */
export function looksLikeCodingAgent(toolNames: readonly string[]): boolean {
  const kindOf = memoize(kindOfTool);
  const count = { works: 0, looks: 0, ends: 0, others: 0 };
  for (const name of toolNames) count[kindOf(name)] += 1;
  return count.works > 0 && count.works + count.looks > count.others;
}

function kindOfTool(toolName: string): 'works' | 'looks' | 'ends' | 'others' {
  const name = localName(toolName)
    .toLowerCase()
    .replace(/[^\p{L}\d]/gu, '');
  if (WORK_TOOLS.has(name)) return 'works';
  if (BROWSE_TOOLS.has(name)) return 'looks';
  return looksLikeFinalStep(toolName) ? 'ends' : 'others';
}
