import type { SqliteDatabase } from '../open.ts';

/** Wishes that are kept of a plan: whoever retries one ten thousand times leaves no more. */
const MAX_WISHES = 64;

interface PlanWishes {
  /** Keeps a wish; answers whether it was not known. */
  keep(planSha256: string, wish: string): boolean;
  served(planSha256: string, wish: string): boolean;
  /** Takes away the mark of an upgrade; answers whether there was one. */
  unmark(planSha256: string): boolean;
}

/** Which asks to run a plan were served (docs/plan-protocol.md 2, Wishes). Blocks its thread, and needs a transaction around it. */
export function planWishes(db: SqliteDatabase): PlanWishes {
  const add = db.prepare<{ readonly planSha256: string; readonly wish: string }>(
    `INSERT INTO wish (plan_sha256, wish, seq)
     SELECT @planSha256, @wish, coalesce(max(seq), 0) + 1 FROM wish WHERE plan_sha256 = @planSha256 ON CONFLICT DO NOTHING`,
  );
  const forget = db.prepare<[string, string, number]>(
    'DELETE FROM wish WHERE plan_sha256 = ? AND seq <= (SELECT max(seq) FROM wish WHERE plan_sha256 = ?) - ?',
  );
  const find = db.prepare<[string, string], unknown>('SELECT 1 FROM wish WHERE plan_sha256 = ? AND wish = ?');
  const unmark = db.prepare<[string]>("DELETE FROM wish WHERE plan_sha256 = ? AND wish = ''");
  return {
    keep(planSha256, wish) {
      if (find.get(planSha256, wish) !== undefined) return false;
      add.run({ planSha256, wish });
      forget.run(planSha256, planSha256, MAX_WISHES);
      return true;
    },
    served: (planSha256, wish) => find.get(planSha256, wish) !== undefined,
    unmark: (planSha256) => unmark.run(planSha256).changes === 1,
  };
}
