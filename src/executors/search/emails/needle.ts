import { isUtf8 } from 'node:buffer';
import type { DecodedPart } from './part-text.ts';

/** A query, prepared for searching bytes. */
export interface Needle {
  readonly query: string;
  /**
   * Whether the bytes alone prove that the part's text has no share in a match. May say false without reason, never true:
   * decoding is the truth, this only spares it.
   */
  rulesOut(part: DecodedPart): boolean;
  /** The same of a header field as it stands, folded, one character for each byte. */
  rulesOutField(raw: string): boolean;
}

/**
 * Why a match always leaves its bytes behind: the charsets concerned write ASCII as ASCII, UTF-8 text and bytes match
 * alike, and between bytes and text only carriage returns and (format=flowed without DelSp) line breaks, quote marks and
 * stuffing next to spaces are lost, and texts of several parts are joined by a line break. So without white space in it a
 * piece of the query stays in one piece, inside of one part.
 */
export function createNeedle(query: string): Needle {
  const run = longestRun(query);
  const runBytes = Buffer.from(run);
  // Blanks other than line breaks are safe as well where lines stay as they are.
  const wholeBytes = /[\r\n]/.test(query) ? runBytes : Buffer.from(query);
  const isAscii = runBytes.length === run.length && wholeBytes.length === (wholeBytes === runBytes ? run : query).length;
  // Decoders put U+FFFD in place of any broken bytes.
  const isProvable = run !== '' && !query.includes('�');

  function rulesOut({ bytes, charset, flowed }: DecodedPart): boolean {
    if (!isProvable || flowed === 'del-sp' || charset.family === 'opaque') return false;
    if (!isAscii && charset.family === 'ascii-based') return false;
    if (bytes.includes(flowed === 'no' ? wholeBytes : runBytes)) return false;
    return isAscii || charset.family === 'utf-8' || isUtf8(bytes);
  }

  const runLatin1 = runBytes.toString('latin1');

  /** Where lines are joined a blank follows, so no piece without white space lies across. Only encoded words hide characters. */
  function rulesOutField(raw: string): boolean {
    if (!isProvable || raw.includes('=?') || raw.includes(runLatin1)) return false;
    return isAscii || !ABOVE_ASCII.test(raw);
  }

  return { query, rulesOut, rulesOutField };
}

const ABOVE_ASCII = /[\u0080-\u00ff]/;

/** The longest piece without white space; U+FEFF counts as such, decoders drop it at the beginning. */
function longestRun(query: string): string {
  return query.split(/\s+/).reduce((longest, piece) => (piece.length > longest.length ? piece : longest), '');
}
