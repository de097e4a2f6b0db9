import type { Kept } from './kept.ts';
import { isMet, wantedOf } from './wanted.ts';

/** Of the scale, which is one of powers of ten. */
const [LEAST, MOST] = [0.01, 1000];
const [WIDTH, LEFT, RIGHT, ROW, TOP] = [960, 360, 30, 22, 56];

/** Every ratio as a point with its range, what is wanted as a stroke. */
export function chartOf(reports: readonly (readonly [string, Kept])[]): string {
  const rows = reports.flatMap(([suite, { ratios }]) => Object.entries(ratios).map(([ratio, spread]) => ({ suite, ratio, ...spread })));
  const height = TOP + rows.length * ROW + 20;
  const drawn = rows.map(({ suite, ratio, median, min, max }, index) => {
    const y = TOP + index * ROW + ROW / 2;
    const wanted = wantedOf(suite, ratio);
    const colour = wanted === undefined ? '#475569' : isMet(ratio, median, wanted) ? '#15803d' : '#b91c1c';
    const goal = wanted === undefined ? '' : `<line x1="${at(wanted)}" x2="${at(wanted)}" y1="${y - 8}" y2="${y + 8}" stroke="#0f172a" stroke-width="2"/>`;
    return (
      `<text x="${LEFT - 12}" y="${y + 4}" text-anchor="end">${suite}: ${ratio.replace('.speed_vs_', ' : ').replace('.size_vs_', ', size : ')}</text>` +
      `<line x1="${at(min)}" x2="${at(max)}" y1="${y}" y2="${y}" stroke="${colour}" stroke-width="4" stroke-opacity="0.4"/>${goal}` +
      `<circle cx="${at(median)}" cy="${y}" r="5" fill="${colour}"/>`
    );
  });
  const title = 'Writ : its peer; 1 is level. Stroke: wanted. Green: met. Red: missed.';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12"><title>${title}</title><rect width="100%" height="100%" fill="#fff"/><text x="10" y="20" font-weight="bold" font-size="14">${title}</text>${grid(height)}${drawn.join('')}</svg>\n`;
}

function grid(height: number): string {
  const powers = Array.from({ length: Math.log10(MOST / LEAST) + 1 }, (_, index) => LEAST * 10 ** index);
  return powers
    .map((value) => {
      const stroke = Math.abs(value - 1) < 1e-9 ? '#0f172a' : '#cbd5e1';
      const label = `<text x="${at(value)}" y="${TOP - 10}" text-anchor="middle">${Number(value.toPrecision(1))}</text>`;
      return `${label}<line x1="${at(value)}" x2="${at(value)}" y1="${TOP - 4}" y2="${height - 12}" stroke="${stroke}"/>`;
    })
    .join('');
}

/** Where a ratio stands; those beyond the scale stand at its ends. */
function at(ratio: number): number {
  const share = Math.log10(Math.min(MOST, Math.max(LEAST, ratio)) / LEAST) / Math.log10(MOST / LEAST);
  return Math.round(LEFT + share * (WIDTH - LEFT - RIGHT));
}
