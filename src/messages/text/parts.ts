import { hasUnsegmented, pairsOf, runsOf } from './scripts.ts';

/**
 * What is indexed beside a text: the words within its names (`create Message Search` of `createMessageSearch`, `sha 256` of
 * `sha256`) and the pairs of letters of scripts without blanks. SQLite's own tokens are the whole runs (D235).
 */

/** A longer run is a hash or a key, and so is one of more pieces: these are no words that somebody would type apart. */
const LONGEST = 80;
const MAX_PIECES = 10;

/** Where a name is made of several words: a small letter before a large one, the last capital of several, and digits. */
const SEAMS = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/u;
/** A text without any of this has no parts; most have none. */
const MAY_HAVE_SEAMS = /\p{Ll}\p{Lu}|\p{Lu}\p{Lu}\p{Ll}|\p{L}\p{N}|\p{N}\p{L}/u;

/** The words of a name; one where it has no seam, or is no name. */
export function piecesOfName(run: string): readonly string[] {
  if (run.length > LONGEST) return [run];
  const pieces = run.split(SEAMS);
  return pieces.length > MAX_PIECES ? [run] : pieces;
}

/** The parts of a text with blanks between them, each name once; empty where it has none. */
export function partsOf(text: string): string {
  const isUnsegmented = hasUnsegmented(text);
  if (!isUnsegmented && !MAY_HAVE_SEAMS.test(text)) return '';
  const parts: string[] = [];
  const names = new Set<string>();
  for (const run of runsOf(text)) {
    if (run.isUnsegmented) parts.push(...pairsOf(run.text));
    else if (!names.has(run.text)) {
      names.add(run.text);
      const pieces = piecesOfName(run.text);
      if (pieces.length > 1 || run.isJoined) parts.push(...pieces);
    }
  }
  return parts.join(' ');
}

/** Members of an attachment, as JSON, that say how it is called, and its text where it has one. */
const TOLD = ['name', 'filename', 'file_name', 'path', 'title', 'text'] as const;

/** Names and texts of attachments, one a line; empty for what is no list of them. */
export function attachmentTexts(attachments: string): string {
  if (attachments === '[]' || attachments === '') return '';
  let list: unknown;
  try {
    list = JSON.parse(attachments);
  } catch {
    return '';
  }
  if (!Array.isArray(list)) return '';
  return list
    .flatMap((one: unknown) => (typeof one === 'object' && one !== null ? TOLD.map((key) => (one as Readonly<Record<string, unknown>>)[key]) : []))
    .filter((told) => typeof told === 'string')
    .join('\n');
}

/** Everything that is indexed of a message beside its subject and body: parts of the body, names and texts of attachments and their parts. */
export function bodyPartsOf(body: string, attachments: string): string {
  const attached = attachmentTexts(attachments);
  return [partsOf(body), attached, attached === '' ? '' : partsOf(attached)].filter((some) => some !== '').join('\n');
}
