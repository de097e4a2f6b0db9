import { OVERLAY_TITLES, overlayLines, overlayTopOf } from '../model/overlay.ts';
import type { TuiState } from '../model/state.ts';
import { fitted, type Line, rule, span } from './spans.ts';

/** The overlay over the results, in exactly `rows` lines with its rule. */
export function overlay(state: TuiState, rows: number, width: number): Line[] {
  const lines = overlayLines(state);
  const top = overlayTopOf(state);
  const room = rows - 1;
  const place = lines.length <= room ? '' : `${top + 1}–${Math.min(lines.length, top + room)} of ${lines.length}`;
  return [rule(OVERLAY_TITLES[state.overlay], width, true, place), ...Array.from({ length: room }, (_, at) => fitted([span(lines[top + at] ?? '')], width))];
}
