/** The title of a problem within a sentence; one that begins with an abbreviation keeps its capitals. */
export function inSentence(title: string): string {
  return /^\p{Lu}\p{Lu}/u.test(title) ? title : title.charAt(0).toLowerCase() + title.slice(1);
}
