/** Times of single questions, by a name, for percentiles. */
export interface Figures {
  add(name: string, ms: number): void;
  set(name: string, value: number): void;
  /** Has the median of a name reported in microseconds for each of so many rows, too. */
  per(name: string, rows: number): void;
  metrics(): Record<string, number>;
}

const PERCENTILES = { p50: 0.5, p95: 0.95, p99: 0.99 } as const;

export function createFigures(): Figures {
  const times = new Map<string, number[]>();
  const values = new Map<string, number>();
  const rowsOf = new Map<string, number>();
  return {
    add(name, ms) {
      const list = times.get(name) ?? [];
      times.set(name, list);
      list.push(ms);
    },
    set: (name, value) => void values.set(name, value),
    per: (name, rows) => void rowsOf.set(name, rows),
    metrics() {
      const percentiles = [...times].flatMap(([name, list]) => {
        const sorted = list.toSorted((a, b) => a - b);
        const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
        const rows = rowsOf.get(name) ?? 0;
        return [
          ...Object.entries(PERCENTILES).map(([title, share]): [string, number] => [`${name}.${title}_ms`, at(share)]),
          ...(rows === 0 ? [] : [[`${name}.us_per_row`, (at(0.5) * 1000) / rows] as [string, number]]),
        ];
      });
      return Object.fromEntries([...percentiles, ...values]);
    },
  };
}
