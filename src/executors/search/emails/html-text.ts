/**
 * What somebody would read of an HTML mail: tags and what is not shown left out, blocks on lines of their own, entities
 * decoded. No parser: it is for finding words, and its answer is text that nobody renders. Linear in its input.
 */
export function textOfHtml(html: string): string {
  return withoutHidden(html)
    .replaceAll(BREAKS, '\n')
    .replaceAll(TAG, ' ')
    .replaceAll(ENTITY, entity)
    .replaceAll(/[^\S\n]+/g, ' ')
    .replaceAll(/ ?\n[ \n]*/g, '\n')
    .trim();
}

const BREAKS = /<\/?(?:p|div|br|tr|li|h[1-6]|table|blockquote|ul|ol|pre|hr)(?=[\s/>])[^<>]{0,2000}>/gi;
const TAG = /<[a-z/!?][^<>]{0,10000}>/gi;
const ENTITY = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi;
const HIDDEN = /<(style|script|head|title|!--)(?=[\s>]|(?<=!--))/gi;

/** Styles, scripts and comments end where their end is, or at the end of the text. */
function withoutHidden(html: string): string {
  let kept = '';
  let at = 0;
  for (HIDDEN.lastIndex = 0; ; ) {
    const found = HIDDEN.exec(html);
    if (found === null) return kept + html.slice(at);
    kept += html.slice(at, found.index);
    const name = found[1]?.toLowerCase() ?? '';
    const close = name === '!--' ? /-->/g : new RegExp(`</${name}[^>]{0,100}>`, 'gi');
    close.lastIndex = HIDDEN.lastIndex;
    if (close.exec(html) === null) return kept;
    at = close.lastIndex;
    HIDDEN.lastIndex = at;
  }
}

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  copy: '©',
  euro: '€',
};

function entity(whole: string, decimal: string | undefined, hex: string | undefined, name: string | undefined): string {
  if (name !== undefined) return NAMED[name.toLowerCase()] ?? whole;
  const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
  const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : '\ufffd';
}
