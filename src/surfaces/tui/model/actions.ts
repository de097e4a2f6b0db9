import { EDITS } from './edit.ts';
import { FACETS, type FacetSource, NO_FACETS, turned } from './facets.ts';
import { layoutOf } from './layout.ts';
import { rowsToPick } from './lists.ts';
import { overlayTopOf } from './overlay.ts';
import { previewOf } from './preview.ts';
import { FOCUSES, selectedResult, type TuiState } from './state.ts';

type Step = (state: TuiState) => TuiState;

/** Actions of keys on the state. Those that need the search itself (next page, again, quit) are in the session. */
export const ACTIONS: Readonly<Record<string, Step>> = {
  ...Object.fromEntries(Object.entries(EDITS).map(([name, edit]): [string, Step] => [`edit.${name}`, (state) => ({ ...state, ...edit(state) })])),
  ...Object.fromEntries(
    FACETS.flatMap((row): [string, Step][] => [
      [`facet.${row.name}.next`, (state) => ({ ...state, facets: turned(state.facets, row, 1, sourceOf(state)) })],
      [`facet.${row.name}.back`, (state) => ({ ...state, facets: turned(state.facets, row, -1, sourceOf(state)) })],
    ]),
  ),
  ...Object.fromEntries(Object.entries(EDITS).map(([name, edit]): [string, Step] => [`name.${name}`, (state) => ({ ...state, naming: edit(state.naming) })])),
  'facet.none': (state) => ({ ...state, facets: NO_FACETS }),
  'focus.next': (state) => ({ ...state, focus: beside(state, 1) }),
  'focus.back': (state) => ({ ...state, focus: beside(state, -1) }),
  'focus.query': (state) => ({ ...state, focus: 'query' }),
  'focus.results': (state) => ({ ...state, focus: 'results' }),
  'focus.preview': (state) => ({ ...state, focus: 'preview' }),
  'select.up': (state) => (state.selected === 0 ? { ...state, focus: 'query' } : select(state, state.selected - 1)),
  'select.down': (state) => select(state, state.selected + 1),
  'select.pageUp': (state) => select(state, state.selected - layoutOf(state).listRows),
  'select.pageDown': (state) => select(state, state.selected + layoutOf(state).listRows),
  'select.first': (state) => select(state, 0),
  'select.last': (state) => select(state, Number.MAX_SAFE_INTEGER),
  'scroll.up': (state) => scroll(state, -1),
  'scroll.down': (state) => scroll(state, 1),
  'scroll.pageUp': (state) => scroll(state, -layoutOf(state).previewRows),
  'scroll.pageDown': (state) => scroll(state, layoutOf(state).previewRows),
  'scroll.first': (state) => ({ ...state, scroll: 0 }),
  'scroll.last': (state) => scroll(state, Number.MAX_SAFE_INTEGER),
  'overlay.help': (state) => ({ ...state, overlay: 'help', overlayTop: 0 }),
  'overlay.explain': (state) => ({ ...state, overlay: 'explain', overlayTop: 0 }),
  'overlay.link': (state) => ({ ...state, overlay: 'link', overlayTop: 0 }),
  'overlay.none': (state) => ({ ...state, overlay: 'none' }),
  'pick.up': (state) => pick(state, -1),
  'pick.down': (state) => pick(state, 1),
  'overlay.up': (state) => scrollOverlay(state, -1),
  'overlay.down': (state) => scrollOverlay(state, 1),
  'overlay.pageUp': (state) => scrollOverlay(state, -layoutOf(state).overlayRows),
  'overlay.pageDown': (state) => scrollOverlay(state, layoutOf(state).overlayRows),
};

/** The current source of the values of facets. */
export function sourceOf(state: TuiState): FacetSource {
  return { places: state.places, thread: selectedResult(state)?.thread_id };
}

/** The first visible line of the preview. */
export function scrollOf(state: TuiState): number {
  const result = selectedResult(state);
  if (result === undefined || state.found === undefined) return 0;
  const { previewWidth, previewRows } = layoutOf(state);
  const { lines, match } = previewOf(result, state.found.text, previewWidth);
  const most = Math.max(0, lines.length - previewRows);
  // One line before the match is shown, too.
  return Math.max(0, Math.min(most, state.scroll ?? (match < previewRows ? 0 : match - 1)));
}

/** Selects a result by its place in the list, or the one that is nearest to it. */
export function select(state: TuiState, wanted: number): TuiState {
  const last = (state.found?.results.length ?? 0) - 1;
  const selected = Math.max(0, Math.min(last, wanted));
  return selected === state.selected ? state : { ...state, selected, scroll: undefined };
}

function scroll(state: TuiState, by: number): TuiState {
  const moved = { ...state, scroll: scrollOf(state) + by };
  return { ...moved, scroll: scrollOf(moved) };
}

function pick(state: TuiState, by: number): TuiState {
  return { ...state, picked: Math.max(0, Math.min(rowsToPick(state) - 1, state.picked + by)) };
}

function scrollOverlay(state: TuiState, by: number): TuiState {
  return { ...state, overlayTop: overlayTopOf({ ...state, overlayTop: overlayTopOf(state) + by }) };
}

function beside({ focus }: TuiState, by: 1 | -1): TuiState['focus'] {
  return FOCUSES[(FOCUSES.indexOf(focus) + by + FOCUSES.length) % FOCUSES.length] ?? 'query';
}
