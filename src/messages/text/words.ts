/** Words that are worth a second spelling, without case and accents: 4 to 32 letters of scripts with blanks between words. */
const WORDS = /[\p{Ll}]{4,32}/gu;
const SEAM = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu;

/** A text as words are compared: without case and accents. */
export function folded(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
}

/** The words of a text, each once; those within a name (`createMessage`) too. */
export function wordsOfText(text: string): Set<string> {
  const words = new Set(folded(text).match(WORDS));
  if (/\p{Ll}\p{Lu}/u.test(text)) for (const word of folded(text.replace(SEAM, ' ')).match(WORDS) ?? []) words.add(word);
  return words;
}
