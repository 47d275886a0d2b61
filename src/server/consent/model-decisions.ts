import { ConsentFile } from '../../store/consent-file.ts';
import { dataFolder, type Environment } from '../../store/home.ts';
import { createEditor, type Editor } from '../editor.ts';
import { Consent } from './consent.ts';

/** The editor of a connection, and the user's decisions in it. */
export interface ModelDecisions {
  readonly editor: Editor;
  readonly consent: Consent;
}

export function createModelDecisions(
  connection: Parameters<typeof createEditor>[0],
  env: Environment = process.env,
): ModelDecisions {
  const editor = createEditor(connection);
  return { editor, consent: new Consent(new ConsentFile(dataFolder(env)), editor.choose) };
}
