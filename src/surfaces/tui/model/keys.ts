import { FACETS } from './facets.ts';
import { isList } from './lists.ts';
import type { Focus, TuiState } from './state.ts';

/** A key: where it works, its action (a name in actions.ts, or the session's `more`, `again`, `quit`), and its word in the help. */
export interface Binding {
  readonly focus: readonly Focus[];
  readonly keys: readonly string[];
  readonly action: string;
  /** The word in the bottom line, `↑↓ move`; only the first key of a group has one. */
  readonly short?: string;
  readonly help?: string;
}

const EVERYWHERE = ['query', 'results', 'preview'] as const;
const LISTS = ['results', 'preview'] as const;

const FACET_HELP = `${FACETS.map(({ key }) => key).join(' ')}: next value of a facet, in upper case the one before; x: all as at the start`;

/** All keys. None is a function key, none needs Alt, and all can be done without a mouse, so they work over SSH and in tmux. */
export const BINDINGS: readonly Binding[] = [
  { focus: EVERYWHERE, keys: ['tab'], action: 'focus.next', help: 'Tab, Shift-Tab: query, results, preview' },
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
    help: '↑ ↓ (k j), PgUp PgDn, g G: through the results; the end fetches more',
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
  { focus: LISTS, keys: ['x'], action: 'facet.none', help: FACET_HELP },
  { focus: LISTS, keys: ['n'], action: 'more', help: 'n: the next page; r: search again' },
  { focus: LISTS, keys: ['r'], action: 'again' },
  { focus: LISTS, keys: ['w'], action: 'save.open', short: 'w save', help: 'w: keeps this search; v: kept ones (Enter loads, p pins, d removes)' },
  {
    focus: LISTS,
    keys: ['v'],
    action: 'recipes.open',
    short: 'v saved',
  },
  { focus: LISTS, keys: ['h'], action: 'history.open', short: 'h past', help: 'h: past searches; y: the link of this search, for writ tui LINK' },
  { focus: LISTS, keys: ['y'], action: 'overlay.link', short: 'y link' },
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

/** Keys in a list to choose from. */
const PICK_KEYS: Readonly<Record<string, string>> = { up: 'pick.up', k: 'pick.up', down: 'pick.down', j: 'pick.down', enter: 'pick.load' };
const LIST_KEYS = { recipes: { p: 'pick.pin', d: 'pick.remove' }, history: {} } satisfies Record<string, Readonly<Record<string, string>>> as Readonly<
  Record<'recipes' | 'history', Readonly<Record<string, string>>>
>;

/** Keys in the box where a recipe gets its name. */
const SAVE_KEYS: Readonly<Record<string, string>> = {
  enter: 'save.done',
  escape: 'overlay.none',
  left: 'name.left',
  right: 'name.right',
  home: 'name.home',
  end: 'name.end',
  backspace: 'name.backspace',
  'ctrl+h': 'name.backspace',
  'ctrl+w': 'name.cutWord',
  'ctrl+u': 'name.cutBefore',
  'ctrl+k': 'name.cutAfter',
};

/** The bottom line of each overlay. */
export const OVERLAY_KEY_LINES: Readonly<Record<TuiState['overlay'], string>> = {
  none: '',
  help: '↑↓ scroll  any other key: back',
  explain: '↑↓ scroll  any other key: back',
  link: 'any key: back',
  save: 'Enter save  Esc back',
  recipes: '↑↓ choose  Enter load  p pin  d remove  any other key: back',
  history: '↑↓ choose  Enter search again  any other key: back',
};

/** The action of a key in a state; undefined: none, and in the query box the key is typed. */
export function actionOf(state: TuiState, key: string): string | undefined {
  // An overlay is scrolled, chosen from or typed into; any other key closes it.
  if (state.overlay === 'save' && key !== 'ctrl+c') return SAVE_KEYS[key];
  if (isList(state.overlay) && key !== 'ctrl+c') return LIST_KEYS[state.overlay][key] ?? PICK_KEYS[key] ?? 'overlay.none';
  if (state.overlay !== 'none' && key !== 'ctrl+c') return OVERLAY_KEYS[key] ?? 'overlay.none';
  return BINDINGS.find(({ focus, keys }) => focus.includes(state.focus) && keys.includes(key))?.action;
}

/** The most important keys in a focus. Quit and help come first, because narrow terminals cut the end. */
export function keyLine(focus: Focus): string {
  const words = BINDINGS.flatMap(({ focus: where, short }) => (short !== undefined && where.includes(focus) ? [short] : []));
  return (focus === 'query' ? ['Ctrl-C quit', ...words] : [...words.slice(-2).reverse(), ...words.slice(0, -2)]).join('  ');
}
