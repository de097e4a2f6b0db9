import type { PlanStepRecord } from '../../../contracts/index.ts';
import { duration } from '../../../core/units.ts';
import { type Html, html, visible } from './html.ts';

const WIDTH = 1100;
const NAMES = 260;
const ROW = 26;
const LABEL = 34;
/** Steps that are drawn; the table has all. */
const MAX_DRAWN = 100;

/** The steps as bars from the beginning of their turn to their end. The table beside it says the same in words. */
export function drawTimeline(all: readonly PlanStepRecord[]): Html {
  const steps = all
    .slice(0, MAX_DRAWN)
    .flatMap((step) =>
      step.since === undefined || step.ended_at === undefined ? [] : [{ ...step, from: Date.parse(step.since), to: Date.parse(step.ended_at) }],
    );
  if (steps.length === 0) return html`<p>The times of these steps were not kept.</p>`;
  const start = Math.min(...steps.map(({ from }) => from));
  const whole = Math.max(1, Math.max(...steps.map(({ to }) => to)) - start);
  const scale = (WIDTH - NAMES - 100) / whole;
  const bars = steps.map(({ path, capability_id, from, to, state, voided }, at) => {
    const y = at * ROW + 6;
    const x = NAMES + Math.max(0, from - start) * scale;
    const width = Math.max(2, (to - from) * scale);
    return html`<text x="8" y="${y + 13}">${labelOf(path, capability_id)}</text><rect class="bar ${state}${voided ? ' voided' : ''}" x="${round(x)}" y="${y}" width="${round(width)}" height="${ROW - 10}" rx="3"></rect><text class="quiet" x="${round(x + width + 6)}" y="${y + 13}">${duration(to - from)}</text>`;
  });
  return svg(`Timeline of ${steps.length} steps over ${duration(whole)}`, steps.length * ROW + 10, bars);
}

const BOX = { width: 330, height: 34, gap: 14, indent: 46 } as const;

/** The steps as they follow one another; what lies within another stands to its right. */
export function drawGraph(all: readonly PlanStepRecord[]): Html {
  const steps = all.slice(0, MAX_DRAWN);
  const depths = steps.map(({ path }) => Math.min(12, path.split(/[.#!]/).length - 1));
  const place = (at: number): { x: number; y: number } => ({ x: 12 + (depths[at] ?? 0) * BOX.indent, y: 10 + at * (BOX.height + BOX.gap) });
  const nodes = steps.map(({ path, capability_id, state, voided, since, ended_at }, at) => {
    const { x, y } = place(at);
    const time = since === undefined || ended_at === undefined ? '' : duration(Date.parse(ended_at) - Date.parse(since));
    const before = at === 0 ? undefined : place(at - 1);
    const edge = before && html`<path class="edge" d="M${before.x + 16} ${before.y + BOX.height} V${y - BOX.gap / 2} H${x + 16} V${y}"></path>`;
    return html`${edge}<rect class="box ${state}${voided ? ' voided' : ''}" x="${x}" y="${y}" width="${BOX.width}" height="${BOX.height}" rx="6"></rect><text x="${x + 10}" y="${y + 21}">${labelOf(path, capability_id)}</text><text class="quiet" x="${x + BOX.width + 8}" y="${y + 21}">${time}${voided ? ' voided' : ''}</text>`;
  });
  return svg(`Graph of ${steps.length} steps`, steps.length * (BOX.height + BOX.gap) + 14, nodes);
}

function labelOf(path: string, capability: string | undefined): string {
  return visible(`${path}  ${capability ?? ''}`, LABEL);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function svg(label: string, height: number, inner: readonly Html[]): Html {
  return html`<div class="wide" role="region" aria-label="${label}" tabindex="0"><svg role="img" aria-label="${label}" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}">${inner}</svg></div>`;
}
