import type { RunInfo } from '../../core/report.ts';
import { usageText } from '../model-usage.ts';
import { wrap } from '../terminal-text.ts';
import type { TableStyle } from './style.ts';

/** Calls and tokens of the run's models; empty if none was called. */
export function* usageLines({ judge, embedder, usage }: RunInfo, style: TableStyle): Generator<string> {
  const usesJudge = usage.judgeCalls + usage.judgeCallsCached > 0;
  const embeds = embedder && embedder.provider !== 'lexical' && usage.embeddedTexts > 0;
  const parts = [
    usesJudge ? `${judgeNames(judge, usage)}: ${usageText(usage)}` : '',
    embeds
      ? `${embedder.provider}/${embedder.model}: ${usage.embeddedTexts.toLocaleString('en-US')} texts embedded`
      : '',
  ].filter((part) => part !== '');
  if (parts.length === 0) return;
  yield '';
  for (const [index, line] of wrap(parts.join('; '), style.columns - TITLE.length - 2).entries()) {
    yield `${index === 0 ? style.paint(TITLE, 'strong') : ' '.repeat(TITLE.length)}  ${line}`;
  }
}

const TITLE = 'Models';

/** `openai/m`; for several models, with the calls of each. */
function judgeNames(judge: RunInfo['judge'], { judgeCallsOf }: RunInfo['usage']): string {
  if (judgeCallsOf) {
    return Object.entries(judgeCallsOf)
      .map(([name, calls]) => `${name} ${calls.toLocaleString('en-US')}`)
      .join(', ');
  }
  return judge ? `${judge.provider}/${judge.model}` : 'judges of single metrics';
}
