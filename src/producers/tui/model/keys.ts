import { FACETS } from './facets.ts';
import type { Focus, TuiState } from './state.ts';

/** A key where it works, what it does (a name in actions.ts, or the session's `more`, `again`, `quit`), and its word in the help. */
export interface Binding {
  readonly focus: readonly Focus[];
  readonly keys: readonly string[];
  readonly action: string;
  /** For the line at the bottom: `↑↓ move`. Only the first of a group has one. */
  readonly short?: string;
  readonly help?: string;
}

const EVERYWHERE = ['query', 'results', 'preview'] as const;
const LISTS = ['results', 'preview'] as const;

const FACET_HELP = `${FACETS.map(({ key }) => key).join(' ')}: next value of a facet, in upper case the one before; x: all as at the start`;

/** All keys. They need no function key, no Alt and no mouse, so that they arrive over SSH and in tmux. */
export const BINDINGS: readonly Binding[] = [
  { focus: EVERYWHERE, keys: ['tab'], action: 'focus.next', short: 'Tab part', help: 'Tab, Shift-Tab: query, results, preview' },
  { focus: EVERYWHERE, keys: ['shift+tab'], action: 'focus.back' },
  { focus: ['query'], keys: ['enter', 'down'], action: 'focus.results', short: '↓ results', help: 'Enter or ↓ in the query: to the results' },
  { focus: ['query'], keys: ['left', 'ctrl+b'], action: 'edit.left' },
  { focus: ['query'], keys: ['right', 'ctrl+f'], action: 'edit.right' },
  { focus: ['query'], keys: ['home', 'ctrl+a'], action: 'edit.home' },
  { focus: ['query'], keys: ['end', 'ctrl+e'], action: 'edit.end' },
  { focus: ['query'], keys: ['backspace', 'ctrl+h'], action: 'edit.backspace' },
  { focus: ['query'], keys: ['ctrl+w'], action: 'edit.cutWord', help: 'Ctrl-W, Ctrl-U, Ctrl-K in the query: cut the word, what is before, what is after' },
  { focus: ['query'], keys: ['ctrl+u'], action: 'edit.cutBefore' },
  { focus: ['query'], keys: ['ctrl+k'], action: 'edit.cutAfter' },
  { focus: ['query'], keys: ['escape'], action: 'edit.clear', short: 'Esc clear', help: 'Esc: clears the query; from elsewhere: back to the query' },
  { focus: LISTS, keys: ['/', 'escape'], action: 'focus.query', short: '/ query' },
  {
    focus: ['results'],
    keys: ['up', 'k'],
    action: 'select.up',
    short: '↑↓ move',
    help: '↑ ↓ (k j), PgUp PgDn, g G: through the results; at their end the next page is fetched',
  },
  { focus: ['results'], keys: ['down', 'j'], action: 'select.down' },
  { focus: ['results'], keys: ['pageup'], action: 'select.pageUp' },
  { focus: ['results'], keys: ['pagedown', ' '], action: 'select.pageDown' },
  { focus: ['results'], keys: ['home', 'g'], action: 'select.first' },
  { focus: ['results'], keys: ['end', 'G'], action: 'select.last' },
  { focus: ['results'], keys: ['enter', 'right'], action: 'focus.preview', short: 'Enter read', help: 'Enter or → reads the selected one, ← comes back' },
  { focus: ['preview'], keys: ['up', 'k'], action: 'scroll.up', short: '↑↓ scroll' },
  { focus: ['preview'], keys: ['down', 'j'], action: 'scroll.down' },
  { focus: ['preview'], keys: ['pageup'], action: 'scroll.pageUp' },
  { focus: ['preview'], keys: ['pagedown', ' '], action: 'scroll.pageDown' },
  { focus: ['preview'], keys: ['home', 'g'], action: 'scroll.first' },
  { focus: ['preview'], keys: ['end', 'G'], action: 'scroll.last' },
  { focus: ['preview'], keys: ['left', 'enter'], action: 'focus.results', short: '← results' },
  ...FACETS.flatMap(({ name, key }): Binding[] => [
    { focus: LISTS, keys: [key], action: `facet.${name}.next` },
    { focus: LISTS, keys: [key.toUpperCase()], action: `facet.${name}.back` },
  ]),
  { focus: LISTS, keys: ['x'], action: 'facet.none', short: 'x reset', help: FACET_HELP },
  { focus: LISTS, keys: ['n'], action: 'more', help: 'n: the next page' },
  { focus: LISTS, keys: ['r'], action: 'again', help: 'r: search again' },
  { focus: LISTS, keys: ['e'], action: 'overlay.explain', short: 'e explain', help: 'e: how the search was done, and all hints' },
  { focus: LISTS, keys: ['?'], action: 'overlay.help', short: '? help' },
  { focus: LISTS, keys: ['q'], action: 'quit', short: 'q quit', help: 'q, or Ctrl-C anywhere: quit' },
  { focus: EVERYWHERE, keys: ['ctrl+c'], action: 'quit' },
];

const HELP_LINES = BINDINGS.flatMap(({ help }) => (help === undefined ? [] : [help]));

export const helpLines = (): readonly string[] => HELP_LINES;

const OVERLAY_KEYS: Readonly<Record<string, string>> = {
  up: 'overlay.up',
  k: 'overlay.up',
  down: 'overlay.down',
  j: 'overlay.down',
  pageup: 'overlay.pageUp',
  pagedown: 'overlay.pageDown',
  ' ': 'overlay.pageDown',
};

/** What a key does in a state; undefined: nothing, and in the query box it is typed. */
export function actionOf(state: TuiState, key: string): string | undefined {
  // What lies over the screen is scrolled, and goes away with any other key.
  if (state.overlay !== 'none' && key !== 'ctrl+c') return OVERLAY_KEYS[key] ?? 'overlay.none';
  return BINDINGS.find(({ focus, keys }) => focus.includes(state.focus) && keys.includes(key))?.action;
}

/** The keys that matter most where one is; how to leave and where to find the others comes first, because narrow terminals cut the end. */
export function keyLine(focus: Focus): string {
  const words = BINDINGS.flatMap(({ focus: where, short }) => (short !== undefined && where.includes(focus) ? [short] : []));
  return (focus === 'query' ? ['Ctrl-C quit', ...words] : [...words.slice(-2).reverse(), ...words.slice(0, -2)]).join('  ');
}
