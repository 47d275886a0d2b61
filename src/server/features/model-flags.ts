import type { ConfigFlags } from '../../config/flags.ts';
import { EDITOR_PROVIDER } from '../../core/editor-models.ts';
import { MODEL_PROVIDERS } from '../../core/model-providers.ts';
import type { EmbedderChoice, JudgeChoice } from '../../protocol/models.ts';

/** As on the command line: settings for another server do not apply. */
export function judgeFlags(chosen: JudgeChoice): Pick<ConfigFlags, 'judge' | 'judgeUrl'> {
  if (chosen.provider === 'rules') return { judge: chosen.provider };
  const judge = `${chosen.provider}:${chosen.model}`;
  if (chosen.provider === EDITOR_PROVIDER) return { judge };
  return { judge, judgeUrl: chosen.baseUrl ?? MODEL_PROVIDERS[chosen.provider].defaultBaseUrl };
}

/** As `judgeFlags`. */
export function embedderFlags(chosen: EmbedderChoice): Pick<ConfigFlags, 'embedder' | 'embedderUrl'> {
  if (chosen.provider === 'lexical') return { embedder: chosen.provider };
  const embedder = `${chosen.provider}:${chosen.model}`;
  if (chosen.provider === 'static') return { embedder };
  return { embedder, embedderUrl: chosen.baseUrl ?? MODEL_PROVIDERS[chosen.provider].defaultBaseUrl };
}
