/**
 * Estimates the tokens of a text by the scripts that it is written in. Tokenizers differ by a quarter and more, and code, figures
 * and rare languages deviate further. For budgets and for detecting truncated prompts, not for bills.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  let previous = -1;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    // Tokenizers have tokens for runs of one character: lines of dashes, indentation.
    tokens += unit === previous ? tokenWeight(unit) / 8 : tokenWeight(unit);
    previous = unit;
  }
  return Math.ceil(tokens);
}

/** Tokens per UTF-16 code unit. */
function tokenWeight(unit: number): number {
  // English: about four characters per token, with the space before a word.
  if ((unit >= 0x61 && unit <= 0x7a) || (unit >= 0x41 && unit <= 0x5a) || unit === 0x20) return 0.22;
  if (unit >= 0x30 && unit <= 0x39) return 0.4;
  if (unit < 0x80) return 0.5;
  // Accented Latin, Greek, Cyrillic, Hebrew, Arabic; then the scripts of India and South-East Asia.
  if (unit < 0x0900) return 0.4;
  if (unit < 0x1100) return 0.6;
  // Half an emoji or rare sign.
  if (unit >= 0xd800 && unit <= 0xdfff) return 1;
  // Chinese, Japanese and Korean.
  if (unit >= 0x2e80) return 0.9;
  return 0.6;
}
