import { LRUCache } from 'lru-cache';
import type { EngineList } from '../../core/ports/message-engine.ts';

const GRID = 2 ** 40;

/** The front of an order, as the first page was made from it. */
export interface OrderList {
  /** State of the data that it was made from. */
  readonly version: number;
  readonly whole: boolean;
  readonly length: number;
  /** Index of a row, or -1. */
  indexOf(id: number): number;
  idsFrom(index: number, count: number): readonly number[];
  scoreOf(id: number): { readonly score: number; readonly raw: number };
}

/** Orders of recent searches, so that their next pages neither repeat nor miss a row although mail comes and goes. */
export interface OrderLists {
  keep(key: string, list: EngineList, version: number): void;
  find(key: string): OrderList | undefined;
}

interface Kept {
  readonly version: number;
  readonly list: EngineList;
  order?: OrderList;
}

/**
 * The lists used last, at most `max` of them, each for `lifeMs`.
 *
 * @param now milliseconds of a clock that never goes back
 */
export function createOrderLists({ max, lifeMs, now }: { max: number; lifeMs: number; now: () => number }): OrderLists {
  // The cache takes a start of 0 for none.
  const lists = new LRUCache<string, Kept>({ max, ttl: lifeMs, ttlResolution: 0, perf: { now: () => now() + 1 } });
  return {
    keep(key, list, version) {
      lists.set(key, { version, list });
    },
    find(key) {
      const kept = lists.get(key);
      if (kept === undefined) return undefined;
      // Most lists are never asked for, so they are read only here.
      kept.order ??= read(kept.list, kept.version);
      return kept.order;
    },
  };
}

function read({ ids: idText, keys: keyText, unit, lowest_key, highest_key, whole }: EngineList, version: number): OrderList {
  const ids = idText === '' ? [] : idText.split(',').map(Number);
  const keys = keyText.split(',').map(Number);
  const places = new Map(ids.map((id, index) => [id, index]));
  const range = highest_key - lowest_key;
  return {
    version,
    whole,
    length: ids.length,
    indexOf: (id) => places.get(id) ?? -1,
    idsFrom: (index, count) => ids.slice(index, index + count),
    scoreOf(id) {
      const key = keys[places.get(id) ?? -1] ?? highest_key;
      return { score: range === 0 ? 1 : Math.round(((highest_key - key) / range) * GRID) / GRID, raw: key * unit + 0 };
    },
  };
}
