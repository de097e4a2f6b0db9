import { actionOf } from './keys.ts';
import { layoutOf } from './layout.ts';
import { isList } from './lists.ts';
import type { TuiState } from './state.ts';

/** What a mouse did, and where: column and line from 0. */
export interface Pointer {
  readonly kind: 'click' | 'wheelUp' | 'wheelDown';
  readonly column: number;
  readonly line: number;
}

/** A part of the screen under a pointer; of the results the place in the whole list, where a result stands there. */
export type Place = { readonly part: 'query' | 'preview' | 'overlay' | 'nothing' } | { readonly part: 'results'; readonly result: number | undefined };

/** Lines above the middle of the screen: title, query, facets. */
const QUERY_LINE = 1;
const ABOVE = 4;
/** A turn of the wheel moves by so much. */
const WHEEL = 3;

export function placeAt(state: TuiState, { column, line }: Pick<Pointer, 'column' | 'line'>): Place {
  const { height, listWidth, listRows, beside, previewRows } = layoutOf(state);
  if (state.overlay !== 'none') return { part: 'overlay' };
  if (line === QUERY_LINE) return { part: 'query' };
  // Hints and keys are the last three lines.
  if (line < ABOVE || line >= height - 3) return { part: 'nothing' };
  const isAlone = !beside && previewRows === 0;
  if (isAlone ? state.focus === 'preview' : beside ? column >= listWidth : line > ABOVE + listRows) return { part: 'preview' };
  const top = Math.floor(state.selected / listRows) * listRows;
  const result = top + line - ABOVE - 1;
  return { part: 'results', result: line > ABOVE && result < (state.found?.results.length ?? 0) ? result : undefined };
}

/** What a mouse asks for: a result to select, and actions as keys have them. */
export interface Pointed {
  readonly select?: number;
  readonly actions: readonly string[];
}

/** A click selects and goes there, a second one on a result reads it; the wheel moves what is under it, wherever the focus is. */
export function pointedAt(state: TuiState, pointer: Pointer): Pointed {
  const place = placeAt(state, pointer);
  return pointer.kind === 'click' ? clicked(state, place) : { actions: wheeled(state, place, pointer.kind === 'wheelUp' ? 'up' : 'down') };
}

function clicked(state: TuiState, place: Place): Pointed {
  if (place.part === 'query') return { actions: ['focus.query'] };
  if (place.part === 'preview') return { actions: ['focus.preview'] };
  if (place.part !== 'results' || place.result === undefined) return { actions: [] };
  if (state.focus !== 'query' && place.result === state.selected) return { actions: ['focus.preview'] };
  return { select: place.result, actions: ['focus.results'] };
}

function wheeled(state: TuiState, { part }: Place, way: 'up' | 'down'): readonly string[] {
  if (part === 'preview') return turns(`scroll.${way}`);
  // From the first result the key goes up into the query; a wheel stays.
  if (part === 'results') return state.selected === 0 && way === 'up' ? [] : turns(`select.${way}`, way === 'up' ? state.selected : WHEEL);
  if (part !== 'overlay' || state.overlay === 'save') return [];
  return turns(actionOf(state, way) ?? 'overlay.none', isList(state.overlay) ? 1 : WHEEL);
}

function turns(action: string, most = WHEEL): readonly string[] {
  return Array.from({ length: Math.min(WHEEL, most) }, () => action);
}
