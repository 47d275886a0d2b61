import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import manifestJson from '../../../package.json' with { type: 'json' };
import words from '../../../package.nls.json' with { type: 'json' };

export const root = join(import.meta.dirname, '..', '..', '..');

const word = z.string().regex(/^%[\w.]+%$/);
const command = z.strictObject({
  command: z.string().startsWith('turnwise.'),
  category: z.literal('Turnwise'),
  title: z.string().regex(/^%command\.\w+\.title%$/),
  icon: z.string().optional(),
  enablement: z.string().optional(),
});
const menuItem = z.strictObject({ command: z.string(), group: z.string().optional(), when: z.string() });
const view = z.strictObject({
  id: z.string().startsWith('turnwise.'),
  name: word,
  icon: z.string(),
  visibility: z.literal('collapsed').optional(),
});
const setting = z.object({ scope: z.literal('window'), default: z.unknown(), markdownDescription: word });

const walkthrough = z.strictObject({
  id: z.string(),
  title: word,
  description: word,
  steps: z.array(
    z.strictObject({
      id: z.string(),
      title: word,
      description: word,
      media: z.strictObject({ image: z.string(), altText: word }),
      completionEvents: z.array(z.string()).min(1),
    }),
  ),
});

const customEditor = z.strictObject({
  viewType: z.string().startsWith('turnwise.'),
  displayName: word,
  selector: z.array(z.strictObject({ filenamePattern: z.string().regex(/^\*\.\w+$/) })).min(1),
  priority: z.enum(['default', 'option']),
});

const tool = z.strictObject({
  name: z.string().startsWith('turnwise_'),
  toolReferenceName: z.string().startsWith('turnwise-'),
  displayName: word,
  userDescription: word,
  modelDescription: z.string(),
  canBeReferencedInPrompt: z.literal(true),
  icon: z.string().regex(/^\$\([\w-]+\)$/),
  when: z.string(),
  inputSchema: z.looseObject({ type: z.literal('object') }),
});

const validation = z.strictObject({
  fileMatch: z.union([z.string(), z.array(z.string())]),
  url: z.string().regex(/^\.\/dist\/[\w.]+\.schema\.json$/),
});

/** The manifest fields this project uses, stricter than VS Code's schema. */
const manifestSchema = z.object({
  main: z.string(),
  icon: z.string(),
  description: word,
  activationEvents: z.array(z.string()),
  extensionKind: z.tuple([z.literal('workspace')]),
  capabilities: z.strictObject({
    untrustedWorkspaces: z.strictObject({
      supported: z.literal('limited'),
      description: word,
      restrictedConfigurations: z.array(z.string()),
    }),
    virtualWorkspaces: z.strictObject({ supported: z.literal('limited'), description: word }),
  }),
  contributes: z.object({
    commands: z.array(command),
    configuration: z.strictObject({
      title: z.literal('Turnwise'),
      properties: z.record(z.string().startsWith('turnwise.'), setting),
    }),
    views: z.record(z.string(), z.array(view)),
    viewsContainers: z.strictObject({
      activitybar: z.array(z.strictObject({ id: z.string(), title: word, icon: z.string() })),
    }),
    viewsWelcome: z.array(z.strictObject({ view: z.string(), contents: word, when: z.string() })),
    walkthroughs: z.array(walkthrough),
    menus: z.record(z.string(), z.array(menuItem)),
    languageModelTools: z.array(tool),
    mcpServerDefinitionProviders: z.array(
      z.strictObject({ id: z.literal('turnwise'), label: z.literal('Turnwise'), when: z.string() }),
    ),
    customEditors: z.array(customEditor),
    jsonValidation: z.array(validation),
    yamlValidation: z.array(validation),
  }),
});
export const manifest = manifestSchema.parse(manifestJson);
/** Of all walkthroughs. */
export const steps = manifest.contributes.walkthroughs.flatMap((walkthrough) => walkthrough.steps);
export const commandNames: ReadonlySet<string> = new Set(
  manifest.contributes.commands.map(({ command: name }) => name),
);
/** A file of the extension. */
export const source = (file: string) => readFileSync(join(root, 'src', 'extension', file), 'utf8');
const texts: Readonly<Record<string, string>> = words;
/** The text of a `%placeholder%`. */
export const textOf = (placeholder: string): string => texts[placeholder.replaceAll('%', '')] ?? placeholder;
