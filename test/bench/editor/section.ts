/** The bench writes the text between these markers; people write the rest. */
const BEGIN = '<!-- figures of the editor: written by npm run bench:editor -->';
const END = '<!-- end of the figures of the editor -->';

const HEADING = '## In the editor';

/** Replaces the figures in the document. Appends a section with them if it has none. */
export function withFigures(document: string, figures: string): string {
  const block = `${BEGIN}\n\n${figures.trim()}\n\n${END}`;
  const [begin, end] = [document.indexOf(BEGIN), document.indexOf(END)];
  if (begin >= 0 && end > begin) return document.slice(0, begin) + block + document.slice(end + END.length);
  return `${document.trimEnd()}\n\n${HEADING}\n\n${block}\n`;
}
